//! Candidates: neurons that are trained, side by side, to follow the error that is left.

use super::memory::Memory;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::Algorithm;
use crate::real::{Block, LANES, Real};
use crate::training::{Weights, first_step, quickprop, rprop, sarprop};
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// The candidate to be installed.
pub(super) struct Best<T> {
    pub function: Activation,
    pub steepness: T,
    pub weights: Vec<T>,
    /// One for each output.
    pub output_weights: Vec<T>,
}

/// All candidates. Each has a row: weights of the neurons it takes, then one for each output.
struct Candidates<T> {
    kinds: Vec<(Activation, T)>,
    sources: usize,
    outputs: usize,
    weights: Vec<T>,
    slopes: Vec<T>,
    prev_steps: Vec<T>,
    prev_slopes: Vec<T>,
    scores: Vec<T>,
    /// Blocks of sums, values and errors of one candidate.
    scratch: Vec<Block<T>>,
}

impl<T: Real> Network<T> {
    /// Trains fresh candidates until the best stands still. Returns it and the epochs.
    pub(super) fn train_candidates(&mut self, memory: &mut Memory<T>) -> Result<(Best<T>, u32)> {
        self.measure_rest(memory);
        let mut candidates = self.fresh_candidates(memory.blocks)?;
        let (max, min) = (self.cascade.max_cand_epochs, self.cascade.min_cand_epochs);
        let one = T::ONE;
        let fraction = T::of_f32(self.cascade.candidate_change_fraction);
        let start = T::of_f32(self.tally.squares);
        let (mut target, mut backslide, mut stagnation) = (T::ZERO, T::of_f32(-1.0e20), max);
        let (mut best, mut epochs) = (0, max);
        for i in 0..max {
            candidates.scores.fill(start);
            run(Epoch { candidates: &mut candidates, memory });
            self.step_candidates(&mut candidates, memory.samples)?;
            best = candidates.best();
            let score = candidates.scores[best];
            if score / start > self.cascade.candidate_limit {
                epochs = i + 1;
                break;
            }
            if score > target || score < backslide {
                target = score * (one + fraction);
                backslide = score * (one - fraction);
                stagnation = i.saturating_add(self.cascade.candidate_stagnation_epochs);
            }
            if i >= stagnation && i >= min {
                epochs = i + 1;
                break;
            }
        }
        Ok((candidates.take(best), epochs))
    }

    /// Candidates of every function and steepness, with weights by the method of Widrow and Nguyen.
    fn fresh_candidates(&mut self, blocks: usize) -> Result<Candidates<T>> {
        let (sources, outputs) = (self.layout.output().first, self.num_output());
        let count = self.cascade.num_candidates();
        let len = count.checked_mul(sources + outputs).ok_or(Error::CantAllocateMem)?;
        let room = |fill: T| {
            let mut numbers = Vec::new();
            numbers.try_reserve_exact(len).map_err(|_| Error::CantAllocateMem)?;
            numbers.resize(len, fill);
            Ok(numbers)
        };
        let steps = first_step(&self.training);
        let mut kinds = Vec::new();
        for function in &self.cascade.activation_functions {
            for steepness in &self.cascade.activation_steepnesses {
                let groups = self.cascade.num_candidate_groups as usize;
                kinds.extend(std::iter::repeat_n((*function, *steepness), groups));
            }
        }
        let mut candidates = Candidates {
            kinds,
            sources,
            outputs,
            weights: room(T::ZERO)?,
            slopes: room(T::ZERO)?,
            prev_steps: room(steps)?,
            prev_slopes: room(T::ZERO)?,
            scores: vec![T::ZERO; count],
            scratch: vec![[T::ZERO; LANES]; 3 * blocks],
        };
        let hidden = (self.layout.neurons - self.num_input() - outputs) as f32;
        let power = f64::from(0.7 * hidden).powf(1.0 / self.num_input() as f64);
        let scale = ((2.0 * power) as f32).clamp(0.5, 8.0);
        let bias = self.num_input();
        for row in candidates.weights.chunks_exact_mut(sources + outputs) {
            for (i, weight) in row.iter_mut().enumerate() {
                let low = if i == bias { -scale } else { 0.0 };
                *weight = T::of_f32(self.random.between(low, scale));
            }
        }
        Ok(candidates)
    }

    fn step_candidates(&mut self, candidates: &mut Candidates<T>, samples: usize) -> Result<()> {
        let Candidates { weights, slopes, prev_steps, prev_slopes, .. } = candidates;
        let weights = Weights { weights, slopes, prev_steps, prev_slopes };
        let mse = self.mse();
        match self.training.training_algorithm {
            Algorithm::Rprop => rprop::step(&self.training, weights),
            Algorithm::Quickprop => quickprop::step(&self.training, samples, weights),
            Algorithm::Sarprop => sarprop::step(&self.training, mse, &mut self.random, weights),
            Algorithm::Incremental | Algorithm::Batch => return Err(Error::CantUseTrainAlg),
        }
        Ok(())
    }
}

impl<T: Real> Candidates<T> {
    /// The one with the highest score, the first of equals.
    fn best(&self) -> usize {
        let better =
            |best: usize, i: usize| if self.scores[i] > self.scores[best] { i } else { best };
        (1..self.scores.len()).fold(0, better)
    }

    fn take(self, index: usize) -> Best<T> {
        let row =
            &self.weights[index * (self.sources + self.outputs)..][..self.sources + self.outputs];
        let (weights, output_weights) = row.split_at(self.sources);
        let (function, steepness) = self.kinds[index];
        Best {
            function,
            steepness,
            weights: weights.to_vec(),
            output_weights: output_weights.to_vec(),
        }
    }
}

/// The slopes and scores of all candidates over all samples.
struct Epoch<'a, T> {
    candidates: &'a mut Candidates<T>,
    memory: &'a Memory<T>,
}

impl<T: Real> Kernel for Epoch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Candidates { kinds, sources, outputs, weights, slopes, scores, scratch, .. } =
            self.candidates;
        let width = *sources + *outputs;
        let len = self.memory.blocks * LANES;
        let (sums, rest) = scratch.as_flattened_mut().split_at_mut(len);
        let (values, errors) = rest.split_at_mut(len);
        let rows = weights.chunks_exact(width).zip(slopes.chunks_exact_mut(width));
        for (((weights, slopes), score), kind) in rows.zip(scores).zip(kinds.iter()) {
            let (weights, output_weights) = weights.split_at(*sources);
            let (slopes, output_slopes) = slopes.split_at_mut(*sources);
            T::combine(s, weights, self.memory.values.as_flattened(), len, sums);
            T::activate_candidate(s, *kind, sums, values);
            *score -= follow(s, values, errors, self.memory, output_weights, output_slopes);
            T::derive(s, *kind, values, sums, errors);
            T::add_products(s, -T::ONE, errors, self.memory.values.as_flattened(), slopes);
        }
    }
}

/// Sets the errors of a candidate with these values, adds the slopes of its output weights, and returns the sum of
/// squares that its values leave of the outputs' errors.
#[inline(always)]
fn follow<T: Real, S: Simd>(
    s: S,
    values: &mut [T],
    errors: &mut [T],
    memory: &Memory<T>,
    output_weights: &[T],
    output_slopes: &mut [T],
) -> T {
    // Where there is no sample, there is nothing to follow.
    values[memory.samples..].fill(T::ZERO);
    errors.fill(T::ZERO);
    let two = T::of_f32(2.0);
    let mut left = T::ZERO;
    let (values, _) = values.as_chunks::<LANES>();
    let (errors, _) = errors.as_chunks_mut::<LANES>();
    for (o, (weight, slope)) in output_weights.iter().zip(output_slopes.iter_mut()).enumerate() {
        let wanted = &memory.errors[o * memory.blocks..][..memory.blocks];
        for ((values, errors), wanted) in values.iter().zip(errors.iter_mut()).zip(wanted) {
            let mut difference = *wanted;
            for i in 0..LANES {
                difference[i] = values[i] * *weight - wanted[i];
            }
            *slope -= two * T::dot(s, &difference, values);
            left += T::dot(s, &difference, &difference);
            T::add_scaled(s, errors, *weight, &difference);
        }
    }
    left
}
