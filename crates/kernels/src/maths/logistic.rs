//! The logistic function and those made of it: sigmoid, silu, softplus.
//!
//! All of them take the exponential of `-|x|`, which cannot overflow.

use super::exp::{exp_below, exp_unscaled, within_range};
use super::log::log1p;
use crate::simd::Simd;

/// Largest error of [`sigmoid`] over all of f32.
pub const SIGMOID_MAX_ULP: f64 = 2.5;
/// Largest error of [`silu`] over all of f32.
pub const SILU_MAX_ULP: f64 = 3.5;
/// Largest error of [`softplus`] over all of f32.
pub const SOFTPLUS_MAX_ULP: f64 = 2.5;

/// `1 / (1 + exp(-x))`, within [`SIGMOID_MAX_ULP`], down to the denormals.
///
/// For x < 0 it is `t / (1 + t)`, for x >= 0 `1 / (1 + t)`, with `t = exp(-|x|)`.
#[inline(always)]
pub fn sigmoid<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let t = exp_below(s, s.neg(s.abs(x)));
    let top = s.select(s.lt(x, s.splat(0.0)), t, one);
    s.div(top, s.add(one, t))
}

/// `x sigmoid(x)`, within [`SILU_MAX_ULP`]; -0 at -inf.
#[inline(always)]
pub fn silu<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let zero = s.splat(0.0);
    // Below -115 the product has rounded to -0, and 0 * -inf would be NaN.
    let x = s.max(s.splat(-115.0), x);
    let t = exp_unscaled(s, within_range(s, s.neg(s.abs(x))), zero);
    let negative = s.lt(x, zero);
    let top = s.mul(x, s.select(negative, t.value, one));
    let quotient = s.div(top, s.add(one, s.scale(t.value, t.n)));
    s.scale(quotient, s.select(negative, t.n, zero))
}

/// `log(1 + exp(x))`, within [`SOFTPLUS_MAX_ULP`]: `max(x, 0) + log1p(exp(-|x|))`.
#[inline(always)]
pub fn softplus<S: Simd>(s: S, x: S::F) -> S::F {
    let t = exp_below(s, s.neg(s.abs(x)));
    s.add(s.max(x, s.splat(0.0)), log1p(s, t))
}
