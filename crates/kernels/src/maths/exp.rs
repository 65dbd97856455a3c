//! The exponential: `exp(x) = 2^n * exp(r)` with `n = round(x / ln 2)` and `|r| <= ln 2 / 2`.

use super::{polynomial, power_of_two};
use crate::simd::Simd;

/// Largest error of [`exp`] over all of f32.
pub const EXP_MAX_ULP: f64 = 1.1;
/// Largest error of [`expm1`] over all of f32.
pub const EXPM1_MAX_ULP: f64 = 2.0;

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// The leading 15 bits of ln 2: `n * LN2_HI` is exact for |n| < 512.
pub(super) const LN2_HI: f32 = 0.693_145_75;
/// ln 2 - LN2_HI.
pub(super) const LN2_LO: f32 = 1.428_606_8e-6;

/// Below, exp rounds to 0: half the smallest denormal is exp(-103.97).
const LOWEST: f32 = -104.0;
/// Below, exp times anything up to 115 rounds to 0.
const LOWEST_UNSCALED: f32 = -115.0;
/// Above, exp rounds to infinity: the largest finite f32 is exp(88.72).
const HIGHEST: f32 = 89.0;

/// `q` in `exp(r) = 1 + r + r^2 q(r)` for `|r| <= ln 2 / 2`.
///
/// Minimax in the error of `r + r^2 q(r)` relative to `expm1(r)`, so that [`expm1`] and the
/// hyperbolic tangent share it; `q(0) = 1/2` is held. Error 0.26 * 2^-24 relative to expm1(r),
/// hence 0.11 * 2^-24 relative to exp(r).
const Q: [f32; 5] = [0.5, 0.166_665_32, 0.041_666_158, 0.008_368_134, 0.001_397_602_6];

/// `exp(r) - 1` for `|r| <= ln 2 / 2`.
#[inline(always)]
pub(super) fn expm1_reduced<S: Simd>(s: S, r: S::F) -> S::F {
    s.fma(s.mul(r, r), polynomial(s, r, Q), r)
}

/// `x = n ln 2 + r` with `n` the nearest integer and `|r| <= ln 2 / 2`, for |x| < 512 ln 2.
#[derive(Clone, Copy)]
pub(super) struct Reduced<I, F> {
    pub n: F,
    /// `n` in the low bits, below those of [`ROUNDER`].
    rounded: I,
    pub r: F,
}

/// 1.5 * 2^23: what is added to it is rounded to an integer, which then stands in its low bits.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub(super) fn reduce<S: Simd>(s: S, x: S::F) -> Reduced<S::I, S::F> {
    let rounded = s.fma(x, s.splat(LOG2_E), s.splat(ROUNDER));
    let n = s.sub(rounded, s.splat(ROUNDER));
    let r = s.fnma(n, s.splat(LN2_LO), s.fnma(n, s.splat(LN2_HI), x));
    Reduced { n, rounded: s.bits(rounded), r }
}

impl<I: Copy, F: Copy> Reduced<I, F> {
    /// `2^n` for n in -126..=127: the shift leaves nothing of the rounder.
    #[inline(always)]
    pub fn power<S: Simd<I = I, F = F>>(self, s: S) -> F {
        power_of_two(s, self.rounded)
    }

    /// `2^(n - 1)`.
    #[inline(always)]
    fn half_power<S: Simd<I = I, F = F>>(self, s: S) -> F {
        power_of_two(s, s.sub_i(self.rounded, s.splat_i(1)))
    }
}

/// An exponential whose scaling is still to come: `exp = value * 2^n`.
///
/// `value` is about 1, so factors multiplied onto it before the scaling cost no accuracy where the
/// product is denormal.
#[derive(Clone, Copy)]
pub(super) struct Unscaled<F> {
    pub value: F,
    pub n: F,
}

/// `x` within what [`exp_unscaled`] takes: beyond, the exponential times anything up to 115 rounds to
/// 0 or infinity all the same. NaN stays NaN.
#[inline(always)]
pub(super) fn within_range<S: Simd>(s: S, x: S::F) -> S::F {
    s.max(s.splat(LOWEST_UNSCALED), s.min(s.splat(HIGHEST), x))
}

/// `exp(hi + lo)` for `hi` in -115..=89 or NaN and `|lo|` up to 0.1, to be scaled.
#[inline(always)]
pub(super) fn exp_unscaled<S: Simd>(s: S, hi: S::F, lo: S::F) -> Unscaled<S::F> {
    let reduced = reduce(s, hi);
    let value = s.add(s.splat(1.0), expm1_reduced(s, s.add(reduced.r, lo)));
    Unscaled { value, n: reduced.n }
}

/// `e^x`, within [`EXP_MAX_ULP`].
#[inline(always)]
pub fn exp<S: Simd>(s: S, x: S::F) -> S::F {
    exp_below(s, s.min(s.splat(HIGHEST), x))
}

/// `e^x` for x up to [`HIGHEST`] or NaN, within [`EXP_MAX_ULP`].
#[inline(always)]
pub(super) fn exp_below<S: Simd>(s: S, x: S::F) -> S::F {
    let reduced = reduce(s, s.max(s.splat(LOWEST), x));
    let value = s.add(s.splat(1.0), expm1_reduced(s, reduced.r));
    s.scale(value, reduced.n)
}

/// `e^x - 1` without cancellation near 0, within [`EXPM1_MAX_ULP`].
///
/// `2^n (1 + p) - 1 = 2^n p + (2^n - 1)`; for n = 0 that is `p` itself.
#[inline(always)]
pub fn expm1<S: Simd>(s: S, x: S::F) -> S::F {
    // Below -18 the result rounds to -1.
    let x = s.max(s.splat(-18.0), s.min(s.splat(HIGHEST), x));
    let reduced = reduce(s, x);
    let p = expm1_reduced(s, reduced.r);
    // Halves keep 2^128 representable; the doubling overflows when the result does.
    let half = reduced.half_power(s);
    let sum = s.fma(half, p, s.sub(half, s.splat(0.5)));
    s.add(sum, sum)
}
