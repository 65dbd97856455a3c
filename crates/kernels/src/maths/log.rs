//! Logarithms: `log(x) = e ln 2 + log(1 + f)` with `x = 2^e (1 + f)` and
//! `sqrt(1/2) <= 1 + f < sqrt(2)`.

use super::exp::{LN2_HI, LN2_LO};
use super::{polynomial, power_of_two};
use crate::simd::Simd;

/// Largest error of [`log`] over all of f32.
pub const LOG_MAX_ULP: f64 = 1.0;
/// Largest error of [`log1p`] over all of f32.
pub const LOG1P_MAX_ULP: f64 = 1.5;

/// The bits of sqrt(1/2): subtracting them from the bits of x leaves e in the exponent field.
const SQRT_HALF_BITS: i32 = 0x3f35_04f3;

/// `q` in `log(1 + f) = f - f^2 / 2 + f^3 q(f)` over `sqrt(1/2) - 1 <= f <= sqrt(2) - 1`.
///
/// Minimax in the error relative to log(1 + f): 0.13 * 2^-24.
const Q: [f32; 8] = [
    0.333_333_3,
    -0.250_008_23,
    0.200_012_24,
    -0.166_233_45,
    0.142_018_15,
    -0.131_603_8,
    0.127_612_25,
    -0.076_334_52,
];

/// `x = 2^e m`, `sqrt(1/2) <= m < sqrt(2)`, for positive normal `x`.
#[inline(always)]
pub(super) fn split<S: Simd>(s: S, x: S::F) -> (S::I, S::F) {
    let bits = s.bits(x);
    let e = s.shr::<23>(s.sub_i(bits, s.splat_i(SQRT_HALF_BITS)));
    (e, s.with_bits(s.sub_i(bits, s.shl::<23>(e))))
}

/// `e ln 2 + log(1 + f)`, smallest terms first; `e * LN2_HI` is exact.
#[inline(always)]
fn join<S: Simd>(s: S, e: S::F, f: S::F) -> S::F {
    let square = s.mul(f, f);
    let tail = s.mul(s.mul(f, square), polynomial(s, f, Q));
    let tail = s.fma(e, s.splat(LN2_LO), tail);
    let tail = s.fnma(s.splat(0.5), square, tail);
    s.fma(e, s.splat(LN2_HI), s.add(f, tail))
}

/// -inf at 0, inf at inf, NaN below 0, `value` elsewhere, by the argument of the logarithm.
#[inline(always)]
fn at_the_edges<S: Simd>(s: S, x: S::F, value: S::F) -> S::F {
    let zero = s.splat(0.0);
    let infinity = s.splat(f32::INFINITY);
    let value = s.select(s.eq(x, infinity), infinity, value);
    let value = s.select(s.eq(x, zero), s.splat(f32::NEG_INFINITY), value);
    s.select(s.le(zero, x), value, s.splat(f32::NAN))
}

/// The natural logarithm, within [`LOG_MAX_ULP`].
#[inline(always)]
pub fn log<S: Simd>(s: S, x: S::F) -> S::F {
    let denormal = s.lt(x, s.splat(f32::MIN_POSITIVE));
    let normal = s.select(denormal, s.mul(x, s.splat(8_388_608.0)), x);
    let (e, m) = split(s, normal);
    let e = s.to_float(e);
    let e = s.select(denormal, s.sub(e, s.splat(23.0)), e);
    at_the_edges(s, x, join(s, e, s.sub(m, s.splat(1.0))))
}

/// `log(1 + x)` without cancellation near 0, within [`LOG1P_MAX_ULP`].
///
/// `u = 1 + x` is rounded; what the rounding lost, `c`, is put back into `f` at its scale.
/// Where `e = 0` nothing needs to be split off: `f` is `x` itself.
#[inline(always)]
pub fn log1p<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let u = s.add(one, x);
    let (e, m) = split(s, u);
    let lost = s.select(s.lt(x, one), s.sub(x, s.sub(u, one)), s.sub(one, s.sub(u, x)));
    let e = s.to_float(e);
    // From 2^26 on nothing of `lost` is left in `f`, and 2^-128 would not be representable.
    let scale = power_of_two(s, s.to_int(s.neg(s.min(e, s.splat(64.0)))));
    let f = s.fma(lost, scale, s.sub(m, one));
    let f = s.select(s.eq(e, s.splat(0.0)), x, f);
    at_the_edges(s, u, join(s, e, f))
}
