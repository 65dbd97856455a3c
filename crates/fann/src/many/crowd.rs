//! The numbers of a group of networks, lane beside lane: taken out of the networks before the first epoch, and given
//! back to each when it is done.

use super::epoch::Epoch;
use crate::data::Samples;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::{Algorithm, StopFunction};
use crate::real::{LANES, Real, aligned};
use crate::training::{State, Tally, first_step, grow};
use crate::vectors::Lanes;
use whimbrel_kernels::simd::run;

/// Errors of all lanes.
pub(super) struct Errors<const W: usize> {
    pub squares: [f32; W],
    /// Failed bits, fewer than [`COUNTABLE`].
    pub failed: [f32; W],
    pub count: u32,
}

/// Up to here a float counts.
pub(super) const COUNTABLE: usize = 1 << f32::MANTISSA_DIGITS;

impl<const W: usize> Errors<W> {
    pub const NONE: Errors<W> = Errors { squares: [0.0; W], failed: [0.0; W], count: 0 };

    pub fn lane(&self, lane: usize) -> Tally {
        let (squares, bit_fail) = (self.squares[lane], self.failed[lane] as u32);
        Tally { squares, bit_fail, count: self.count }
    }
}

/// The numbers of up to `W` networks, with room for `R` samples on their way.
pub(super) struct Crowd<T, const W: usize, const R: usize> {
    room: Vec<T>,
    connections: usize,
    neurons: usize,
    /// The first of the samples whose inputs are in place.
    loaded: Option<usize>,
    /// Those of the last epoch.
    pub errors: Errors<W>,
    /// The error at which each lane is done: none is so small where a lane is empty or has been given back.
    goals: [f32; W],
}

/// The parts of a crowd's room, of which each connection or neuron has `W` lanes.
pub(super) struct Parts<'a, T, const W: usize, const R: usize> {
    pub weights: &'a mut [[T; W]],
    pub slopes: &'a mut [[T; W]],
    pub prev_steps: &'a mut [[T; W]],
    pub prev_slopes: &'a mut [[T; W]],
    pub values: &'a mut [Lanes<T, W, R>],
    pub sums: &'a mut [Lanes<T, W, R>],
    pub errors: &'a mut [Lanes<T, W, R>],
}

impl<T: Real, const W: usize, const R: usize> Crowd<T, W, R> {
    pub fn of(group: &[(usize, &mut Network<T>)], desired: f32) -> Result<Crowd<T, W, R>> {
        let (connections, neurons) = (group[0].1.layout.connections, group[0].1.layout.neurons);
        let len = (4 * connections + 3 * R * neurons).checked_mul(W);
        let len = len.and_then(|n| n.checked_add(LANES));
        let mut room = Vec::new();
        grow(&mut room, len.ok_or(Error::CantAllocateMem)?, T::ZERO)?;
        let mut goals = [f32::NEG_INFINITY; W];
        goals[..group.len()].fill(match group[0].1.training.train_stop_function {
            StopFunction::Mse => desired,
            StopFunction::Bit => desired as u32 as f32,
        });
        let (loaded, errors) = (None, Errors::NONE);
        let mut crowd = Crowd { room, connections, neurons, loaded, errors, goals };
        let parts = crowd.parts();
        parts.values.fill([[T::ONE; W]; R]);
        parts.prev_steps.fill([first_step(&group[0].1.training); W]);
        for (lane, (_, network)) in group.iter().enumerate() {
            let state = &network.state;
            for (part, numbers) in [
                (&mut *parts.weights, network.weights()),
                (&mut *parts.prev_steps, &state.prev_steps),
                (&mut *parts.prev_slopes, &state.prev_slopes),
            ] {
                for (lanes, number) in part.iter_mut().zip(numbers) {
                    lanes[lane] = *number;
                }
            }
        }
        Ok(crowd)
    }

    fn parts(&mut self) -> Parts<'_, T, W, R> {
        let (all, _) = aligned(&mut self.room).as_chunks_mut::<W>();
        let (weights, all) = all.split_at_mut(self.connections);
        let (slopes, all) = all.split_at_mut(self.connections);
        let (prev_steps, all) = all.split_at_mut(self.connections);
        let (prev_slopes, all) = all.split_at_mut(self.connections);
        let (all, _) = all.as_chunks_mut::<R>();
        let (values, all) = all.split_at_mut(self.neurons);
        let (sums, errors) = all.split_at_mut(self.neurons);
        Parts { weights, slopes, prev_steps, prev_slopes, values, sums, errors }
    }

    /// Trains all lanes on all samples once, with the settings of a network; says whether any reached its goal.
    pub fn epoch(&mut self, network: &Network<T>, samples: Samples<'_, T>) -> bool {
        let mut errors = Errors::NONE;
        let (loaded, counted, goals) = (&mut self.loaded.take(), &mut errors, self.goals);
        let parts = self.parts();
        let reached = run(&mut Epoch { parts, loaded, counted, network, samples, goals });
        (self.loaded, self.errors) = (*loaded, errors);
        reached
    }

    /// Takes a lane's numbers back into its network.
    ///
    /// # Errors
    /// There is no memory for what training remembers.
    pub fn give_back(&mut self, lane: usize, network: &mut Network<T>) -> Result<()> {
        let connections = self.connections;
        self.goals[lane] = f32::NEG_INFINITY;
        let parts = self.parts();
        for (weight, lanes) in network.weights_mut().iter_mut().zip(&*parts.weights) {
            *weight = lanes[lane];
        }
        if !matches!(network.training.training_algorithm, Algorithm::Incremental | Algorithm::Batch)
        {
            network.state.need_steps(connections, &network.training)?;
            let State { slopes, prev_steps, prev_slopes, .. } = &mut network.state;
            // An epoch leaves no slopes behind.
            slopes.fill(T::ZERO);
            for (numbers, part) in
                [(prev_steps, parts.prev_steps), (prev_slopes, parts.prev_slopes)]
            {
                for (number, lanes) in numbers.iter_mut().zip(part) {
                    *number = lanes[lane];
                }
            }
        }
        Ok(())
    }
}
