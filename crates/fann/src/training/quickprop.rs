//! Quickprop: the error over a weight is taken for a parabola, given by the last two slopes.

use super::rprop::{MOST, Weights};
use crate::parameters::TrainParameters;
use crate::real::Real;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// The step from which the parabola is used.
const STEP: f64 = 0.001;

/// Takes a step, and sets the slopes to 0.
pub fn step<T: Real>(training: &TrainParameters<T>, samples: usize, weights: Weights<'_, T>) {
    run(Step { training, samples, weights });
}

struct Step<'a, T> {
    training: &'a TrainParameters<T>,
    samples: usize,
    weights: Weights<'a, T>,
}

impl<T: Real> Kernel for Step<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let rate = T::of_f32(self.training.learning_rate / self.samples as f32);
        let decay = T::of_f32(self.training.quickprop_decay);
        let mu = T::of_f32(self.training.quickprop_mu);
        let shrink = T::of_f32(
            (f64::from(self.training.quickprop_mu) / (1.0 + f64::from(self.training.quickprop_mu)))
                as f32,
        );
        let (threshold, most) = (T::of(STEP), T::of_f32(MOST));
        let Weights { weights, slopes, prev_steps, prev_slopes } = self.weights;
        let numbers = weights.iter_mut().zip(slopes).zip(prev_steps.iter_mut().zip(prev_slopes));
        for ((weight, slope), (prev_step, prev_slope)) in numbers {
            let now = *slope + decay * *weight;
            let (last, before) = (*prev_step, *prev_slope);
            let (up, down) = (last >= threshold, last <= -threshold);
            let linear = rate * now;
            let parabola = last * now / (before - now);
            let onward = if up { now > T::ZERO } else { now < T::ZERO };
            let steep = if up { now > shrink * before } else { now < shrink * before };
            let curve = if steep { mu * last } else { parabola };
            let moving = curve + if onward { linear } else { T::ZERO };
            let next = if up || down { moving } else { linear };
            let moved = *weight + next;
            let moved = if moved < -most { -most } else { moved };
            *weight = if moved > most { most } else { moved };
            *prev_step = next;
            *prev_slope = now;
            *slope = T::ZERO;
        }
    }
}
