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
    run(Step { rate: rate(training, samples), weights, slopes });
}

/// By what the sum of slopes, which is 0 without samples, counts.
#[inline(always)]
pub(super) fn rate<T: Real>(training: &TrainParameters<T>, samples: usize) -> T {
    T::of_f32(training.learning_rate / samples.max(1) as f32)
}

/// [`step`] within a kernel.
#[inline(always)]
pub(super) fn follow<T: Real>(rate: T, weights: &mut [T], slopes: &mut [T]) {
    let n = weights.len().min(slopes.len());
    let (weights, slopes) = (&mut weights[..n], &mut slopes[..n]);
    for i in 0..n {
        weights[i] += slopes[i] * rate;
        slopes[i] = T::ZERO;
    }
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
        follow(self.rate, self.weights, self.slopes);
    }
}
