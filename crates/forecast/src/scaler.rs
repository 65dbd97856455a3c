//! Scaler: values brought to a common size before a model sees them, and forecasts brought back.
//!
//! The same scalers serve a whole series and the look-back of one window; statistics never see what is to
//! be forecast.

use crate::moments::Moments;
use serde::{Deserialize, Serialize};

/// Added to every divisor, as NeuralForecast does.
const EPSILON: f64 = 1e-6;

/// The deviation of a normal distribution that has a median absolute deviation of 1, inverted.
const MAD_OF_NORMAL: f64 = 0.674_489_750_196_081_7;

/// How values are brought to a common size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaler {
    /// Not at all.
    #[default]
    Identity,
    /// To mean 0 and deviation 1.
    Standard,
    /// To median 0 and median absolute deviation 1.
    Robust,
    /// To median 0 and a distance of the quartiles of 1.
    RobustIqr,
    /// To 0 .. 1.
    Minmax,
    /// To -1 .. 1.
    Minmax1,
    /// As [`Scaler::Robust`], then to the inverse hyperbolic sine; of windows only.
    Invariant,
    /// As [`Scaler::Standard`], then by a shift and a scale that are learned (RevIN); of windows only.
    Revin,
}

/// `(x - shift) / scale` and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// What becomes 0.
    pub shift: f32,
    /// What becomes 1, seen from there; never 0.
    pub scale: f32,
}

impl Affine {
    /// Changes nothing.
    pub const IDENTITY: Affine = Affine { shift: 0.0, scale: 1.0 };

    /// Brings a value to the common size.
    pub fn scale(self, x: f32) -> f32 {
        (x - self.shift) / self.scale
    }

    /// Brings a value back.
    pub fn invert(self, x: f32) -> f32 {
        x * self.scale + self.shift
    }

    /// This map after `before`, as one.
    pub fn after(self, before: Affine) -> Affine {
        Affine { shift: before.invert(self.shift), scale: before.scale * self.scale }
    }

    /// To mean 0 and deviation 1.
    pub(crate) fn standard(moments: Moments) -> Affine {
        Affine::new(moments.mean, moments.deviation())
    }

    fn new(shift: f64, scale: f64) -> Affine {
        // Rounding leaves constant values with a deviation of the size of their last bit.
        let constant = scale <= shift.abs() * f64::from(f32::EPSILON);
        let scale = if constant { 1.0 } else { scale };
        Affine { shift: shift as f32, scale: (scale + EPSILON) as f32 }
    }
}

impl Scaler {
    /// The map for the values of a window, which are finite; the identity for none. They are left in another
    /// order. Of two values in the middle the lower is the median, as PyTorch has it. What windows have beyond a
    /// shift and a scale happens in the graph.
    pub fn fit(self, values: &mut [f32]) -> Affine {
        self.fit_by(values, lower_quantile)
    }

    /// The same for the values of a whole series, whose quantiles lie between values, as coreforecast and pandas
    /// have them.
    pub fn fit_series(self, values: &mut [f32]) -> Affine {
        self.fit_by(values, quantile)
    }

    fn fit_by(self, values: &mut [f32], quantile: fn(&mut [f32], f64) -> f64) -> Affine {
        if values.is_empty() {
            return Affine::IDENTITY;
        }
        match self {
            Scaler::Identity => Affine::IDENTITY,
            Scaler::Standard | Scaler::Revin => Affine::standard(Moments::of(values)),
            Scaler::Robust | Scaler::Invariant => {
                let moments = Moments::of(values);
                let (mean, deviation) = (moments.mean, moments.deviation());
                let median = quantile(values, 0.5);
                values.iter_mut().for_each(|x| *x = (f64::from(*x) - median).abs() as f32);
                let spread = match quantile(values, 0.5) {
                    0.0 if deviation > mean.abs() * f64::from(f32::EPSILON) => {
                        deviation * MAD_OF_NORMAL
                    }
                    spread => spread,
                };
                Affine::new(median, spread)
            }
            Scaler::RobustIqr => {
                let [low, median, high] = [0.25, 0.5, 0.75].map(|q| quantile(values, q));
                Affine::new(median, high - low)
            }
            Scaler::Minmax => {
                let (low, high) = range(values);
                Affine::new(low, high - low)
            }
            Scaler::Minmax1 => {
                let (low, high) = range(values);
                Affine::new((low + high) / 2.0, (high - low) / 2.0)
            }
        }
    }
}

/// The largest value that at most a share `q` of the others lie below.
fn lower_quantile(values: &mut [f32], q: f64) -> f64 {
    let place = ((values.len() - 1) as f64 * q) as usize;
    f64::from(*values.select_nth_unstable_by(place, f32::total_cmp).1)
}

/// The value that a share `q` of the others lie below, on the line between its neighbours where it lies between
/// two.
fn quantile(values: &mut [f32], q: f64) -> f64 {
    let place = (values.len() - 1) as f64 * q;
    let (_, low, above) = values.select_nth_unstable_by(place as usize, f32::total_cmp);
    let low = f64::from(*low);
    let high = above.iter().copied().min_by(f32::total_cmp).map_or(low, f64::from);
    low + place.fract() * (high - low)
}

fn range(values: &[f32]) -> (f64, f64) {
    let low = values.iter().copied().fold(f32::INFINITY, f32::min);
    let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    (f64::from(low), f64::from(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Scaler; 8] = [
        Scaler::Identity,
        Scaler::Standard,
        Scaler::Robust,
        Scaler::RobustIqr,
        Scaler::Minmax,
        Scaler::Minmax1,
        Scaler::Invariant,
        Scaler::Revin,
    ];

    fn scaled<const N: usize>(scaler: Scaler, values: [f32; N]) -> [f32; N] {
        let map = scaler.fit(&mut values.clone());
        values.map(|x| map.scale(x))
    }

    fn close<const N: usize>(got: [f32; N], want: [f32; N]) {
        assert!(
            got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-5 * w.abs().max(1.0)),
            "{got:?} {want:?}"
        );
    }

    #[test]
    fn each_scaler_brings_values_to_its_size() {
        close(scaled(Scaler::Standard, [1.0, 3.0]), [-1.0, 1.0]);
        close(scaled(Scaler::Robust, [5.0, 1.0, 2.0, 3.0, 100.0]), [1.0, -1.0, -0.5, 0.0, 48.5]);
        close(scaled(Scaler::Minmax, [2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        close(scaled(Scaler::Minmax1, [2.0, 4.0, 3.0]), [-1.0, 1.0, 0.0]);
    }

    #[test]
    fn values_that_mostly_agree_are_scaled_by_their_deviation() {
        let map = Scaler::Robust.fit(&mut [1.0, 1.0, 1.0, 1.0, 11.0]);
        assert!((map.scale - (4.0 * MAD_OF_NORMAL) as f32).abs() < 1e-4, "{map:?}");
    }

    #[test]
    fn equal_values_become_zeros_and_come_back() {
        for scaler in ALL {
            for x in [0.0, 7.0, 0.1, -3e30] {
                let map = scaler.fit(&mut [x; 7]);
                assert!(scaler == Scaler::Identity || map.scale(x).abs() <= x.abs() * 1e-6);
                assert_eq!(map.invert(map.scale(x)), x);
            }
        }
    }

    proptest! {
        #[test]
        fn scaling_is_undone(values in prop::collection::vec(-1e6f32..1e6, 1..40)) {
            let size = values.iter().fold(0f32, |m, x| m.max(x.abs()));
            for scaler in ALL {
                let map = scaler.fit(&mut values.clone());
                for &x in &values {
                    prop_assert!((map.invert(map.scale(x)) - x).abs() <= 1e-5 * size);
                }
            }
        }
    }
}
