//! An epoch of a group: blocks of samples go forward and back through all lanes, then the weights follow.

use super::crowd::{Errors, Parts};
use crate::data::Samples;
use crate::network::Network;
use crate::parameters::{Algorithm, NetworkType, StopFunction};
use crate::real::{LANES, Real};
use crate::training::{Weights, half_if_symmetric};
use crate::vectors::Aim;
use whimbrel_kernels::simd::{Kernel, Simd, from_slice};

/// All samples once, through all lanes.
pub(super) struct Epoch<'a, T: Real, const W: usize, const R: usize> {
    pub parts: Parts<'a, T, W, R>,
    /// The first of the samples whose inputs are in place.
    pub loaded: &'a mut Option<usize>,
    pub counted: &'a mut Errors<W>,
    /// One of the networks, for what is common to all.
    pub network: &'a Network<T>,
    pub samples: Samples<'a, T>,
    /// The error at which each lane is done.
    pub goals: [f32; W],
}

/// By reference: what a kernel brings along is copied on its way in.
impl<T: Real, const W: usize, const R: usize> Kernel for &mut Epoch<'_, T, W, R> {
    /// Whether any lane reached its goal.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        for row in (0..self.samples.len()).step_by(R) {
            self.load(row);
            self.fire(s);
            self.judge(s, row);
            self.pull(s);
            self.follow(s, row > 0);
        }
        self.step();
        self.counted.count = (self.samples.len() * self.samples.num_output()) as u32;
        self.is_any_reached(s)
    }
}

impl<T: Real, const W: usize, const R: usize> Epoch<'_, T, W, R> {
    /// Takes samples from `row` on; where there are none, whatever was there before stays.
    #[inline(always)]
    fn load(&mut self, row: usize) {
        if self.loaded.replace(row) == Some(row) {
            return;
        }
        for r in 0..R.min(self.samples.len() - row) {
            for (value, x) in self.parts.values.iter_mut().zip(self.samples.input(row + r)) {
                value[r] = [*x; W];
            }
        }
    }

    /// Computes all neurons.
    #[inline(always)]
    fn fire<S: Simd>(&mut self, s: S) {
        let Parts { weights, values, sums, .. } = &mut self.parts;
        for layer in &self.network.layout.layers[1..] {
            let (before, own) = values.split_at_mut(layer.first);
            let rows = &before[layer.first_source..][..layer.sources];
            let (alike, mut at) = (layer.alike(), 0);
            while at < layer.computed {
                let kind = self.network.kind(layer.first + at);
                let weights = &weights[layer.first_weight + at * layer.sources..];
                let sums = &mut sums[layer.first + at..][..alike];
                T::fire_lanes(s, kind, weights, rows, sums, &mut own[at..][..alike]);
                at += alike;
            }
        }
    }

    /// Sets the errors of the outputs, and counts them.
    #[inline(always)]
    fn judge<S: Simd>(&mut self, s: S, row: usize) {
        let Parts { values, sums, errors, .. } = &mut self.parts;
        let training = &self.network.training;
        let rows = R.min(self.samples.len() - row);
        let mut wanted = [T::ZERO; R];
        for (k, neuron) in self.network.layout.output().neurons().enumerate() {
            for (r, wanted) in wanted[..rows].iter_mut().enumerate() {
                *wanted = self.samples.output(row + r)[k];
            }
            let kind = self.network.kind(neuron);
            let aim = Aim {
                wanted: &wanted[..rows],
                scale: half_if_symmetric(kind.0),
                limit: training.bit_fail_limit,
                measure: training.train_error_function,
            };
            let fired = [&values[neuron], &sums[neuron]];
            let counts = (&mut self.counted.squares, &mut self.counted.failed);
            T::judge_lanes(s, kind, &aim, fired, &mut errors[neuron], counts);
        }
    }

    /// Lets hidden neurons have their errors from the layers that take them, which are all after it or the next one.
    #[inline(always)]
    fn pull<S: Simd>(&mut self, s: S) {
        let Parts { weights, values, sums, errors, .. } = &mut self.parts;
        let layout = &self.network.layout;
        for (i, layer) in layout.layers.iter().enumerate().skip(1).rev().skip(1) {
            let next = &layout.layers[i + 1..];
            let takers = if layout.network_type == NetworkType::Layer { &next[..1] } else { next };
            let (alike, mut at) = (layer.alike(), 0);
            while at < layer.computed {
                let neurons = layer.first + at..layer.first + at + alike;
                let kind = self.network.kind(neurons.start);
                let fired = [&values[neurons.clone()], &sums[neurons.clone()]];
                for (k, taker) in takers.iter().enumerate() {
                    let first = taker.first_weight + neurons.start - taker.first_source;
                    // A layer that is its bias alone has no weights.
                    let weights = (weights.get(first..).unwrap_or_default(), taker.sources);
                    let (before, after) = errors.split_at_mut(taker.first);
                    let (own, after) = (&mut before[neurons.clone()], &after[..taker.computed]);
                    let ends = (k == 0, k + 1 == takers.len());
                    T::pull_lanes(s, kind, fired, weights, after, ends, own);
                }
                at += alike;
            }
        }
    }

    /// Lets slopes, which are added to or begun, or, in incremental training, the weights follow the errors.
    #[inline(always)]
    fn follow<S: Simd>(&mut self, s: S, adds: bool) {
        let Parts { weights, slopes, values, errors, .. } = &mut self.parts;
        let training = &self.network.training;
        let rate = T::of_f32(training.learning_rate);
        let is_incremental = training.training_algorithm == Algorithm::Incremental;
        for layer in &self.network.layout.layers[1..] {
            let sources = &values[layer.first_source..][..layer.sources];
            let errors = &mut errors[layer.neurons()];
            if is_incremental {
                for error in errors.as_flattened_mut().as_flattened_mut() {
                    *error *= rate;
                }
                T::follow_lanes(s, errors, sources, &mut weights[layer.weights()], true);
            } else {
                T::follow_lanes(s, errors, sources, &mut slopes[layer.weights()], adds);
            }
        }
    }

    /// Lets the weights follow the slopes.
    #[inline(always)]
    fn step(&mut self) {
        let Parts { weights, slopes, prev_steps, prev_slopes, .. } = &mut self.parts;
        let all = Weights {
            weights: weights.as_flattened_mut(),
            slopes: slopes.as_flattened_mut(),
            prev_steps: prev_steps.as_flattened_mut(),
            prev_slopes: prev_slopes.as_flattened_mut(),
        };
        all.step_by::<LANES, false>(&self.network.training, self.samples.len());
    }

    /// Whether any lane reached its goal.
    #[inline(always)]
    fn is_any_reached<S: Simd>(&self, s: S) -> bool {
        let Errors { squares, failed, count } = &*self.counted;
        let (numbers, count) = match self.network.training.train_stop_function {
            StopFunction::Mse => (squares, (*count).max(1) as f32),
            StopFunction::Bit => (failed, 1.0),
        };
        for at in (0..W).step_by(S::LANES) {
            let errors = s.div(from_slice(s, &numbers[at..]), s.splat(count));
            if !s.all(s.not(s.le(errors, from_slice(s, &self.goals[at..])))) {
                return true;
            }
        }
        false
    }
}
