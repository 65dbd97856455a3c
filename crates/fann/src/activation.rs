//! The activation functions of FANN, with their steepness.
//!
//! A neuron's *sum* is its weighted inputs times the steepness, held to 150 divided by the steepness; its *value* is
//! the function of the sum. Derivatives are FANN's: those of the sigmoids are taken of a value held away from
//! the ends, and those that look at the sum take the one that already has the steepness in it.

use crate::real::{Block, LANES, Real};
use whimbrel_kernels::simd::Simd;

/// An activation function; the discriminants are those of `enum fann_activationfunc_enum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Activation {
    /// `x`.
    #[default]
    Linear = 0,
    /// 0 below 0, else 1. Cannot be trained.
    Threshold,
    /// -1 below 0, else 1. Cannot be trained.
    ThresholdSymmetric,
    /// `1 / (1 + exp(-2 x))`, from 0 to 1.
    Sigmoid,
    /// Six straight pieces near [`Activation::Sigmoid`].
    SigmoidStepwise,
    /// `tanh(x)`, from -1 to 1.
    SigmoidSymmetric,
    /// Six straight pieces near [`Activation::SigmoidSymmetric`].
    SigmoidSymmetricStepwise,
    /// `exp(-x^2)`, from 0 to 1.
    Gaussian,
    /// `2 exp(-x^2) - 1`, from -1 to 1.
    GaussianSymmetric,
    /// Always 0: FANN names it and has no definition for it.
    GaussianStepwise,
    /// `x / 2 / (1 + |x|) + 1/2`, from 0 to 1.
    Elliot,
    /// `x / (1 + |x|)`, from -1 to 1.
    ElliotSymmetric,
    /// `x` held to 0 to 1.
    LinearPiece,
    /// `x` held to -1 to 1.
    LinearPieceSymmetric,
    /// `sin(x)`.
    SinSymmetric,
    /// `cos(x)`.
    CosSymmetric,
    /// `sin(x) / 2 + 1/2`.
    Sin,
    /// `cos(x) / 2 + 1/2`.
    Cos,
}

use Activation::*;

impl Activation {
    /// Every function, in FANN's order.
    pub const ALL: [Activation; 18] = [
        Linear,
        Threshold,
        ThresholdSymmetric,
        Sigmoid,
        SigmoidStepwise,
        SigmoidSymmetric,
        SigmoidSymmetricStepwise,
        Gaussian,
        GaussianSymmetric,
        GaussianStepwise,
        Elliot,
        ElliotSymmetric,
        LinearPiece,
        LinearPieceSymmetric,
        SinSymmetric,
        CosSymmetric,
        Sin,
        Cos,
    ];

    /// The function with a number of `enum fann_activationfunc_enum`.
    pub fn from_code(code: u32) -> Option<Activation> {
        Activation::ALL.get(code as usize).copied()
    }

    /// The number in `enum fann_activationfunc_enum`.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The name in `FANN_ACTIVATIONFUNC_NAMES`.
    pub fn name(self) -> &'static str {
        match self {
            Linear => "FANN_LINEAR",
            Threshold => "FANN_THRESHOLD",
            ThresholdSymmetric => "FANN_THRESHOLD_SYMMETRIC",
            Sigmoid => "FANN_SIGMOID",
            SigmoidStepwise => "FANN_SIGMOID_STEPWISE",
            SigmoidSymmetric => "FANN_SIGMOID_SYMMETRIC",
            SigmoidSymmetricStepwise => "FANN_SIGMOID_SYMMETRIC_STEPWISE",
            Gaussian => "FANN_GAUSSIAN",
            GaussianSymmetric => "FANN_GAUSSIAN_SYMMETRIC",
            GaussianStepwise => "FANN_GAUSSIAN_STEPWISE",
            Elliot => "FANN_ELLIOT",
            ElliotSymmetric => "FANN_ELLIOT_SYMMETRIC",
            LinearPiece => "FANN_LINEAR_PIECE",
            LinearPieceSymmetric => "FANN_LINEAR_PIECE_SYMMETRIC",
            SinSymmetric => "FANN_SIN_SYMMETRIC",
            CosSymmetric => "FANN_COS_SYMMETRIC",
            Sin => "FANN_SIN",
            Cos => "FANN_COS",
        }
    }

    /// Whether values reach from -1 to 1; errors then count half.
    #[inline(always)]
    pub fn is_symmetric(self) -> bool {
        matches!(
            self,
            LinearPieceSymmetric
                | ThresholdSymmetric
                | SigmoidSymmetric
                | SigmoidSymmetricStepwise
                | ElliotSymmetric
                | GaussianSymmetric
                | SinSymmetric
                | CosSymmetric
        )
    }

    /// Whether the derivative looks at the sum, not only at the value.
    pub(crate) fn needs_sum(self) -> bool {
        matches!(
            self,
            Gaussian
                | GaussianSymmetric
                | Elliot
                | ElliotSymmetric
                | SinSymmetric
                | CosSymmetric
                | Sin
                | Cos
        )
    }

    /// Whether FANN refuses to train it: the threshold has no derivative. The others without one learn nothing.
    pub fn is_trainable(self) -> bool {
        self != Threshold
    }
}

/// The ends of the straight pieces of a stepwise function, in FANN's figures.
pub(crate) struct Pieces {
    sums: [f64; 6],
    values: [f64; 6],
    lowest: f64,
}

pub(crate) const STEPWISE: Pieces = Pieces {
    sums: [
        -2.646_652_460_098_267,
        -1.472_219_467_163_086,
        -0.549_306_154_251_098_6,
        0.549_306_154_251_098_6,
        1.472_219_347_953_796_4,
        2.646_652_936_935_425,
    ],
    values: [
        0.004_999_999_888_241_291,
        0.050_000_000_745_058_06,
        0.25,
        0.75,
        0.949_999_988_079_071,
        0.995_000_004_768_371_6,
    ],
    lowest: 0.0,
};

pub(crate) const STEPWISE_SYMMETRIC: Pieces = Pieces {
    sums: [
        -2.646_652_936_935_425,
        -1.472_219_347_953_796_4,
        -0.549_306_154_251_098_6,
        0.549_306_154_251_098_6,
        1.472_219_347_953_796_4,
        2.646_652_936_935_425,
    ],
    values: [
        -0.990_000_009_536_743_2,
        -0.899_999_976_158_142_1,
        -0.5,
        0.5,
        0.899_999_976_158_142_1,
        0.990_000_009_536_743_2,
    ],
    lowest: -1.0,
};

impl Pieces {
    /// The value at one sum, in the order in which FANN computes it.
    pub(crate) fn plain(&self, sum: f64) -> f64 {
        let Some(next) = self.sums.iter().position(|bend| sum < *bend) else { return 1.0 };
        let Some(last) = next.checked_sub(1) else { return self.lowest };
        let (v1, v2) = (self.sums[last], self.sums[next]);
        let (r1, r2) = (self.values[last], self.values[next]);
        ((r2 - r1) * (sum - v1)) / (v2 - v1) + r1
    }

    #[inline(always)]
    fn value<T: Real>(&self, sum: T) -> T {
        let mut value = T::of(self.lowest);
        for i in 0..5 {
            let (v1, v2) = (self.sums[i], self.sums[i + 1]);
            let (r1, r2) = (self.values[i], self.values[i + 1]);
            let piece = T::of((r2 - r1) / (v2 - v1)) * (sum - T::of(v1)) + T::of(r1);
            value = if sum < T::of(v1) { value } else { piece };
        }
        if sum < T::of(self.sums[5]) { value } else { T::ONE }
    }
}

/// The steepness in a sum, held to where exponentials are finite.
#[inline(always)]
pub(crate) fn steep<T: Real>(sum: T, steepness: T, most: T) -> T {
    let sum = steepness * sum;
    let low = if sum < -most { -most } else { sum };
    if sum > most { most } else { low }
}

/// The largest magnitude of a sum at this steepness.
#[inline(always)]
pub(crate) fn most<T: Real>(steepness: T) -> T {
    T::of_f32(150.0) / steepness
}

#[inline(always)]
fn each<T: Real>(x: &mut Block<T>, f: impl Fn(T) -> T) {
    x.iter_mut().for_each(|x| *x = f(*x));
}

/// Turns weighted inputs into sums.
#[inline(always)]
pub(crate) fn sums<T: Real>(steepness: T, x: &mut Block<T>) {
    let most = most(steepness);
    each(x, |x| steep(x, steepness, most));
}

/// The values of sums.
#[inline(always)]
pub(crate) fn values<T: Real, S: Simd>(s: S, function: Activation, sums: &Block<T>) -> Block<T> {
    let mut x = *sums;
    let half = T::of_f32(0.5);
    match function {
        Linear => {}
        Threshold => each(&mut x, |x| if x < T::ZERO { T::ZERO } else { T::ONE }),
        ThresholdSymmetric => each(&mut x, |x| if x < T::ZERO { -T::ONE } else { T::ONE }),
        Sigmoid => {
            each(&mut x, |x| x + x);
            T::sigmoid(s, &mut x);
        }
        SigmoidStepwise => each(&mut x, |x| STEPWISE.value(x)),
        SigmoidSymmetric => T::tanh(s, &mut x),
        SigmoidSymmetricStepwise => each(&mut x, |x| STEPWISE_SYMMETRIC.value(x)),
        Gaussian | GaussianSymmetric => {
            each(&mut x, |x| -x * x);
            T::exp(s, &mut x);
            if function == GaussianSymmetric {
                each(&mut x, |x| x + x - T::ONE);
            }
        }
        GaussianStepwise => x = [T::ZERO; LANES],
        Elliot => each(&mut x, |x| half * x / (T::ONE + x.abs()) + half),
        ElliotSymmetric => each(&mut x, |x| x / (T::ONE + x.abs())),
        LinearPiece => each(&mut x, |x| clip(x, T::ZERO, T::ONE)),
        LinearPieceSymmetric => each(&mut x, |x| clip(x, -T::ONE, T::ONE)),
        SinSymmetric => T::sin(s, &mut x),
        CosSymmetric => T::cos(s, &mut x),
        Sin => {
            T::sin(s, &mut x);
            each(&mut x, |x| x * half + half);
        }
        Cos => {
            T::cos(s, &mut x);
            each(&mut x, |x| x * half + half);
        }
    }
    x
}

#[inline(always)]
fn clip<T: Real>(x: T, low: T, high: T) -> T {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The derivatives at values and sums, as FANN has them.
#[inline(always)]
pub(crate) fn slopes<T: Real, S: Simd>(
    s: S,
    function: Activation,
    steepness: T,
    values: &Block<T>,
    sums: &Block<T>,
) -> Block<T> {
    let (one, two, half) = (T::ONE, T::of_f32(2.0), T::of_f32(0.5));
    match function {
        Linear | LinearPiece | LinearPieceSymmetric => [steepness; LANES],
        Sigmoid | SigmoidStepwise => {
            let mut x = *values;
            let (low, high) = (T::of_f32(0.01), T::of_f32(0.99));
            each(&mut x, |x| {
                let x = clip(x, low, high);
                two * steepness * x * (one - x)
            });
            x
        }
        SigmoidSymmetric | SigmoidSymmetricStepwise => {
            let mut x = *values;
            let most = T::of_f32(0.98);
            each(&mut x, |x| {
                let x = clip(x, -most, most);
                steepness * (one - x * x)
            });
            x
        }
        Gaussian | GaussianSymmetric => {
            let raised = if function == Gaussian { T::ZERO } else { one };
            let mut x = *sums;
            for (x, value) in x.iter_mut().zip(values) {
                *x = -two * *x * (*value + raised) * steepness * steepness;
            }
            x
        }
        Elliot | ElliotSymmetric => {
            let scale = if function == Elliot { half } else { one } * steepness;
            let mut x = *sums;
            each(&mut x, |x| {
                let below = one + x.abs();
                scale / (below * below)
            });
            x
        }
        SinSymmetric | Sin => {
            let scale = if function == Sin { half } else { one } * steepness;
            let mut x = *sums;
            each(&mut x, |x| steepness * x);
            T::cos(s, &mut x);
            each(&mut x, |x| scale * x);
            x
        }
        CosSymmetric | Cos => {
            let scale = if function == Cos { half } else { one } * steepness;
            let mut x = *sums;
            each(&mut x, |x| steepness * x);
            T::sin(s, &mut x);
            each(&mut x, |x| -scale * x);
            x
        }
        Threshold | ThresholdSymmetric | GaussianStepwise => [T::ZERO; LANES],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_kernels::simd::{Kernel, run};

    struct Values<T>(Activation, Block<T>);
    impl<T: Real> Kernel for Values<T> {
        type Output = Block<T>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Block<T> {
            values(s, self.0, &self.1)
        }
    }

    struct Slopes<T>(Activation, T, Block<T>, Block<T>);
    impl<T: Real> Kernel for Slopes<T> {
        type Output = Block<T>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Block<T> {
            slopes(s, self.0, self.1, &self.2, &self.3)
        }
    }

    fn points<T: Real>() -> Block<T> {
        std::array::from_fn(|i| T::of(i as f64 * 0.37 - 2.9))
    }

    #[test]
    fn codes_are_those_of_fann() {
        for (code, function) in Activation::ALL.into_iter().enumerate() {
            assert_eq!(function.code() as usize, code);
            assert_eq!(Activation::from_code(code as u32), Some(function));
        }
        assert_eq!(Activation::from_code(18), None);
    }

    #[test]
    fn both_number_types_agree() {
        for function in Activation::ALL {
            let narrow = run(Values(function, points::<f32>()));
            let wide = run(Values(function, points::<f64>()));
            let slopes_narrow = run(Slopes(function, 0.5f32, narrow, points()));
            let slopes_wide = run(Slopes(function, 0.5f64, wide, points()));
            for i in 0..LANES {
                assert!((f64::from(narrow[i]) - wide[i]).abs() < 1e-6, "{function:?} {i}");
                let off = f64::from(slopes_narrow[i]) - slopes_wide[i];
                assert!(off.abs() < 1e-6, "{function:?} {i}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_functions_at_steepness_one() {
        // At steepness 1 FANN's sums and plain sums are the same.
        let smooth = [Sigmoid, SigmoidSymmetric, Gaussian, GaussianSymmetric, Elliot];
        for function in
            smooth.into_iter().chain([ElliotSymmetric, SinSymmetric, CosSymmetric, Sin, Cos])
        {
            let at = points::<f64>().map(|x| x / 2.0);
            let (above, below) = (at.map(|x| x + 1e-6), at.map(|x| x - 1e-6));
            let (above, below) = (run(Values(function, above)), run(Values(function, below)));
            let slope = run(Slopes(function, 1.0, run(Values(function, at)), at));
            for i in 0..LANES {
                let difference = (above[i] - below[i]) / 2e-6;
                assert!((slope[i] - difference).abs() < 1e-6, "{function:?} at {}", at[i]);
            }
        }
    }

    #[test]
    fn stepwise_functions_are_near_the_smooth_ones() {
        for (rough, smooth) in
            [(SigmoidStepwise, Sigmoid), (SigmoidSymmetricStepwise, SigmoidSymmetric)]
        {
            let (a, b) = (run(Values(rough, points::<f64>())), run(Values(smooth, points())));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.08), "{a:?} {b:?}");
        }
    }
}
