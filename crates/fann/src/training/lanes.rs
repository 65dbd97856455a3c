//! Slopes of sixteen samples at a time: every neuron has a block of values, one for each sample.
//!
//! Samples come in chunks of a fixed size. A chunk sums its slopes by itself; the sums are added in the order of the
//! chunks, so that threads may share the chunks.

use super::state::grow;
use super::tally::{Tally, half_if_symmetric};
use crate::activation::Activation;
use crate::data::Samples;
use crate::error::Result;
use crate::layout::{Layout, Wiring};
use crate::network::Network;
use crate::parameters::TrainParameters;
use crate::real::{Block, LANES, Real};
use std::ops::Range;
use std::sync::Mutex;
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_threads::Pool;

/// Samples of a chunk.
const CHUNK: usize = 32 * LANES;

/// What the passes read of a network.
pub(crate) struct View<'a, T> {
    pub layout: &'a Layout,
    pub functions: &'a [Activation],
    pub steepness: &'a [T],
    pub weights: &'a [T],
    pub training: &'a TrainParameters<T>,
}

impl<T: Real> Network<T> {
    pub(crate) fn view(&self) -> View<'_, T> {
        View {
            layout: &self.layout,
            functions: &self.functions,
            steepness: self.steepness(),
            weights: self.weights(),
            training: &self.training,
        }
    }

    pub(super) fn add_slopes_by_lanes(
        &mut self,
        samples: Samples<'_, T>,
        pool: Option<&Pool>,
    ) -> Result<()> {
        let mut state = std::mem::take(&mut self.state);
        let mut tally = self.tally;
        let done = match pool {
            Some(pool) if pool.size() > 1 && samples.len() > CHUNK => {
                self.share_chunks(samples, pool, &mut state.slopes, &mut tally);
                Ok(())
            }
            _ => self.take_chunks(samples, &mut state, &mut tally),
        };
        (self.state, self.tally) = (state, tally);
        done
    }

    /// One chunk after another, the first right into the slopes, which are 0.
    fn take_chunks(
        &self,
        samples: Samples<'_, T>,
        state: &mut super::State<T>,
        tally: &mut Tally,
    ) -> Result<()> {
        let view = self.view();
        let passes = 3 * LANES * self.layout.neurons;
        let more = if samples.len() > CHUNK { self.layout.connections } else { 0 };
        grow(&mut state.scratch, passes + more, T::ZERO)?;
        let (room, partial) = state.scratch.split_at_mut(passes);
        for first in (0..samples.len()).step_by(CHUNK) {
            let rows = first..samples.len().min(first + CHUNK);
            if first == 0 {
                let slopes = &mut state.slopes[..];
                run(Chunk { view: &view, samples, rows, room, slopes, tally });
            } else {
                let slopes = &mut partial[..self.layout.connections];
                slopes.fill(T::ZERO);
                run(Chunk { view: &view, samples, rows, room, slopes, tally });
                state.slopes.iter_mut().zip(slopes.iter()).for_each(|(sum, slope)| *sum += *slope);
            }
        }
        Ok(())
    }

    /// Chunks on whichever threads are free; their sums are added in order.
    fn share_chunks(
        &self,
        samples: Samples<'_, T>,
        pool: &Pool,
        slopes: &mut [T],
        tally: &mut Tally,
    ) {
        let view = self.view();
        let connections = self.layout.connections;
        let round = pool.size() * 2;
        let chunks: Vec<usize> = (0..samples.len()).step_by(CHUNK).collect();
        for starts in chunks.chunks(round) {
            let results: Vec<Mutex<(Vec<T>, Vec<T>)>> =
                starts.iter().map(|_| Mutex::default()).collect();
            pool.pieces(starts.len(), |i| {
                let rows = starts[i]..samples.len().min(starts[i] + CHUNK);
                let mut sums = vec![T::ZERO; connections];
                let mut room = vec![T::ZERO; 3 * LANES * self.layout.neurons];
                let mut errors = Errors(Vec::new());
                let slopes = &mut sums[..];
                run(Chunk {
                    view: &view,
                    samples,
                    rows,
                    room: &mut room,
                    slopes,
                    tally: &mut errors,
                });
                if let Ok(mut place) = results[i].lock() {
                    *place = (sums, errors.0);
                }
            });
            for result in results {
                let Ok((sums, errors)) = result.into_inner() else { continue };
                slopes.iter_mut().zip(sums).for_each(|(sum, slope)| *sum += slope);
                errors.iter().for_each(|error| tally.add(*error, self.training.bit_fail_limit));
            }
        }
    }
}

/// Where differences go, in the order of the samples.
pub(crate) trait Sink<T> {
    fn add(&mut self, difference: T, limit: T);
}

impl<T: Real> Sink<T> for Tally {
    #[inline(always)]
    fn add(&mut self, difference: T, limit: T) {
        Tally::add(self, difference, limit);
    }
}

/// Differences kept for later.
struct Errors<T>(Vec<T>);

impl<T: Real> Sink<T> for Errors<T> {
    #[inline(always)]
    fn add(&mut self, difference: T, _: T) {
        self.0.push(difference);
    }
}

struct Chunk<'a, T, K> {
    view: &'a View<'a, T>,
    samples: Samples<'a, T>,
    rows: Range<usize>,
    /// Blocks of values, sums and errors.
    room: &'a mut [T],
    slopes: &'a mut [T],
    tally: &'a mut K,
}

impl<T: Real, K: Sink<T>> Kernel for Chunk<'_, T, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let neurons = self.view.layout.neurons;
        let (blocks, _) = self.room.as_chunks_mut::<LANES>();
        let (values, blocks) = blocks.split_at_mut(neurons);
        let (sums, errors) = blocks.split_at_mut(neurons);
        let mut pass = Pass { view: self.view, values, sums, errors };
        let mut row = self.rows.start;
        while row < self.rows.end {
            let lanes = (self.rows.end - row).min(LANES);
            pass.load(self.samples, row, lanes);
            pass.forward(s);
            pass.find_errors(s, self.samples, row, lanes, self.tally);
            pass.backward(s);
            pass.add_slopes(s, self.slopes);
            row += lanes;
        }
    }
}

/// Blocks of all neurons.
pub(crate) struct Pass<'a, T> {
    pub view: &'a View<'a, T>,
    pub values: &'a mut [Block<T>],
    pub sums: &'a mut [Block<T>],
    pub errors: &'a mut [Block<T>],
}

impl<T: Real> Pass<'_, T> {
    /// Takes inputs from `row` on; lanes without a sample get zeros.
    #[inline(always)]
    pub fn load(&mut self, samples: Samples<'_, T>, row: usize, lanes: usize) {
        let inputs = self.view.layout.num_input();
        if lanes < LANES {
            self.values[..inputs].fill([T::ZERO; LANES]);
        }
        for lane in 0..lanes {
            let row = samples.input(row + lane);
            for (block, x) in self.values[..inputs].iter_mut().zip(row) {
                block[lane] = *x;
            }
        }
        self.values[inputs] = [T::ONE; LANES];
    }

    /// Computes all neurons.
    #[inline(always)]
    pub fn forward<S: Simd>(&mut self, s: S) {
        let view = self.view;
        for layer in &view.layout.layers[1..] {
            for neuron in layer.first..layer.first + layer.computed {
                let (before, after) = self.values.split_at_mut(neuron);
                let mut sum = [T::ZERO; LANES];
                match &view.layout.wiring {
                    Wiring::Full => {
                        let row = layer.first_weight + (neuron - layer.first) * layer.sources;
                        let weights = &view.weights[row..][..layer.sources];
                        let sources = &before[layer.first_source..][..layer.sources];
                        T::combine(s, weights, sources.as_flattened(), LANES, &mut sum);
                    }
                    Wiring::Listed { starts, sources } => {
                        let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                        let listed =
                            view.weights[range.clone()].iter().zip(&sources[range.clone()]);
                        for (weight, source) in listed {
                            T::add_scaled(s, &mut sum, *weight, &before[*source as usize]);
                        }
                        if range.is_empty() {
                            after[0] = [T::ONE; LANES];
                            continue;
                        }
                    }
                }
                let kind = (view.functions[neuron], view.steepness[neuron]);
                T::activate(s, kind, &mut sum, &mut after[0]);
                self.sums[neuron] = sum;
            }
            for bias in layer.first + layer.computed..layer.end() {
                self.values[bias] = [T::ONE; LANES];
            }
        }
    }

    /// Sets the errors of the outputs, 0 in lanes without a sample, and hands out the differences.
    #[inline(always)]
    pub fn find_errors<S: Simd, K: Sink<T>>(
        &mut self,
        s: S,
        samples: Samples<'_, T>,
        row: usize,
        lanes: usize,
        tally: &mut K,
    ) {
        let (view, first) = (self.view, self.view.layout.output().first);
        let outputs = view.layout.num_output();
        for i in 0..outputs {
            let neuron = first + i;
            let mut desired = [T::ZERO; LANES];
            for (lane, place) in desired[..lanes].iter_mut().enumerate() {
                *place = samples.output(row + lane)[i];
            }
            let (scale, values) = (half_if_symmetric(view.functions[neuron]), &self.values[neuron]);
            // The differences wait here for their turn; lanes come before outputs.
            for (i, place) in self.errors[neuron].iter_mut().enumerate() {
                *place = (desired[i] - values[i]) * scale;
            }
        }
        for lane in 0..lanes {
            for block in &self.errors[first..first + outputs] {
                tally.add(block[lane], view.training.bit_fail_limit);
            }
        }
        for neuron in first..first + outputs {
            let kind = (view.functions[neuron], view.steepness[neuron]);
            let (values, sums) = (&self.values[neuron], &self.sums[neuron]);
            let measure = view.training.train_error_function;
            let errors = &mut self.errors[neuron];
            T::judge(s, measure, kind, values, sums, errors);
            errors[lanes..].fill(T::ZERO);
        }
    }

    /// Passes the errors of the outputs back to all hidden neurons.
    #[inline(always)]
    pub fn backward<S: Simd>(&mut self, s: S) {
        let (view, layers) = (self.view, &self.view.layout.layers);
        self.errors[..view.layout.output().first].fill([T::ZERO; LANES]);
        for (i, layer) in layers.iter().enumerate().skip(2).rev() {
            for neuron in layer.first..layer.first + layer.computed {
                let (before, after) = self.errors.split_at_mut(neuron);
                let error = &after[0];
                match &view.layout.wiring {
                    Wiring::Full => {
                        let row = layer.first_weight + (neuron - layer.first) * layer.sources;
                        let weights = &view.weights[row..][..layer.sources];
                        for (block, weight) in before[layer.first_source..].iter_mut().zip(weights)
                        {
                            T::add_scaled(s, block, *weight, error);
                        }
                    }
                    Wiring::Listed { starts, sources } => {
                        let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                        let listed = view.weights[range.clone()].iter().zip(&sources[range]);
                        for (weight, source) in listed {
                            T::add_scaled(s, &mut before[*source as usize], *weight, error);
                        }
                    }
                }
            }
            let previous = &layers[i - 1];
            for neuron in previous.first..previous.first + previous.computed {
                let (values, sums) = (&self.values[neuron], &self.sums[neuron]);
                let kind = (view.functions[neuron], view.steepness[neuron]);
                T::derive(s, kind, values, sums, &mut self.errors[neuron]);
            }
        }
    }

    /// Adds the slopes, summed over the lanes.
    #[inline(always)]
    pub fn add_slopes<S: Simd>(&mut self, s: S, slopes: &mut [T]) {
        let view = self.view;
        for layer in &view.layout.layers[1..] {
            for neuron in layer.first..layer.first + layer.computed {
                let error = &self.errors[neuron];
                match &view.layout.wiring {
                    Wiring::Full => {
                        let row = layer.first_weight + (neuron - layer.first) * layer.sources;
                        let sources = &self.values[layer.first_source..][..layer.sources];
                        let slopes = &mut slopes[row..][..layer.sources];
                        T::add_products(s, T::ONE, error, sources.as_flattened(), slopes);
                    }
                    Wiring::Listed { starts, sources } => {
                        let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                        let listed = slopes[range.clone()].iter_mut().zip(&sources[range]);
                        for (slope, source) in listed {
                            *slope += T::dot(s, error, &self.values[*source as usize]);
                        }
                    }
                }
            }
        }
    }
}
