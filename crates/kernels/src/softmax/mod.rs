//! Softmax and log-softmax along the middle axis of `[outer, n, inner]`, and the cross entropy.
//!
//! Sums follow the canonical order of [`reduce`](crate::reduce), so a lane's result does not
//! depend on how many lanes there are. A row whose elements are all -inf, as a fully masked one,
//! gives zeros (log-softmax: -inf).

mod cross_entropy;
mod log;
mod plain;

pub use cross_entropy::{
    cross_entropy, cross_entropy_grad, cross_entropy_grad_on, cross_entropy_on,
};
pub use log::{log_softmax, log_softmax_grad, log_softmax_grad_on, log_softmax_on};
pub use plain::{softmax, softmax_grad, softmax_grad_on, softmax_on};

use crate::maths;
use crate::reduce::Larger;
use crate::reduce::order::{Add, Each, Term, Walk, fold};
use crate::simd::Simd;
use crate::sizes::elements;

fn check(name: &str, sizes: [usize; 3], lengths: &[usize]) {
    let len = elements(sizes);
    assert!(lengths.iter().all(|l| *l == len), "{name}: a slice is not {sizes:?}");
}

/// The sum of `exp(x)` along a walk as `exp(shift) * sum`.
struct Total<F> {
    /// The largest element; 0 where that is -inf, so that `exp(x - shift)` is 0 and not NaN.
    shift: F,
    sum: F,
}

/// The largest element of a walk, made safe to subtract.
///
/// # Safety
/// `x` is laid out as the walk says.
#[inline(always)]
unsafe fn shift<S: Simd, W: Walk<S>>(s: S, walk: W, x: *const f32) -> S::F {
    // SAFETY: promised by the caller.
    let largest = unsafe { fold(s, walk, Each(x), Larger) };
    s.select(s.eq(largest, s.splat(f32::NEG_INFINITY)), s.splat(0.0), largest)
}

/// # Safety
/// `x` is laid out as the walk says.
#[inline(always)]
unsafe fn total<S: Simd, W: Walk<S>>(s: S, walk: W, x: *const f32) -> Total<S::F> {
    // SAFETY: promised by the caller.
    unsafe {
        let shift = shift(s, walk, x);
        Total { shift, sum: fold(s, walk, Exponentials { x, shift }, Add) }
    }
}

/// `exp(x - shift)`.
struct Exponentials<F> {
    x: *const f32,
    shift: F,
}

impl<S: Simd, W: Walk<S>> Term<S, W> for Exponentials<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for the step.
        maths::exp(s, s.sub(unsafe { walk.load(s, self.x, step, lanes) }, self.shift))
    }
}

#[cfg(test)]
mod tests;
