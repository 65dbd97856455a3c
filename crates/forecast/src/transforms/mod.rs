//! Transforms: a whole series brought into a form that is easier to learn, and forecasts brought back.
//!
//! A [`Transform`] is fitted to the values that may be looked at and gives a [`Map`]. Maps of values
//! keep the length of a series; a difference leaves out its first values and needs the last ones to
//! bring back what follows. All arithmetic is in f64, results in f32: bringing back gives the value
//! to 1e-5 of the largest one; under a logarithm to 1e-5 of its own size, under a power too unless it
//! lies below the geometric mean, which is then the measure. Start reading at `log1p.rs`, the shortest of them.

mod box_cox;
mod difference;
mod log1p;
mod normal;
mod panel;
mod quantile;

pub use box_cox::BoxCox;
pub use difference::Difference;
pub(crate) use panel::Prepared;
pub use quantile::Quantiles;

use crate::scaler::{Affine, Scaler};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a whole series is brought into a form that is easier to learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
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
    /// To the share of values below, 0 .. 1.
    QuantileUniform,
    /// To the number of the normal distribution that has the same share of others below.
    QuantileNormal,
    /// To a power of the value, the one that makes values most normal; values must be above 0.
    Boxcox,
    /// To `log(1 + x)`; values must be above -1.
    Log1p,
    /// To the difference from the value so many steps before: 1 of plain, the season of seasonal
    /// differences.
    Difference(usize),
}

/// A fitted transform.
#[derive(Clone, Debug, PartialEq)]
pub enum Map {
    /// A shift and a scale.
    Affine(Affine),
    /// A place among the values seen.
    Quantiles(Quantiles),
    /// A power.
    BoxCox(BoxCox),
    /// A logarithm.
    Log1p,
    /// A difference.
    Difference(Difference),
}

/// Values that a transform cannot be applied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfit {
    /// A value outside of what it is defined for.
    Value {
        /// Its place in the series.
        at: usize,
        /// The value.
        value: f32,
        /// What values must be.
        must: &'static str,
    },
    /// No two values are known that are as far apart as a difference needs.
    Short {
        /// The least number of values.
        needs: usize,
    },
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Transform::Identity => "identity",
            Transform::Standard => "standard",
            Transform::Robust => "robust",
            Transform::RobustIqr => "robust_iqr",
            Transform::Minmax => "minmax",
            Transform::Minmax1 => "minmax1",
            Transform::QuantileUniform => "quantile_uniform",
            Transform::QuantileNormal => "quantile_normal",
            Transform::Boxcox => "boxcox",
            Transform::Log1p => "log1p",
            Transform::Difference(lag) => return write!(f, "difference of {lag}"),
        })
    }
}

impl Transform {
    /// The scaler it is, if it is only a shift and a scale.
    pub(crate) fn scaler(self) -> Option<Scaler> {
        Some(match self {
            Transform::Identity => Scaler::Identity,
            Transform::Standard => Scaler::Standard,
            Transform::Robust => Scaler::Robust,
            Transform::RobustIqr => Scaler::RobustIqr,
            Transform::Minmax => Scaler::Minmax,
            Transform::Minmax1 => Scaler::Minmax1,
            _ => return None,
        })
    }

    /// The map for a series of which the first `seen` values may be looked at. Values are finite, or NaN
    /// where they are not known; all must be such that the map can be applied to them.
    pub fn fit(self, values: &[f32], seen: usize) -> Result<Map, Unfit> {
        let seen = values.get(..seen).unwrap_or(values);
        let mut known: Vec<f32> = seen.iter().copied().filter(|x| !x.is_nan()).collect();
        if let Some(scaler) = self.scaler() {
            return Ok(Map::Affine(scaler.fit_series(&mut known)));
        }
        let above = |least: f32, must| match values.iter().position(|&x| x <= least) {
            Some(at) => Err(Unfit::Value { at, value: values[at], must }),
            None => Ok(()),
        };
        Ok(match self {
            Transform::QuantileUniform => Map::Quantiles(Quantiles::fit(known, false)),
            Transform::QuantileNormal => Map::Quantiles(Quantiles::fit(known, true)),
            Transform::Boxcox => {
                above(0.0, "above 0")?;
                Map::BoxCox(BoxCox::fit(&known))
            }
            Transform::Log1p => {
                above(-1.0, "above -1")?;
                Map::Log1p
            }
            Transform::Difference(lag) => {
                let difference = Difference { lag };
                if !difference.has_any(values) {
                    return Err(Unfit::Short { needs: lag + 1 });
                }
                Map::Difference(difference)
            }
            _ => Map::Affine(Affine::IDENTITY),
        })
    }
}

impl Map {
    /// Values at the start of a series that have no transformed one.
    pub fn left_out(&self) -> usize {
        match self {
            Map::Difference(difference) => difference.lag,
            _ => 0,
        }
    }

    /// The transformed series, shorter by [`Map::left_out`]. NaN stays NaN.
    pub fn apply(&self, values: &[f32]) -> Vec<f32> {
        let mut all = vec![0.0; values.len().saturating_sub(self.left_out())];
        self.apply_from(values, self.left_out(), &mut all);
        all
    }

    /// The transformed values from `first` on; NaN where there is none.
    fn apply_from(&self, values: &[f32], first: usize, dst: &mut [f32]) {
        let src = values.get(first..).unwrap_or_default();
        let mut each = |f: &dyn Fn(f64) -> f64| {
            dst.iter_mut().zip(src).for_each(|(z, &x)| *z = f(x.into()) as f32);
        };
        match self {
            Map::Affine(map) => {
                dst.iter_mut().zip(src).for_each(|(z, &x)| *z = map.scale(x));
            }
            Map::Quantiles(quantiles) => each(&|x| quantiles.apply(x)),
            Map::BoxCox(power) => each(&|x| power.apply(x)),
            Map::Log1p => each(&log1p::apply),
            Map::Difference(difference) => difference.apply_from(values, first, dst),
        }
    }

    /// Brings transformed values back that follow `history`, a series in its own unit with at least
    /// [`Map::left_out`] values. Where the one a difference was taken from is not known, it is the
    /// last known one at the same place of the season, or of all.
    pub fn invert(&self, history: &[f32], after: &mut [f32]) {
        let mut each = |f: &dyn Fn(f64) -> f64| {
            after.iter_mut().for_each(|z| *z = f((*z).into()).clamp(LOWEST, HIGHEST) as f32);
        };
        match self {
            Map::Affine(map) => after.iter_mut().for_each(|z| *z = map.invert(*z)),
            Map::Quantiles(quantiles) => each(&|z| quantiles.invert(z)),
            Map::BoxCox(power) => each(&|z| power.invert(z)),
            Map::Log1p => each(&log1p::invert),
            Map::Difference(difference) => difference.invert(history, after),
        }
    }
}

/// What f32 can hold: a forecast far beyond the values seen must not leave the numbers.
const LOWEST: f64 = f32::MIN as f64;
const HIGHEST: f64 = f32::MAX as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Transform; 12] = [
        Transform::Identity,
        Transform::Standard,
        Transform::Robust,
        Transform::RobustIqr,
        Transform::Minmax,
        Transform::Minmax1,
        Transform::QuantileUniform,
        Transform::QuantileNormal,
        Transform::Boxcox,
        Transform::Log1p,
        Transform::Difference(1),
        Transform::Difference(3),
    ];

    /// The series from `split` on, transformed and brought back.
    fn there_and_back(transform: Transform, values: &[f32], split: usize) -> Vec<f32> {
        let map = transform.fit(values, values.len()).unwrap();
        let mut after = map.apply(values)[split - map.left_out()..].to_vec();
        map.invert(&values[..split], &mut after);
        after
    }

    proptest! {
        #[test]
        fn what_is_transformed_comes_back(
            values in prop::collection::vec(1e-3f32..1e6, 4..60),
            split in 3usize..60,
        ) {
            let split = split.min(values.len() - 1);
            let largest = values.iter().copied().fold(0.0, f32::max);
            let logs = values.iter().map(|x| f64::from(x.ln())).sum::<f64>();
            let mean = (logs / values.len() as f64).exp() as f32;
            for transform in ALL {
                let back = there_and_back(transform, &values, split);
                for (x, y) in values[split..].iter().zip(&back) {
                    let size = match transform {
                        Transform::Log1p => *x,
                        Transform::Boxcox => x.max(mean),
                        _ => largest,
                    };
                    prop_assert!((x - y).abs() <= 1e-5 * size, "{transform:?}: {x} {y}");
                }
            }
        }

        #[test]
        fn no_forecast_leaves_the_numbers(
            values in prop::collection::vec(1e-3f32..1e6, 4..20),
            after in prop::collection::vec(-1e3f32..1e3, 1..20),
        ) {
            for transform in ALL {
                let map = transform.fit(&values, values.len()).unwrap();
                let mut back = after.clone();
                map.invert(&values, &mut back);
                prop_assert!(back.iter().all(|x| x.is_finite()), "{transform:?}: {back:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn values_of_any_size_stay_numbers(
            exponents in prop::collection::vec(-30f32..30.0, 4..40),
            few in any::<bool>(),
        ) {
            // Of widely different size, or mostly alike but one.
            let value = |(at, &e): (usize, &f32)| 10f32.powf(if few && at > 0 { 0.01 * e } else { e });
            let values: Vec<f32> = exponents.iter().enumerate().map(value).collect();
            let largest = values.iter().copied().fold(0.0, f32::max);
            for transform in ALL {
                let map = transform.fit(&values, values.len()).unwrap();
                let transformed = map.apply(&values);
                prop_assert!(transformed.iter().all(|z| z.is_finite()), "{transform}: {map:?}");
                for (x, y) in values[3..].iter().zip(there_and_back(transform, &values, 3)) {
                    prop_assert!((x - y).abs() <= 1e-5 * largest, "{transform}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn equal_values_and_single_ones_come_back() {
        for transform in ALL {
            for (values, split) in [(&[7.0; 9][..], 4), (&[0.1; 4], 3), (&[3.0], 0)] {
                if transform.fit(values, values.len()).is_ok_and(|map| map.left_out() <= split) {
                    let back = there_and_back(transform, values, split);
                    assert!(back.iter().all(|x| (x - values[0]).abs() < 1e-6), "{transform:?}");
                }
            }
        }
    }

    #[test]
    fn statistics_are_those_of_the_values_seen() {
        let values = [1.0, 3.0, 2.0, 5.0, 1000.0, 2000.0];
        for transform in ALL {
            let seen = transform.fit(&values[..4], 4).unwrap();
            assert_eq!(transform.fit(&values, 4).unwrap(), seen, "{transform:?}");
        }
    }

    #[test]
    fn values_that_are_not_known_are_not_looked_at_and_stay() {
        let values = [f32::NAN, 4.0, 2.0, f32::NAN, 8.0, 6.0, 10.0];
        let known: Vec<f32> = values.into_iter().filter(|x| !x.is_nan()).collect();
        for transform in ALL {
            let map = transform.fit(&values, values.len()).unwrap();
            assert_eq!(map, transform.fit(&known, known.len()).unwrap(), "{transform}");
            let transformed = map.apply(&values);
            let unknown = transformed.iter().filter(|z| z.is_nan()).count();
            assert_eq!(unknown, if transform == Transform::Difference(1) { 3 } else { 2 });
        }
    }

    #[test]
    fn values_outside_of_the_domain_are_named() {
        let unfit = |at, value, must| Err(Unfit::Value { at, value, must });
        assert_eq!(Transform::Boxcox.fit(&[1.0, 0.0], 1), unfit(1, 0.0, "above 0"));
        assert_eq!(Transform::Log1p.fit(&[-0.5, 2.0, -1.0], 3), unfit(2, -1.0, "above -1"));
        assert_eq!(Transform::Difference(12).fit(&[1.0; 12], 12), Err(Unfit::Short { needs: 13 }));
        let apart = [1.0, f32::NAN, 2.0, f32::NAN];
        assert_eq!(Transform::Difference(1).fit(&apart, 4), Err(Unfit::Short { needs: 2 }));
    }
}
