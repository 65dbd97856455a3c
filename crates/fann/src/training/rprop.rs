//! RPROP, in the form iRPROP-: a weight has a step of its own, which grows while its slope keeps its sign.
//!
//! Where the sign turns, the slope counts as 0 for this step and the next; FANN then still adds the shrunken step.

use super::follow::{Numbers, Rule, Weights};
use crate::parameters::TrainParameters;
use crate::real::Real;

/// The magnitude weights are held to.
pub(super) const MOST: f32 = 1500.0;
/// The smallest last step, or training would stand still.
const LEAST: f64 = 0.0001;

/// Takes a step, and sets the slopes to 0.
pub fn step<T: Real>(training: &TrainParameters<T>, weights: Weights<'_, T>) {
    weights.follow(Rprop::new(training));
}

pub(super) struct Rprop<T> {
    increase: T,
    decrease: T,
    min: T,
    max: T,
}

impl<T: Real> Rprop<T> {
    #[inline(always)]
    pub fn new(training: &TrainParameters<T>) -> Rprop<T> {
        Rprop {
            increase: T::of_f32(training.rprop_increase_factor),
            decrease: T::of_f32(training.rprop_decrease_factor),
            min: T::of_f32(training.rprop_delta_min),
            max: T::of_f32(training.rprop_delta_max),
        }
    }
}

impl<T: Real> Rule<T> for Rprop<T> {
    #[inline(always)]
    fn follow(&self, numbers: Numbers<T>) -> (T, T, T) {
        let Numbers { weight, slope, prev_step, prev_slope } = numbers;
        let (least, most) = (T::of(LEAST), T::of_f32(MOST));
        let last = if prev_step > least { prev_step } else { least };
        let keeps = prev_slope * slope >= T::ZERO;
        let next = last * if keeps { self.increase } else { self.decrease };
        let grown = if next < self.max { next } else { self.max };
        let shrunk = if next > self.min { next } else { self.min };
        let next = if keeps { grown } else { shrunk };
        let kept = if keeps { slope } else { T::ZERO };
        let (down, up) = (weight - next, weight + next);
        let down = if down < -most { -most } else { down };
        let up = if up > most { most } else { up };
        (if kept < T::ZERO { down } else { up }, next, kept)
    }
}
