//! The error at the outputs: the difference to what is desired, halved for symmetric functions, and what it is worth.

use crate::activation::{self, Activation};
use crate::parameters::ErrorFunction;
use crate::real::{Block, LANES, Real};
use whimbrel_kernels::simd::Simd;

/// The largest magnitude a difference may have before the logarithm is given up.
const NEAR_ONE: f64 = 0.999_999_9;
/// What such a difference is worth.
const WORTH_OF_ONE: f32 = 17.0;

/// Differences between what is desired and what is, as they count.
#[inline(always)]
pub(crate) fn differences<T: Real>(
    function: Activation,
    desired: &Block<T>,
    values: &Block<T>,
) -> Block<T> {
    let scale = T::of_f32(if function.is_symmetric() { 0.5 } else { 1.0 });
    std::array::from_fn(|i| (desired[i] - values[i]) * scale)
}

/// What differences are worth to training.
#[inline(always)]
pub(crate) fn worth<T: Real, S: Simd>(s: S, function: ErrorFunction, x: &mut Block<T>) {
    if function == ErrorFunction::Linear {
        return;
    }
    let mut ratio: Block<T> = std::array::from_fn(|i| (T::ONE + x[i]) / (T::ONE - x[i]));
    T::ln(s, &mut ratio);
    let (near, most) = (T::of(NEAR_ONE), T::of_f32(WORTH_OF_ONE));
    for (x, ratio) in x.iter_mut().zip(ratio) {
        let worth = if *x < -near { -most } else { ratio };
        *x = if *x > near { most } else { worth };
    }
}

/// The errors of outputs: what the differences are worth, times the slope of the function.
#[inline(always)]
pub(crate) fn errors<T: Real, S: Simd>(
    s: S,
    error_function: ErrorFunction,
    (function, steepness): (Activation, T),
    (values, sums): (&Block<T>, &Block<T>),
    differences: &Block<T>,
) -> Block<T> {
    let mut worth_of = *differences;
    worth(s, error_function, &mut worth_of);
    let slopes = activation::slopes(s, function, steepness, values, sums);
    std::array::from_fn::<T, LANES, _>(|i| slopes[i] * worth_of[i])
}
