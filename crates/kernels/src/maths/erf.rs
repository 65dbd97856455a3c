//! The error function, and the scaled tail of the normal distribution that gelu shares with it.

use super::exp::exp_below;
use super::{copy_sign, polynomial};
use crate::simd::Simd;

/// Largest error of [`erf`] over all of f32.
pub const ERF_MAX_ULP: f64 = 1.5;

/// `p` in `erf(x) = x + x p(x^2)` for |x| <= 1, minimax in the relative error: 0.04 * 2^-24.
const NEAR: [f32; 7] = [
    0.128_379_17,
    -0.376_126_26,
    0.112_835_854,
    -0.026_853_813,
    0.005_188_327_7,
    -0.000_801_019_37,
    7.853_861_5e-5,
];

/// The scale of the rational variables `t = 1 / (1 + SCALE a)` and `u = 1 - t` below.
///
/// Near 0 the tail falls steeply with `t` but gently with `u`, whose relative error stays small
/// there; for large `a` it is proportional to `t`. Hence the form `t p(u)`, in which no rounding
/// error is amplified; the scale makes `p` easy to approximate.
pub(super) const SCALE: f32 = 0.62;

/// `p` in `exp(a^2) erfc(a) = t p(u)` for `0 <= a <= 10.25`, minimax in the relative error with
/// p(0) = 1 held: 0.43 * 2^-24.
const TAIL: [f32; 11] = [
    1.0,
    -0.819_965_7,
    -0.038_512_774,
    0.188_812_64,
    0.080_215_77,
    0.023_995_068,
    -0.172_436_97,
    0.255_278_62,
    -0.371_909_92,
    0.280_445_25,
    -0.076_128_15,
];

/// `exp(a^2) erfc(a)` from `SCALE * a`, for a in 0..=10.25.
#[inline(always)]
pub(super) fn scaled_tail<S: Simd>(s: S, scaled: S::F) -> S::F {
    let one = s.splat(1.0);
    let t = s.div(one, s.add(one, scaled));
    s.mul(t, polynomial(s, s.mul(scaled, t), TAIL))
}

/// The error function, within [`ERF_MAX_ULP`].
///
/// Beyond 1 it is `1 - exp(-a^2) (exp(a^2) erfc(a))`, where the subtracted part is below 0.16 and
/// its error counts little; beyond 4 it rounds to 1.
#[inline(always)]
pub fn erf<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let a = s.abs(x);
    let near = s.fma(x, polynomial(s, s.mul(x, x), NEAR), x);
    let far = s.min(s.splat(4.0), a);
    let far =
        s.mul(exp_below(s, s.neg(s.mul(far, far))), scaled_tail(s, s.mul(s.splat(SCALE), far)));
    s.select(s.le(a, one), near, copy_sign(s, s.sub(one, far), x))
}
