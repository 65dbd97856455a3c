//! RPROP, in the form iRPROP-: a weight has a step of its own, which grows while its slope keeps its sign.
//!
//! Where the sign turns, the slope counts as 0 for this step and the next; FANN then still adds the shrunken step.

use crate::parameters::TrainParameters;
use crate::real::Real;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// The magnitude weights are held to.
pub(super) const MOST: f32 = 1500.0;
/// The smallest last step, or training would stand still.
const LEAST: f64 = 0.0001;

/// Numbers of some weights, as many of each.
#[derive(Debug)]
pub struct Weights<'a, T> {
    /// The weights.
    pub weights: &'a mut [T],
    /// Their slopes.
    pub slopes: &'a mut [T],
    /// Their last steps.
    pub prev_steps: &'a mut [T],
    /// Their last slopes.
    pub prev_slopes: &'a mut [T],
}

/// Takes a step, and sets the slopes to 0.
pub fn step<T: Real>(training: &TrainParameters<T>, weights: Weights<'_, T>) {
    run(Step { training, weights });
}

struct Step<'a, T> {
    training: &'a TrainParameters<T>,
    weights: Weights<'a, T>,
}

impl<T: Real> Kernel for Step<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let increase = T::of_f32(self.training.rprop_increase_factor);
        let decrease = T::of_f32(self.training.rprop_decrease_factor);
        let min = T::of_f32(self.training.rprop_delta_min);
        let max = T::of_f32(self.training.rprop_delta_max);
        let (least, most) = (T::of(LEAST), T::of_f32(MOST));
        let Weights { weights, slopes, prev_steps, prev_slopes } = self.weights;
        let numbers = weights.iter_mut().zip(slopes).zip(prev_steps.iter_mut().zip(prev_slopes));
        for ((weight, slope), (prev_step, prev_slope)) in numbers {
            let last = if *prev_step > least { *prev_step } else { least };
            let keeps = *prev_slope * *slope >= T::ZERO;
            let (grown, shrunk) = (last * increase, last * decrease);
            let grown = if grown < max { grown } else { max };
            let shrunk = if shrunk > min { shrunk } else { min };
            let next = if keeps { grown } else { shrunk };
            let kept = if keeps { *slope } else { T::ZERO };
            let (down, up) = (*weight - next, *weight + next);
            let down = if down < -most { -most } else { down };
            let up = if up > most { most } else { up };
            *weight = if kept < T::ZERO { down } else { up };
            *prev_step = next;
            *prev_slope = kept;
            *slope = T::ZERO;
        }
    }
}
