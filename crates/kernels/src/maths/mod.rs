//! Vector mathematics: one file per family, each function generic over [`Simd`].
//!
//! Every function is total: infinities, NaN, zeros of both signs, denormals and overflow give
//! what the mathematical function gives, and NaN stays NaN. Accuracy is promised in units in the
//! last place (ULP) of the exact result by a named constant beside the function. The tests hold
//! every instruction set to it, the exhaustive ones over all of f32.
//!
//! Range reductions never lean on a fused multiply-add for exactness, because the portable lanes
//! round twice: constants are cut so short that the products are exact either way.
//!
//! Start reading at [`exp`], on which most of the others stand.

mod erf;
mod exp;
mod gelu;
mod log;
mod logistic;
mod pow;
mod tanh;
mod trig;

pub use erf::{ERF_MAX_ULP, erf};
pub use exp::{EXP_MAX_ULP, EXPM1_MAX_ULP, exp, expm1};
pub use gelu::{
    GELU_MAX_ULP, GELU_SLOPE_MAX_ERROR, GELU_TANH_MAX_ERROR, gelu, gelu_slope, gelu_tanh,
    gelu_tanh_slope,
};
pub use log::{LOG_MAX_ULP, LOG1P_MAX_ULP, log, log1p};
pub use logistic::{SIGMOID_MAX_ULP, SILU_MAX_ULP, SOFTPLUS_MAX_ULP, sigmoid, silu, softplus};
pub use pow::{POW_MAX_ULP, pow};
pub use tanh::{TANH_MAX_ULP, tanh};
pub(crate) use trig::sin_cos_of_turns;
pub use trig::{SIN_COS_MAX_ULP, cos, sin};

use crate::simd::Simd;

/// `1 / sqrt(x)` with two correctly rounded operations: within 1 ULP and a bit.
#[inline(always)]
pub fn rsqrt<S: Simd>(s: S, x: S::F) -> S::F {
    s.div(s.splat(1.0), s.sqrt(x))
}

/// `max(a, b)`, NaN when either is NaN.
#[inline(always)]
pub fn max<S: Simd>(s: S, a: S::F, b: S::F) -> S::F {
    s.select(s.is_nan(a), a, s.max(a, b))
}

/// `min(a, b)`, NaN when either is NaN.
#[inline(always)]
pub fn min<S: Simd>(s: S, a: S::F, b: S::F) -> S::F {
    s.select(s.is_nan(a), a, s.min(a, b))
}

/// `max(x, 0)`, NaN for NaN.
#[inline(always)]
pub fn relu<S: Simd>(s: S, x: S::F) -> S::F {
    s.max(s.splat(0.0), x)
}

/// -1, 0 or 1; zeros keep their sign, NaN stays NaN.
#[inline(always)]
pub fn sign<S: Simd>(s: S, x: S::F) -> S::F {
    let zero = s.splat(0.0);
    let one = copy_sign(s, s.splat(1.0), x);
    s.select(s.or(s.lt(x, zero), s.lt(zero, x)), one, x)
}

/// The polynomial with these coefficients, lowest power first, by Horner's rule.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, x: S::F, coefficients: [f32; N]) -> S::F {
    let mut sum = s.splat(coefficients[N - 1]);
    for c in coefficients.into_iter().rev().skip(1) {
        sum = s.fma(sum, x, s.splat(c));
    }
    sum
}

/// The magnitude of `x` with the sign of `sign`.
#[inline(always)]
fn copy_sign<S: Simd>(s: S, x: S::F, sign: S::F) -> S::F {
    let sign = s.and_i(s.bits(sign), s.splat_i(i32::MIN));
    s.with_bits(s.or_i(s.bits(s.abs(x)), sign))
}

/// `2^n` for integer lanes in -127..=127; -127 gives 0.
#[inline(always)]
fn power_of_two<S: Simd>(s: S, n: S::I) -> S::F {
    s.with_bits(s.shl::<23>(s.add_i(n, s.splat_i(127))))
}

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
pub(crate) mod reference;
#[cfg(test)]
mod tests;
