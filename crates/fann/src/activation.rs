//! The activation functions of FANN, with their steepness.
//!
//! A neuron's *sum* is its weighted inputs times the steepness, held to 150 divided by the steepness; its *value* is
//! the function of the sum. Derivatives are FANN's: those of the sigmoids are taken of a value held away from
//! the ends, and those that look at the sum take the one that already has the steepness in it.
//!
//! `plain` has them one number at a time, `vectors` many at once.

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
    pub sums: [f64; 6],
    pub values: [f64; 6],
    pub lowest: f64,
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
    /// The value of one sum.
    pub fn plain(&self, sum: f64) -> f64 {
        if sum < self.sums[0] {
            return self.lowest;
        }
        for i in 1..6 {
            if sum < self.sums[i] {
                let (v1, v2) = (self.sums[i - 1], self.sums[i]);
                let (r1, r2) = (self.values[i - 1], self.values[i]);
                return (r2 - r1) * (sum - v1) / (v2 - v1) + r1;
            }
        }
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::{LANES, Real};
    use whimbrel_kernels::simd::{Kernel, Simd, run};

    /// Sums, values and slopes of some points.
    struct Points<T>(Activation, T, [T; LANES]);

    impl<T: Real> Kernel for Points<T> {
        type Output = [[T; LANES]; 3];
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let (mut sums, mut values) = (self.2, self.2);
            T::activate(s, (self.0, self.1), &mut sums, &mut values);
            let mut slopes = [T::ONE; LANES];
            T::derive(s, (self.0, self.1), &values, &sums, &mut slopes);
            [sums, values, slopes]
        }
    }

    fn points(i: usize) -> f64 {
        i as f64 * 0.37 - 2.9
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
            let narrow = run(Points(function, 0.5f32, std::array::from_fn(|i| points(i) as f32)));
            let wide = run(Points(function, 0.5f64, std::array::from_fn(points)));
            for (narrow, wide) in narrow.as_flattened().iter().zip(wide.as_flattened()) {
                assert!((f64::from(*narrow) - wide).abs() < 1e-6, "{function:?} {narrow} {wide}");
            }
        }
    }

    #[test]
    fn sums_are_held_where_exponentials_are_finite() {
        for function in Activation::ALL {
            let far = [1e30f32, -1e30, 400.0, -400.0].repeat(4);
            let [sums, values, slopes] = run(Points(function, 0.5, far.try_into().unwrap()));
            assert_eq!(&sums[..4], [300.0, -300.0, 200.0, -200.0]);
            assert!(values.iter().chain(&slopes).all(|x| x.is_finite()), "{function:?}");
        }
    }

    #[test]
    fn derivatives_are_those_of_the_functions_at_steepness_one() {
        // At steepness 1 FANN's sums and plain sums are the same.
        let smooth = [Sigmoid, SigmoidSymmetric, Gaussian, GaussianSymmetric, Elliot];
        let others = [ElliotSymmetric, SinSymmetric, CosSymmetric, Sin, Cos];
        for function in smooth.into_iter().chain(others) {
            for x in (0..16).map(|i| points(i) / 2.0) {
                let difference = (function.value(x + 1e-6) - function.value(x - 1e-6)) / 2e-6;
                let slope = function.slope(1.0, function.value(x), x);
                assert!((slope - difference).abs() < 1e-6, "{function:?} at {x}");
            }
        }
    }

    #[test]
    fn stepwise_functions_are_near_the_smooth_ones() {
        let pairs = [(SigmoidStepwise, Sigmoid), (SigmoidSymmetricStepwise, SigmoidSymmetric)];
        for (rough, smooth) in pairs {
            for x in (0..16).map(points) {
                assert!((rough.value(x) - smooth.value(x)).abs() < 0.08, "{rough:?} at {x}");
            }
        }
    }
}
