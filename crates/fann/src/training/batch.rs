//! Batch training: weights follow the mean slope.

use crate::parameters::TrainParameters;
use crate::real::Real;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// Takes a step, and sets the slopes to 0.
pub fn step<T: Real>(
    training: &TrainParameters<T>,
    samples: usize,
    weights: &mut [T],
    slopes: &mut [T],
) {
    let rate = T::of_f32(training.learning_rate / samples as f32);
    run(Step { rate, weights, slopes });
}

struct Step<'a, T> {
    rate: T,
    weights: &'a mut [T],
    slopes: &'a mut [T],
}

impl<T: Real> Kernel for Step<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (weight, slope) in self.weights.iter_mut().zip(self.slopes) {
            *weight += *slope * self.rate;
            *slope = T::ZERO;
        }
    }
}
