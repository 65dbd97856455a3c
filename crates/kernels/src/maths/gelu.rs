//! Gelu, in its exact form `x Phi(x)` and in the form with tanh, and their slopes.
//!
//! `Phi(x) = (1 + erf(x / sqrt 2)) / 2` cancels for negative x. Instead everything is built on
//! `Phi(-a) = exp(-a^2 / 2) g(a)`, `a = |x|`, which is accurate far into the tail.

use super::erf::{SCALE, scaled_tail};
use super::exp::{Unscaled, exp_unscaled};
use crate::simd::Simd;

/// Largest error of [`gelu`] over all of f32.
pub const GELU_MAX_ULP: f64 = 6.0;
/// Largest error of [`gelu_slope`] and [`gelu_tanh_slope`] over all of f32: absolute, for the
/// slopes cross 0 and stay within -0.13 and 1.13.
pub const GELU_SLOPE_MAX_ERROR: f64 = 4e-7;
/// Largest error of [`gelu_tanh`] over all of f32, relative to `max(|result|, 0.17)`; 0.17 is the
/// depth of its dip, so left of 0 this is an absolute error.
pub const GELU_TANH_MAX_ERROR: f64 = 3.5e-7;

/// Where gelu has rounded to -0 and x - gelu(x) to 0.
const FAR: f32 = 14.4;
const SQRT_HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// `1 / sqrt(2 pi)`.
const DENSITY: f32 = 0.398_942_3;

/// `(exp(-a^2 / 2), g(a))` with `Phi(-a) = exp(-a^2 / 2) g(a)`, for a in 0..=FAR.
///
/// `a^2` reaches 207, where one ULP of it would cost 8 of the exponential. So `a = h + l` with 12
/// bits in `h`: `h^2` is exact and `a^2 = h^2 + l (a + h)`.
#[inline(always)]
fn normal_tail<S: Simd>(s: S, a: S::F) -> (Unscaled<S::F>, S::F) {
    let half = s.splat(0.5);
    let high = s.with_bits(s.and_i(s.bits(a), s.splat_i(!0xfff)));
    let low = s.sub(a, high);
    let minus_half_high = s.mul(s.splat(-0.5), high);
    let hi = s.mul(minus_half_high, high);
    let lo = s.mul(s.fnma(half, a, minus_half_high), low);
    let density = exp_unscaled(s, hi, lo);
    let tail = s.mul(half, scaled_tail(s, s.mul(s.splat(SCALE * SQRT_HALF), a)));
    (density, tail)
}

/// `x Phi(x)`, Phi the distribution function of the normal; within [`GELU_MAX_ULP`].
#[inline(always)]
pub fn gelu<S: Simd>(s: S, x: S::F) -> S::F {
    let a = s.min(s.splat(FAR), s.abs(x));
    let (exp, g) = normal_tail(s, a);
    let below = s.scale(s.mul(a, s.mul(g, exp.value)), exp.n);
    s.sub(s.max(s.splat(0.0), x), below)
}

/// The slope of [`gelu`]: `Phi(x) + x phi(x)`, within [`GELU_SLOPE_MAX_ERROR`].
#[inline(always)]
pub fn gelu_slope<S: Simd>(s: S, x: S::F) -> S::F {
    let a = s.min(s.splat(FAR), s.abs(x));
    let (exp, g) = normal_tail(s, a);
    let below = s.scale(s.mul(s.fnma(s.splat(DENSITY), a, g), exp.value), exp.n);
    s.select(s.lt(x, s.splat(0.0)), below, s.sub(s.splat(1.0), below))
}

/// `sqrt(8 / pi)`: twice the inner factor of the form with tanh.
const INNER: f32 = 1.595_769;
/// `0.044715 sqrt(8 / pi)`.
const INNER_CUBED: f32 = 0.071_354_82;
/// Where the form with tanh has rounded to -0.
const FAR_TANH: f32 = 10.8;

/// `x (1 + tanh(u)) / 2` with `u = sqrt(2 / pi) (x + 0.044715 x^3)`; within
/// [`GELU_TANH_MAX_ERROR`]; -0 at -inf.
///
/// `(1 + tanh(u)) / 2` is the logistic function of `2u`.
#[inline(always)]
pub fn gelu_tanh<S: Simd>(s: S, x: S::F) -> S::F {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let a = s.min(s.splat(FAR_TANH), s.abs(x));
    let (exp, t) = tanh_tail(s, a);
    let negative = s.lt(x, zero);
    let top = s.select(negative, s.neg(s.mul(a, exp.value)), x);
    s.scale(s.div(top, s.add(one, t)), s.select(negative, exp.n, zero))
}

/// The slope of [`gelu_tanh`], within [`GELU_SLOPE_MAX_ERROR`].
///
/// With `p` the logistic function of `2u`: `p + x p (1 - p) 2u'`, where for x < 0
/// `p = t / (1 + t)` and for x >= 0 `p = 1 / (1 + t)`.
#[inline(always)]
pub fn gelu_tanh_slope<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let a = s.min(s.splat(FAR_TANH), s.abs(x));
    let (_, t) = tanh_tail(s, a);
    let p = s.div(t, s.add(one, t));
    let inner = s.fma(s.mul(s.splat(3.0 * INNER_CUBED), a), a, s.splat(INNER));
    let below = s.fnma(s.mul(a, inner), s.mul(p, s.sub(one, p)), p);
    s.select(s.lt(x, s.splat(0.0)), below, s.sub(one, below))
}

/// `t = exp(-2u)` for `a >= 0`, unscaled and scaled.
#[inline(always)]
fn tanh_tail<S: Simd>(s: S, a: S::F) -> (Unscaled<S::F>, S::F) {
    let double_u = s.mul(a, s.fma(s.mul(s.splat(INNER_CUBED), a), a, s.splat(INNER)));
    let exp = exp_unscaled(s, s.neg(double_u), s.splat(0.0));
    (exp, s.scale(exp.value, exp.n))
}
