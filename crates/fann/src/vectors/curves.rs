//! Values and slopes of the activation functions over vectors of `f32`, and what differences are worth to training.
//!
//! Tiny networks wait for these, so the chains of operations are short rather than the last bit right: results are
//! within [`MAX_ERROR`] of the exact ones.

use crate::activation::{Activation, Pieces, STEPWISE, STEPWISE_SYMMETRIC};
use whimbrel_kernels::maths;
use whimbrel_kernels::simd::Simd;

/// Largest error of the sigmoids, absolute, and of [`worth`], relative.
#[cfg(test)]
const MAX_ERROR: f64 = 3e-7;

/// From where on the sigmoids are flat.
const FLAT: f32 = 40.0;

/// Holds sums to `-most ..= most`, in FANN's order of comparisons.
#[inline(always)]
pub(super) fn hold<S: Simd>(s: S, sum: S::F, most: f32) -> S::F {
    let (low, high) = (s.splat(-most), s.splat(most));
    s.select(s.lt(high, sum), high, s.select(s.lt(sum, low), low, sum))
}

/// A function with its derivative.
pub(super) trait Curve: Copy {
    /// From which magnitude of sums on it is flat.
    const FLAT: f32;

    /// Values of sums.
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F;

    /// Derivatives at values and sums.
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, sum: S::F) -> S::F;
}

/// `1 / (1 + exp(-2x))`.
#[derive(Clone, Copy)]
pub(super) struct Logistic;

impl Curve for Logistic {
    const FLAT: f32 = FLAT;

    #[inline(always)]
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F {
        let (one, Decay { scale, rest }) = (s.splat(1.0), decay(s, x));
        let low = s.fma(scale, rest, scale);
        let both = s.fma(scale, rest, s.add(scale, one));
        s.div(s.select(s.lt(x, s.splat(0.0)), low, one), both)
    }

    #[inline(always)]
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, _: S::F) -> S::F {
        let v = clip(s, value, 0.01, 0.99);
        s.mul(s.mul(s.splat(2.0 * steepness), v), s.sub(s.splat(1.0), v))
    }
}

/// `tanh(x) = (1 - t) / (1 + t)` with `t = exp(-2|x|)`, and the sign of `x`; no cancellation near 0, where the scale
/// is 1.
#[derive(Clone, Copy)]
pub(super) struct Tanh;

impl Curve for Tanh {
    const FLAT: f32 = FLAT;

    #[inline(always)]
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F {
        let (one, Decay { scale, rest }) = (s.splat(1.0), decay(s, x));
        let difference = s.fma(scale, rest, s.sub(scale, one));
        let sum = s.fma(scale, rest, s.add(scale, one));
        let sign = s.and_i(s.bits(x), s.splat_i(i32::MIN));
        let size = s.bits(s.abs(s.div(difference, sum)));
        s.with_bits(s.or_i(size, sign))
    }

    #[inline(always)]
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, _: S::F) -> S::F {
        let v = clip(s, value, -0.98, 0.98);
        s.mul(s.splat(steepness), s.fnma(v, v, s.splat(1.0)))
    }
}

impl Curve for Activation {
    const FLAT: f32 = f32::INFINITY;

    #[inline(always)]
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F {
        use Activation::*;
        let (zero, one, half) = (s.splat(0.0), s.splat(1.0), s.splat(0.5));
        match self {
            Linear => x,
            Threshold => s.select(s.lt(x, zero), zero, one),
            ThresholdSymmetric => s.select(s.lt(x, zero), s.neg(one), one),
            Sigmoid => Logistic.values(s, x),
            SigmoidStepwise => stepwise(s, &STEPWISE, x),
            SigmoidSymmetric => Tanh.values(s, x),
            SigmoidSymmetricStepwise => stepwise(s, &STEPWISE_SYMMETRIC, x),
            Gaussian => maths::exp(s, s.neg(s.mul(x, x))),
            GaussianSymmetric => {
                let bell = maths::exp(s, s.neg(s.mul(x, x)));
                s.sub(s.add(bell, bell), one)
            }
            GaussianStepwise => zero,
            Elliot => s.add(s.div(s.mul(half, x), s.add(one, s.abs(x))), half),
            ElliotSymmetric => s.div(x, s.add(one, s.abs(x))),
            LinearPiece => clip(s, x, 0.0, 1.0),
            LinearPieceSymmetric => clip(s, x, -1.0, 1.0),
            SinSymmetric => maths::sin(s, x),
            CosSymmetric => maths::cos(s, x),
            Sin => s.fma(maths::sin(s, x), half, half),
            Cos => s.fma(maths::cos(s, x), half, half),
        }
    }

    #[inline(always)]
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, sum: S::F) -> S::F {
        use Activation::*;
        let one = s.splat(1.0);
        match self {
            Linear | LinearPiece | LinearPieceSymmetric => s.splat(steepness),
            Sigmoid | SigmoidStepwise => Logistic.slopes(s, steepness, value, sum),
            SigmoidSymmetric | SigmoidSymmetricStepwise => Tanh.slopes(s, steepness, value, sum),
            Gaussian => s.mul(s.mul(s.splat(-2.0 * steepness * steepness), sum), value),
            GaussianSymmetric => {
                s.mul(s.mul(s.splat(-2.0 * steepness * steepness), sum), s.add(value, one))
            }
            Elliot | ElliotSymmetric => {
                let scale = if self == Elliot { 0.5 * steepness } else { steepness };
                let below = s.add(one, s.abs(sum));
                s.div(s.splat(scale), s.mul(below, below))
            }
            SinSymmetric | Sin => {
                let scale = if self == Sin { 0.5 * steepness } else { steepness };
                s.mul(s.splat(scale), maths::cos(s, s.mul(s.splat(steepness), sum)))
            }
            CosSymmetric | Cos => {
                let scale = if self == Cos { 0.5 * steepness } else { steepness };
                s.mul(s.splat(-scale), maths::sin(s, s.mul(s.splat(steepness), sum)))
            }
            Threshold | ThresholdSymmetric | GaussianStepwise => s.splat(0.0),
        }
    }
}

#[inline(always)]
fn clip<S: Simd>(s: S, x: S::F, low: f32, high: f32) -> S::F {
    // The operand order lets NaN through.
    s.max(s.splat(low), s.min(s.splat(high), x))
}

#[inline(always)]
fn stepwise<S: Simd>(s: S, pieces: &Pieces, x: S::F) -> S::F {
    let mut value = s.splat(pieces.lowest as f32);
    for i in 0..5 {
        let (v1, v2) = (pieces.sums[i], pieces.sums[i + 1]);
        let (r1, r2) = (pieces.values[i], pieces.values[i + 1]);
        let along = s.sub(x, s.splat(v1 as f32));
        let piece = s.fma(s.splat(((r2 - r1) / (v2 - v1)) as f32), along, s.splat(r1 as f32));
        value = s.select(s.lt(x, s.splat(v1 as f32)), value, piece);
    }
    s.select(s.lt(x, s.splat(pieces.sums[5] as f32)), value, s.splat(1.0))
}

/// `exp(-2|x|) = scale (1 + rest)` with a power of two as scale.
struct Decay<F> {
    scale: F,
    rest: F,
}

/// `q` in `exp(r) = 1 + r + r^2 q(r)` for `|r| <= ln 2 / 2`, as in the exponential of `whimbrel-kernels`.
const Q: [f32; 5] = [0.5, 0.166_665_32, 0.041_666_158, 0.008_368_134, 0.001_397_602_6];
/// 1.5 * 2^23: what is added to it is rounded to an integer, which then stands in its low bits.
const ROUNDER: f32 = 12_582_912.0;

/// With `n = round(-2|x| / ln 2)`, `r = -2|x| - n ln 2` in one step: what that loses is small beside 1, and for
/// small `x`, where `n` is 0, it loses nothing.
#[inline(always)]
fn decay<S: Simd>(s: S, x: S::F) -> Decay<S::F> {
    use std::f32::consts::{LN_2, LOG2_E};
    // The operand order lets NaN through.
    let magnitude = s.min(s.splat(FLAT), s.abs(x));
    let rounded = s.fma(magnitude, s.splat(-2.0 * LOG2_E), s.splat(ROUNDER));
    let n = s.sub(rounded, s.splat(ROUNDER));
    let r = s.fnma(n, s.splat(LN_2), s.mul(magnitude, s.splat(-2.0)));
    let square = s.mul(r, r);
    let low = s.fma(r, s.splat(Q[1]), s.splat(Q[0]));
    let high = s.fma(r, s.splat(Q[3]), s.splat(Q[2]));
    let q = s.fma(s.fma(s.splat(Q[4]), square, high), square, low);
    let scale = s.with_bits(s.shl::<23>(s.add_i(s.bits(rounded), s.splat_i(127))));
    Decay { scale, rest: s.fma(q, square, r) }
}

/// `q` in `log((1 + x) / (1 - x)) = 2 x + x^3 q(x^2)` for `|x| <= 1/2`; least largest error, 2.4e-8 of the result.
const NEAR: [f32; 5] = [0.666_674_85, 0.399_553_63, 0.293_511_8, 0.164_260_98, 0.364_485_3];

/// What differences are worth by the error function that lets large ones count more: `log((1 + x) / (1 - x))`,
/// at most 17.
#[inline(always)]
pub(super) fn worth<S: Simd>(s: S, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let square = s.mul(x, x);
    let fourth = s.mul(square, square);
    let low = s.fma(square, s.splat(NEAR[1]), s.splat(NEAR[0]));
    let high = s.fma(square, s.splat(NEAR[3]), s.splat(NEAR[2]));
    let q = s.fma(s.fma(s.splat(NEAR[4]), fourth, high), fourth, low);
    let near = s.fma(s.mul(x, square), q, s.add(x, x));
    let size = s.abs(x);
    let far = maths::log(s, s.div(s.add(one, size), s.sub(one, size)));
    let far = s.select(s.lt(s.splat(0.999_999_9), size), s.splat(17.0), far);
    let far = s.select(s.lt(x, s.splat(0.0)), s.neg(far), far);
    s.select(s.lt(s.splat(0.5), size), far, near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_kernels::simd::{Isa, Kernel, from_slice, run_on, to_slice};

    /// Sigmoid, tanh and worth of a few numbers.
    struct Curves([f32; 16]);

    impl Kernel for Curves {
        type Output = [[f32; 16]; 3];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let mut out = [[0.0; 16]; 3];
            for at in (0..16).step_by(S::LANES) {
                let x = from_slice(s, &self.0[at..]);
                to_slice(s, Logistic.values(s, x), &mut out[0][at..]);
                to_slice(s, Tanh.values(s, x), &mut out[1][at..]);
                to_slice(s, worth(s, x), &mut out[2][at..]);
            }
            out
        }
    }

    #[test]
    fn curves_are_near_the_exact_ones_on_every_instruction_set() {
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            for block in 0..4000 {
                let numbers: [f32; 16] = std::array::from_fn(|i| {
                    let x = (block * 16 + i) as f32 / 32_000.0 - 1.0;
                    if block % 2 == 0 { x } else { 60.0 * x }
                });
                let [sigmoids, tanhs, worths] = run_on(isa, Curves(numbers));
                for (i, x) in numbers.into_iter().enumerate() {
                    let wide = f64::from(x);
                    let sigmoid = 1.0 / (1.0 + (-2.0 * wide).exp());
                    assert!((f64::from(sigmoids[i]) - sigmoid).abs() < MAX_ERROR, "{isa:?} {x}");
                    let tanh = wide.tanh();
                    let error = (f64::from(tanhs[i]) - tanh).abs();
                    assert!(error <= MAX_ERROR * tanh.abs(), "{isa:?} {x}: {error}");
                    let worth = ((1.0 + wide) / (1.0 - wide)).ln();
                    let error = (f64::from(worths[i]) - worth).abs();
                    let ends = wide.abs() > 0.999_999_9;
                    assert!(ends || error <= MAX_ERROR * worth.abs(), "{isa:?} {x}: {error}");
                    assert!(!ends || worths[i] == 17.0 * x.signum());
                }
            }
            let [sigmoids, tanhs, worths] = run_on(isa, Curves([f32::NAN; 16]));
            assert!(sigmoids[0].is_nan() && tanhs[0].is_nan() && worths[0].is_nan());
        }
    }
}
