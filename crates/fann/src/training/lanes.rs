//! Slopes of sixteen samples at a time, or of four, by passes (`pass`) through the network and back.
//!
//! Samples come in chunks of a fixed size. A chunk sums its slopes and errors by itself; the sums are added in the
//! order of the chunks, so that threads may share the chunks.

use super::pass::{Pass, room_of};
use super::state::{State, grow};
use super::tally::Tally;
use crate::activation::Activation;
use crate::data::Samples;
use crate::error::Result;
use crate::layout::Layout;
use crate::network::Network;
use crate::parameters::TrainParameters;
use crate::real::{LANES, Real};
use std::ops::Range;
use std::sync::Mutex;
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_threads::Pool;

/// Samples for which narrow vectors do.
pub(super) const FEW_SAMPLES: usize = 4;
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
    /// What the passes read, and what they change.
    pub(super) fn view(&mut self) -> (View<'_, T>, &mut State<T>, &mut Tally) {
        let Network { layout, functions, block, training, .. } = self;
        let (weights, rest) = block.split_at(layout.connections);
        let steepness = &rest[rest.len() - layout.neurons..];
        let view = View { layout, functions, steepness, weights, training };
        (view, &mut self.state, &mut self.tally)
    }

    pub(super) fn add_slopes_by_lanes(
        &mut self,
        samples: Samples<'_, T>,
        pool: Option<&Pool>,
    ) -> Result<()> {
        let (view, state, tally) = self.view();
        match pool {
            Some(pool) if pool.size() > 1 && samples.len() > CHUNK => {
                view.share_chunks(samples, pool, &mut state.slopes, tally);
                Ok(())
            }
            _ => view.take_chunks(samples, state, tally),
        }
    }
}

impl<T: Real> View<'_, T> {
    /// Function and steepness of a neuron.
    #[inline(always)]
    pub fn kind(&self, neuron: usize) -> (Activation, T) {
        (self.functions[neuron], self.steepness[neuron])
    }

    /// One chunk after another, the first right into the slopes, which are 0.
    fn take_chunks(
        &self,
        samples: Samples<'_, T>,
        state: &mut State<T>,
        tally: &mut Tally,
    ) -> Result<()> {
        let passes = room_of(self.layout);
        let more = if samples.len() > CHUNK { self.layout.connections } else { 0 };
        grow(&mut state.scratch, passes + more, T::ZERO)?;
        let (room, partial) = state.scratch.split_at_mut(passes);
        for first in (0..samples.len()).step_by(CHUNK) {
            let rows = first..samples.len().min(first + CHUNK);
            if first == 0 {
                let slopes = &mut state.slopes[..];
                tally.add_all(run(&mut Chunk { view: self, samples, rows, room, slopes }));
            } else {
                let slopes = &mut partial[..self.layout.connections];
                slopes.fill(T::ZERO);
                tally.add_all(run(&mut Chunk { view: self, samples, rows, room, slopes }));
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
        let round = pool.size() * 2;
        let chunks: Vec<usize> = (0..samples.len()).step_by(CHUNK).collect();
        for starts in chunks.chunks(round) {
            let results: Vec<Mutex<(Vec<T>, Tally)>> =
                starts.iter().map(|_| Mutex::default()).collect();
            pool.pieces(starts.len(), |i| {
                let rows = starts[i]..samples.len().min(starts[i] + CHUNK);
                let mut sums = vec![T::ZERO; self.layout.connections];
                let (mut room, slopes) = (vec![T::ZERO; room_of(self.layout)], &mut sums[..]);
                let tally = run(&mut Chunk { view: self, samples, rows, room: &mut room, slopes });
                if let Ok(mut place) = results[i].lock() {
                    *place = (sums, tally);
                }
            });
            for result in results {
                let Ok((sums, errors)) = result.into_inner() else { continue };
                slopes.iter_mut().zip(sums).for_each(|(sum, slope)| *sum += slope);
                tally.add_all(errors);
            }
        }
    }
}

struct Chunk<'a, T> {
    view: &'a View<'a, T>,
    samples: Samples<'a, T>,
    rows: Range<usize>,
    /// Room of a pass.
    room: &'a mut [T],
    slopes: &'a mut [T],
}

/// By reference: what a kernel brings along is copied on its way in.
impl<T: Real> Kernel for &mut Chunk<'_, T> {
    type Output = Tally;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Tally {
        if self.rows.len() <= FEW_SAMPLES {
            self.pass::<_, FEW_SAMPLES>(s.four())
        } else {
            self.pass::<_, LANES>(s)
        }
    }
}

impl<T: Real> Chunk<'_, T> {
    /// `W` samples at a time.
    #[inline(always)]
    fn pass<S: Simd, const W: usize>(&mut self, s: S) -> Tally {
        let mut pass = Pass::<T, W>::new(self.view, self.room);
        let mut row = self.rows.start;
        while row < self.rows.end {
            let lanes = (self.rows.end - row).min(W);
            pass.load(self.samples, row, lanes);
            pass.forward(s);
            pass.find_errors(s, lanes);
            pass.backward(s);
            pass.add_slopes(s, row > self.rows.start, self.slopes);
            row += lanes;
        }
        pass.finish(s, self.slopes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TrainData;
    use crate::parameters::Algorithm;

    /// The mean slope of samples taken twice is that of samples taken once.
    fn few_samples_have_the_slopes_of_many<T: Real>() {
        let networks = [
            Network::<T>::standard(&[3, 5, 2]),
            Network::<T>::shortcut(&[3, 5, 2]),
            Network::<T>::sparse(0.6, &[3, 5, 2]),
        ];
        let number = |i: usize| T::of((i * 29 % 17) as f64 / 8.3 - 0.93);
        for (network, samples) in networks.into_iter().flat_map(|n| [(n.clone(), 3), (n, 4)]) {
            let mut network = network.unwrap();
            network.set_activation_function_hidden(Activation::SigmoidSymmetric);
            network.training.training_algorithm = Algorithm::Batch;
            let mut other = network.clone();
            let inputs = (0..samples * 3).map(number).collect();
            let outputs = (0..samples * 2).map(|i| number(i).abs()).collect();
            let once = TrainData::from_parts(samples, (3, 2), inputs, outputs).unwrap();
            let twice = once.merge(&once).unwrap();
            for _ in 0..5 {
                let (a, b) =
                    (network.train_epoch(&once).unwrap(), other.train_epoch(&twice).unwrap());
                assert!((a - b).abs() < 1e-6, "{a} {b}");
                assert_eq!(2 * network.bit_fail(), other.bit_fail());
            }
            for (a, b) in network.weights().iter().zip(other.weights()) {
                assert!((a.f64() - b.f64()).abs() < 1e-5, "{samples} samples: {a} {b}");
            }
        }
    }

    #[test]
    fn few_samples_equal_many() {
        few_samples_have_the_slopes_of_many::<f32>();
        few_samples_have_the_slopes_of_many::<f64>();
    }
}
