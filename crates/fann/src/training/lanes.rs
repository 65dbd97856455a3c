//! Slopes of sixteen samples at a time, by passes (`pass`) through the network and back.
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
                tally.add_all(run(Chunk { view: self, samples, rows, room, slopes }));
            } else {
                let slopes = &mut partial[..self.layout.connections];
                slopes.fill(T::ZERO);
                tally.add_all(run(Chunk { view: self, samples, rows, room, slopes }));
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
                let tally = run(Chunk { view: self, samples, rows, room: &mut room, slopes });
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

impl<T: Real> Kernel for Chunk<'_, T> {
    type Output = Tally;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Tally {
        let mut pass = Pass::new(self.view, self.room);
        let mut row = self.rows.start;
        while row < self.rows.end {
            let lanes = (self.rows.end - row).min(LANES);
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
