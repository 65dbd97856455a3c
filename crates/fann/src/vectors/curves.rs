//! Values and slopes of the activation functions over vectors of `f32`, and what differences are worth to training.
//!
//! Tiny networks wait for these, so the chains of operations are short rather than the last bit right: results are
//! within [`MAX_ERROR`] of the exact ones.

use crate::activation::{Activation, Pieces, STEPWISE, STEPWISE_SYMMETRIC};
use whimbrel_kernels::maths;
use whimbrel_kernels::simd::Simd;

/// Largest error of the logistic function, absolute, and of the others, relative, of values of `tanh` below [`SMALL`]
/// but for [`SMALL_ERROR`].
#[cfg(test)]
const MAX_ERROR: f64 = 4e-7;
/// Half of the last bit of [`SMALL`].
#[cfg(test)]
const SMALL_ERROR: f64 = 4e-18;

/// From where on the sigmoids are flat, 2e-7 from 1: farther out rounding would carry some values past it.
const FLAT: f32 = 8.0;

/// A function with its derivative.
pub(super) trait Curve: Copy {
    /// From which magnitude of sums on it is flat.
    const FLAT: f32;
    /// Whether derivatives are those at sums rather than at values.
    const TAKES_SUMS: bool;

    /// Values of sums.
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F;

    /// [`values`](Curve::values) of several vectors, side by side where that is faster.
    #[inline(always)]
    fn values_of<S: Simd, const N: usize>(self, s: S, mut x: [S::F; N]) -> [S::F; N] {
        for x in &mut x {
            *x = self.values(s, *x);
        }
        x
    }

    /// Derivatives at values and sums.
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, sum: S::F) -> S::F;
}

/// `1 / (1 + exp(-2x))`, which is `(1 + tanh(x)) / 2`.
#[derive(Clone, Copy)]
pub(super) struct Logistic;

impl Curve for Logistic {
    const FLAT: f32 = FLAT;
    const TAKES_SUMS: bool = false;

    #[inline(always)]
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F {
        let half = s.splat(0.5);
        s.fma(tanh(s, x), half, half)
    }

    #[inline(always)]
    fn values_of<S: Simd, const N: usize>(self, s: S, x: [S::F; N]) -> [S::F; N] {
        let mut values = tanhs(s, x);
        for value in &mut values {
            *value = s.fma(*value, s.splat(0.5), s.splat(0.5));
        }
        values
    }

    #[inline(always)]
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, _: S::F) -> S::F {
        let v = clip(s, value, 0.01, 0.99);
        s.mul(s.mul(s.splat(2.0 * steepness), v), s.sub(s.splat(1.0), v))
    }
}

/// `tanh(x)`.
#[derive(Clone, Copy)]
pub(super) struct Tanh;

impl Curve for Tanh {
    const FLAT: f32 = FLAT;
    const TAKES_SUMS: bool = false;

    #[inline(always)]
    fn values<S: Simd>(self, s: S, x: S::F) -> S::F {
        tanh(s, x)
    }

    #[inline(always)]
    fn values_of<S: Simd, const N: usize>(self, s: S, x: [S::F; N]) -> [S::F; N] {
        tanhs(s, x)
    }

    #[inline(always)]
    fn slopes<S: Simd>(self, s: S, steepness: f32, value: S::F, _: S::F) -> S::F {
        let v = clip(s, value, -0.98, 0.98);
        s.mul(s.splat(steepness), s.fnma(v, v, s.splat(1.0)))
    }
}

impl Curve for Activation {
    const FLAT: f32 = f32::INFINITY;
    const TAKES_SUMS: bool = true;

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

/// Holds numbers to `low ..= high`, and to `high` where that is the smaller, as a negative steepness makes it.
#[inline(always)]
pub(super) fn clip<S: Simd>(s: S, x: S::F, low: f32, high: f32) -> S::F {
    // The operand order lets NaN through.
    s.min(s.splat(high), s.max(s.splat(low), x))
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

/// `p` and `q` in `tanh(x) = x p(x^2) / q(x^2)` for `|x| <= 8.2`; least largest error, 8.3e-9 of the result.
const ABOVE: [f32; 5] = [1.0, 0.134_321_38, 0.003_556_703, 2.163_751_8e-5, 1.484_082_4e-8];
const BELOW: [f32; 5] = [1.0, 0.467_654_63, 0.026_108_364, 0.000_338_646_7, 8.370_728e-7];
/// Added to squares, beside which it is nothing: powers of the smallest would be subnormal and take a hundred times
/// as long.
const TINY: f32 = 1e-14;
/// Numbers below the last bit of this become 0, as in libfann, whose sigmoids are differences from 1. Networks that
/// unlearn everything would otherwise end in subnormal numbers.
const SMALL: f32 = 1e-10;

#[inline(always)]
fn tanh<S: Simd>(s: S, x: S::F) -> S::F {
    let x = if is_all(s, x, FLAT) { x } else { clip(s, x, -FLAT, FLAT) };
    let square = s.fma(x, x, s.splat(TINY));
    let x = s.sub(s.add(x, s.splat(SMALL)), s.splat(SMALL));
    let fourth = s.mul(square, square);
    let (low, high) = pairs(s, ABOVE, square, fourth);
    // Each half is multiplied by `x` for itself: their sum has nothing to wait for.
    let above = s.fma(high, s.mul(x, fourth), s.mul(x, low));
    let (low, high) = pairs(s, BELOW, square, fourth);
    s.div(above, s.fma(high, fourth, low))
}

/// [`tanh`] of several vectors, step by step.
#[inline(always)]
fn tanhs<S: Simd, const N: usize>(s: S, mut x: [S::F; N]) -> [S::F; N] {
    let mut squares = x;
    for i in 0..N {
        x[i] = clip(s, x[i], -FLAT, FLAT);
        squares[i] = s.fma(x[i], x[i], s.splat(TINY));
        x[i] = s.sub(s.add(x[i], s.splat(SMALL)), s.splat(SMALL));
    }
    // One polynomial after the other: the results of both have no room beside the squares.
    let above = polynomials(s, ABOVE, squares);
    for i in 0..N {
        x[i] = s.mul(x[i], above[i]);
    }
    let below = polynomials(s, BELOW, squares);
    for i in 0..N {
        x[i] = s.div(x[i], below[i]);
    }
    x
}

/// Power by power.
#[inline(always)]
fn polynomials<S: Simd, const N: usize>(s: S, of: [f32; 5], x: [S::F; N]) -> [S::F; N] {
    let mut sums = [s.splat(of[4]); N];
    for power in [3, 2, 1, 0] {
        for i in 0..N {
            sums[i] = s.fma(sums[i], x[i], s.splat(of[power]));
        }
    }
    sums
}

/// Whether all magnitudes are below a limit, asked of few lanes alone: what follows then need not wait for a choice that
/// the processor foresees. The last bits of a lane may depend on the lanes beside it.
#[inline(always)]
fn is_all<S: Simd>(s: S, x: S::F, below: f32) -> bool {
    S::LANES == 4 && s.all(s.lt(s.abs(x), s.splat(below)))
}

/// The two halves of a polynomial, `low + x^2 high`, so that few of its operations wait for one another.
#[inline(always)]
fn pairs<S: Simd>(s: S, of: [f32; 5], x: S::F, square: S::F) -> (S::F, S::F) {
    let low = s.fma(x, s.splat(of[1]), s.splat(of[0]));
    let high = s.fma(x, s.splat(of[3]), s.splat(of[2]));
    (low, s.fma(s.splat(of[4]), square, high))
}

/// `q` in `log((1 + x) / (1 - x)) = 2 x + x^3 q(x^2)` for `|x| <= 1/5`; least largest error, 2.8e-9 of the result.
const NEAR: [f32; 3] = [0.666_669_5, 0.399_579_13, 0.303_59];

/// What differences are worth by the error function that lets large ones count more: `log((1 + x) / (1 - x))`,
/// at most 17.
///
/// With the power of two that is nearest to the quotient taken out of it, the rest is `(1 + y) / (1 - y)` with
/// `|y| <= 1/5`; of small differences nothing is taken out, and `y` is `x`.
#[inline(always)]
pub(super) fn worth<S: Simd>(s: S, x: S::F) -> S::F {
    if is_all(s, x, 0.2) {
        return near_worth(s, x);
    }
    let [worth] = worths(s, [x]);
    worth
}

/// [`worth`] of several vectors, step by step.
#[inline(always)]
pub(super) fn worths<S: Simd, const N: usize>(s: S, x: [S::F; N]) -> [S::F; N] {
    use std::f32::consts::LN_2;
    /// An exponent larger by one, in the bits of a number.
    const DOUBLED: i32 = 1 << 23;
    let (mut powers, mut y, mut worths) = (x, x, x);
    for i in 0..N {
        let (above, below) = (s.add(s.splat(1.0), x[i]), s.sub(s.splat(1.0), x[i]));
        let rounded = s.add_i(s.sub_i(s.bits(above), s.bits(below)), s.splat_i(DOUBLED / 2));
        let power = s.and_i(rounded, s.splat_i(-DOUBLED));
        powers[i] = s.to_float(power);
        let below = s.with_bits(s.add_i(s.bits(below), power));
        y[i] = s.div(s.sub(above, below), s.add(above, below));
    }
    for i in 0..N {
        let y = s.select(s.eq(powers[i], s.splat(0.0)), x[i], y[i]);
        worths[i] = s.fma(powers[i], s.splat(LN_2 / DOUBLED as f32), near_worth(s, y));
    }
    for i in 0..N {
        let most = s.or_i(s.bits(s.splat(17.0)), s.and_i(s.bits(x[i]), s.splat_i(i32::MIN)));
        let is_end = s.lt(s.splat(0.999_999_9), s.abs(x[i]));
        worths[i] = s.select(is_end, s.with_bits(most), worths[i]);
    }
    worths
}

/// `log((1 + x) / (1 - x))` for `|x| <= 1/5`.
#[inline(always)]
fn near_worth<S: Simd>(s: S, x: S::F) -> S::F {
    let square = s.mul(x, x);
    let q = s.fma(s.fma(s.splat(NEAR[2]), square, s.splat(NEAR[1])), square, s.splat(NEAR[0]));
    s.fma(s.mul(x, square), q, s.add(x, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_kernels::simd::{Isa, Kernel, from_slice, run_on, to_slice};

    /// Sigmoid, tanh and worth of a few numbers.
    struct Curves([f32; 16], Way);

    /// In whole vectors, of four at a time, or of several vectors at once.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Way {
        Whole,
        Fours,
        Several,
    }

    impl Kernel for Curves {
        type Output = [[f32; 16]; 3];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            if self.1 == Way::Fours { self.values(s.four()) } else { self.values(s) }
        }
    }

    impl Curves {
        #[inline(always)]
        fn values<S: Simd>(&self, s: S) -> [[f32; 16]; 3] {
            let mut out = [[0.0; 16]; 3];
            for at in (0..16).step_by(S::LANES) {
                let x = from_slice(s, &self.0[at..]);
                let several = [x; 3];
                let [sigmoid, tanh, worth] = match self.1 {
                    Way::Several => {
                        let sigmoids = Logistic.values_of(s, several);
                        [sigmoids[0], Tanh.values_of(s, several)[1], worths(s, several)[2]]
                    }
                    _ => [Logistic.values(s, x), Tanh.values(s, x), worth(s, x)],
                };
                to_slice(s, sigmoid, &mut out[0][at..]);
                to_slice(s, tanh, &mut out[1][at..]);
                to_slice(s, worth, &mut out[2][at..]);
            }
            out
        }
    }

    #[test]
    fn curves_are_near_the_exact_ones_on_every_instruction_set() {
        let sets = Isa::ALL.into_iter().filter(|isa| isa.available());
        let ways = [Way::Whole, Way::Fours, Way::Several];
        for (isa, way) in sets.flat_map(|isa| ways.map(|way| (isa, way))) {
            for block in 0..4000 {
                let numbers: [f32; 16] = std::array::from_fn(|i| {
                    let x = (block * 16 + i) as f32 / 32_000.0 - 1.0;
                    if block % 2 == 0 { x } else { 12.0 * x }
                });
                let [sigmoids, tanhs, worths] = run_on(isa, Curves(numbers, way));
                for (i, x) in numbers.into_iter().enumerate() {
                    let wide = f64::from(x);
                    let sigmoid = 1.0 / (1.0 + (-2.0 * wide).exp());
                    assert!(
                        (f64::from(sigmoids[i]) - sigmoid).abs() < MAX_ERROR,
                        "{isa:?} {way:?} {x}"
                    );
                    let tanh = wide.tanh();
                    let error = (f64::from(tanhs[i]) - tanh).abs();
                    assert!(error <= MAX_ERROR * tanh.abs(), "{isa:?} {way:?} {x}: {error}");
                    assert!(tanhs[i].abs() <= 1.0, "{isa:?} {way:?} {x}: {}", tanhs[i]);
                    let worth = ((1.0 + wide) / (1.0 - wide)).ln();
                    let error = (f64::from(worths[i]) - worth).abs();
                    let ends = wide.abs() > 0.999_999_9;
                    assert!(
                        ends || error <= MAX_ERROR * worth.abs(),
                        "{isa:?} {way:?} {x}: {error}"
                    );
                    assert!(!ends || worths[i] == 17.0 * x.signum());
                }
            }
            for x in [1e-5f32, 1e-8, -1e-10, 1e-12, -1e-15, 1e-17] {
                let [_, tanhs, _] = run_on(isa, Curves([x; 16], way));
                let error = (f64::from(tanhs[0]) - f64::from(x)).abs();
                assert!(
                    error < MAX_ERROR * f64::from(x.abs()) + SMALL_ERROR,
                    "{isa:?} {way:?} {x}: {error}"
                );
            }
            for x in [1e-18, -1e-30, f32::MIN_POSITIVE / 2.0] {
                let [_, tanhs, _] = run_on(isa, Curves([x; 16], way));
                assert_eq!(tanhs[0], 0.0, "{isa:?} {way:?} {x}");
            }
            // One lane that is not a number leaves the others as they are.
            let numbers = std::array::from_fn(|i| if i % 4 == 1 { f32::NAN } else { 0.1 });
            let [sigmoids, tanhs, worths] = run_on(isa, Curves(numbers, way));
            assert!(sigmoids[1].is_nan() && tanhs[1].is_nan() && worths[1].is_nan());
            assert!(
                [sigmoids[0] - 0.549_834, tanhs[0] - 0.099_668, worths[0] - 0.200_670_7]
                    .into_iter()
                    .all(|error| error.abs() < 1e-6)
            );
        }
    }
}
