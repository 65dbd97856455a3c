//! What training remembers between epochs. Each part is made when an algorithm first needs it.

use crate::error::{Error, Result};
use crate::parameters::{Algorithm, TrainParameters};
use crate::real::Real;

/// Numbers of training, one for each connection but for `errors`.
#[derive(Clone, Debug, Default)]
pub(crate) struct State<T> {
    /// The error of each neuron, and a block more.
    pub errors: Vec<T>,
    /// The slope of the error, summed over samples.
    pub slopes: Vec<T>,
    /// RPROP, SARPROP, Quickprop: the last step.
    pub prev_steps: Vec<T>,
    /// RPROP, SARPROP, Quickprop: the last slope.
    pub prev_slopes: Vec<T>,
    /// Incremental training with momentum: the last change.
    pub deltas: Vec<T>,
    /// Room of the loops.
    pub scratch: Vec<T>,
}

impl<T: Real> State<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let parts = [&self.errors, &self.slopes, &self.prev_steps, &self.prev_slopes, &self.deltas];
        let numbers: usize = parts.iter().map(|part| part.capacity()).sum();
        (numbers + self.scratch.capacity()) * size_of::<T>()
    }

    /// Starts the memory of steps and slopes anew, if there is any.
    pub fn forget(&mut self, training: &TrainParameters<T>) {
        self.slopes.fill(T::ZERO);
        self.prev_slopes.fill(T::ZERO);
        self.prev_steps.fill(first_step(training));
    }

    /// Starts anew for a network that has grown.
    pub fn restart(&mut self, training: &TrainParameters<T>, connections: usize) -> Result<()> {
        *self = State::default();
        self.need_steps(connections, training)
    }

    /// Makes room for slopes.
    pub fn need_slopes(&mut self, connections: usize) -> Result<()> {
        grow(&mut self.slopes, connections, T::ZERO)
    }

    /// Makes room for slopes, steps and slopes before.
    pub fn need_steps(&mut self, connections: usize, training: &TrainParameters<T>) -> Result<()> {
        self.need_slopes(connections)?;
        grow(&mut self.prev_slopes, connections, T::ZERO)?;
        grow(&mut self.prev_steps, connections, first_step(training))
    }
}

/// The step before the first.
pub(crate) fn first_step<T: Real>(training: &TrainParameters<T>) -> T {
    match training.training_algorithm {
        Algorithm::Rprop => T::of_f32(training.rprop_delta_zero),
        _ => T::ZERO,
    }
}

/// Lengthens a part to `len`, if it is shorter.
#[inline(always)]
pub(crate) fn grow<T: Real>(part: &mut Vec<T>, len: usize, fill: T) -> Result<()> {
    if part.len() < len { lengthen(part, len, fill) } else { Ok(()) }
}

#[cold]
fn lengthen<T: Real>(part: &mut Vec<T>, len: usize, fill: T) -> Result<()> {
    part.try_reserve_exact(len - part.len()).map_err(|_| Error::CantAllocateMem)?;
    part.resize(len, fill);
    Ok(())
}
