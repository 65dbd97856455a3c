//! The hyperbolic tangent.

use super::copy_sign;
use super::exp::{expm1_reduced, reduce};
use crate::simd::Simd;

/// Largest error of [`tanh`] over all of f32.
pub const TANH_MAX_ULP: f64 = 3.0;

/// `tanh(x)`, within [`TANH_MAX_ULP`].
///
/// With `t = exp(-2|x|) - 1`, `tanh|x| = -t / (2 + t)`: one formula without cancellation from 0,
/// where `t = -2|x|`, to 1. From |x| = 10 on, `t` rounds to -1.
#[inline(always)]
pub fn tanh<S: Simd>(s: S, x: S::F) -> S::F {
    let y = s.max(s.splat(-20.0), s.mul(s.splat(-2.0), s.abs(x)));
    let reduced = reduce(s, y);
    let scale = reduced.power(s);
    let t = s.fma(scale, expm1_reduced(s, reduced.r), s.sub(scale, s.splat(1.0)));
    copy_sign(s, s.div(t, s.add(s.splat(2.0), t)), x)
}
