//! The activation functions one number at a time, in FANN's own arithmetic: exponentials and the like in double
//! precision, everything else in the number type. `vectors` computes many at once and is tested against this; the
//! C library computes slopes, candidates and what it is asked of single functions with it.

use crate::activation::{Activation, STEPWISE, STEPWISE_SYMMETRIC};
use crate::real::Real;
use Activation::*;

impl Activation {
    /// The value of a neuron with this sum, which has the steepness in it.
    pub fn value<T: Real>(self, sum: T) -> T {
        let (half, wide) = (T::of_f32(0.5), sum.f64());
        let exponential = |x: T| x.f64().exp();
        let between = |low: T| {
            let below = if sum < low { low } else { sum };
            if sum > T::ONE { T::ONE } else { below }
        };
        match self {
            Linear => sum,
            Threshold if sum < T::ZERO => T::ZERO,
            ThresholdSymmetric if sum < T::ZERO => -T::ONE,
            Threshold | ThresholdSymmetric => T::ONE,
            Sigmoid => T::of(1.0 / (1.0 + exponential(T::of_f32(-2.0) * sum))),
            SigmoidSymmetric => T::of(2.0 / (1.0 + exponential(T::of_f32(-2.0) * sum)) - 1.0),
            SigmoidStepwise => T::of(STEPWISE.plain(wide)),
            SigmoidSymmetricStepwise => T::of(STEPWISE_SYMMETRIC.plain(wide)),
            Gaussian => T::of(exponential(-sum * sum)),
            GaussianSymmetric => T::of(exponential(-sum * sum) * 2.0 - 1.0),
            GaussianStepwise => T::ZERO,
            Elliot => (sum / T::of_f32(2.0)) / (T::ONE + sum.abs()) + half,
            ElliotSymmetric => sum / (T::ONE + sum.abs()),
            LinearPiece => between(T::ZERO),
            LinearPieceSymmetric => between(-T::ONE),
            SinSymmetric => T::of(wide.sin()),
            CosSymmetric => T::of(wide.cos()),
            Sin => T::of(wide.sin() / 2.0 + 0.5),
            Cos => T::of(wide.cos() / 2.0 + 0.5),
        }
    }

    /// FANN's derivative at a neuron's value and sum; 0 for functions that have none.
    #[inline]
    pub fn slope<T: Real>(self, steepness: T, value: T, sum: T) -> T {
        let (two, wide, angle) = (T::of_f32(2.0), steepness.f64(), (steepness * sum).f64());
        let spread = T::ONE + sum.abs();
        let clipped = |low: f32, high: f32| {
            let (low, high) = (T::of_f32(low), T::of_f32(high));
            let value = if value < low { low } else { value };
            if value > high { high } else { value }
        };
        match self {
            Linear | LinearPiece | LinearPieceSymmetric => steepness,
            Sigmoid | SigmoidStepwise => {
                let value = clipped(0.01, 0.99);
                two * steepness * value * (T::ONE - value)
            }
            SigmoidSymmetric | SigmoidSymmetricStepwise => {
                let value = clipped(-0.98, 0.98);
                steepness * (T::ONE - value * value)
            }
            Gaussian => -two * sum * value * steepness * steepness,
            GaussianSymmetric => -two * sum * (value + T::ONE) * steepness * steepness,
            Elliot => steepness / (two * spread * spread),
            ElliotSymmetric => steepness / (spread * spread),
            SinSymmetric => T::of(wide * angle.cos()),
            CosSymmetric => T::of(wide * -angle.sin()),
            Sin => T::of(wide * angle.cos() / 2.0),
            Cos => T::of(wide * -angle.sin() / 2.0),
            Threshold | ThresholdSymmetric | GaussianStepwise => T::ZERO,
        }
    }
}

/// A sum held to where FANN holds those of neurons with this steepness.
pub fn hold<T: Real>(sum: T, steepness: T) -> T {
    let most = T::of_f32(150.0) / steepness;
    let low = if sum < -most { -most } else { sum };
    if sum > most { most } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::LANES;
    use whimbrel_kernels::simd::{Kernel, Simd, run};

    /// Values and slopes of sums.
    struct Both<T>(Activation, T, [T; LANES]);

    impl<T: Real> Kernel for Both<T> {
        type Output = [[T; LANES]; 3];
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let (mut sums, mut values, mut slopes) = (self.2, self.2, [T::ONE; LANES]);
            T::activate(s, (self.0, self.1), &mut sums, &mut values);
            T::derive(s, (self.0, self.1), &values, &sums, &mut slopes);
            [sums, values, slopes]
        }
    }

    #[test]
    fn many_at_once_equal_one_at_a_time() {
        for function in Activation::ALL {
            for scale in [0.1, 1.0, 40.0] {
                let sums = std::array::from_fn(|i| (i as f32 * 0.37 - 2.9) * scale);
                let [sums, values, slopes] = run(Both(function, 0.7, sums));
                for i in 0..LANES {
                    let value = function.value(sums[i]);
                    let slope = function.slope(0.7, value, sums[i]);
                    assert!((values[i] - value).abs() < 1e-6, "{function:?} at {}", sums[i]);
                    assert!((slopes[i] - slope).abs() < 2e-6, "{function:?} at {}", sums[i]);
                }
            }
        }
    }
}
