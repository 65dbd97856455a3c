//! Differences: what changed since the value a few steps before.

use crate::features::difference_from;

/// The difference from the value `lag` steps before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Steps between the two values.
    pub lag: usize,
}

impl Difference {
    /// The differences of the values from `first` on; NaN of those before `lag`.
    pub(super) fn apply_from(self, values: &[f32], first: usize, dst: &mut [f32]) {
        difference_from(values, self.lag, first, dst);
    }

    /// Whether any difference is known.
    pub(super) fn has_any(self, values: &[f32]) -> bool {
        let pairs = values.iter().zip(values.iter().skip(self.lag));
        pairs.into_iter().any(|(before, x)| !(x - before).is_nan())
    }

    /// Adds each difference to the value it was taken from, the first ones to the end of `history`.
    pub(super) fn invert(self, history: &[f32], after: &mut [f32]) {
        let start = history.len().saturating_sub(self.lag);
        let known = |x: &&f32| !x.is_nan();
        let latest = history.iter().rev().find(known).copied().unwrap_or(0.0);
        let mut before: Vec<f64> = (start..history.len())
            .map(|at| {
                let places = history[..=at].iter().rev().step_by(self.lag.max(1));
                places.into_iter().find(known).copied().unwrap_or(latest).into()
            })
            .collect();
        let season = before.len();
        if season == 0 {
            return;
        }
        for (step, z) in after.iter_mut().enumerate() {
            let sum = before[step % season] + f64::from(*z);
            before[step % season] = sum;
            *z = sum.clamp(super::LOWEST, super::HIGHEST) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seasonal_difference_continues_each_place_of_the_season() {
        let difference = Difference { lag: 2 };
        let values = [10.0, 1.0, 11.0, 3.0, 14.0];
        let mut all = [0.0; 4];
        difference.apply_from(&values, 1, &mut all);
        assert!(all[0].is_nan());
        assert_eq!(all[1..], [1.0, 2.0, 3.0]);
        let mut after = [1.0, 1.0, 2.0];
        difference.invert(&values, &mut after);
        assert_eq!(after, [4.0, 15.0, 6.0]);
    }

    #[test]
    fn what_is_not_known_is_taken_from_the_season_before() {
        let values = [10.0, 1.0, f32::NAN, 12.0, 3.0, 21.0, f32::NAN, f32::NAN, f32::NAN];
        let mut after = [1.0, 1.0, 1.0];
        Difference { lag: 3 }.invert(&values, &mut after);
        assert_eq!(after, [13.0, 4.0, 22.0]);
        let mut after = [1.0, 1.0];
        Difference { lag: 2 }.invert(&[5.0, f32::NAN, 6.0, f32::NAN], &mut after);
        assert_eq!(after, [7.0, 7.0]);
    }

    #[test]
    fn a_long_way_back_does_not_drift() {
        let values: Vec<f32> = (0..100_000).map(|t| (t as f32 * 0.1).sin() + 1000.0).collect();
        let difference = Difference { lag: 1 };
        let mut after = vec![0.0; values.len() - 1];
        difference.apply_from(&values, 1, &mut after);
        difference.invert(&values[..1], &mut after);
        let far = values[1..].iter().zip(&after).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
        assert!(far <= 1e-5 * 1000.0, "{far}");
    }
}
