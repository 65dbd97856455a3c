//! Forecasts by simple rules, one file each, to which every model is compared.
//!
//! A rule sees one series and forecasts by itself; nothing is learned across series.

mod drift;
mod naive;
mod naive2;
mod season;
mod seasonal_naive;
mod ses;
mod theta;
mod window_average;

use crate::{Frame, Panel};

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The last value.
    Naive,
    /// The last season.
    SeasonalNaive,
    /// The last value, season apart.
    Naive2,
    /// The line through the first and the last value.
    Drift,
    /// The mean of the last values, of a season unless [`Rule::window_size`](crate::Rule::window_size) says otherwise.
    WindowAverage,
    /// A mean that forgets.
    Ses,
    /// The mean of a line and a mean that forgets, season apart.
    Theta,
}

impl Baseline {
    /// All rules.
    pub const ALL: [Baseline; 7] = [
        Baseline::Naive,
        Baseline::SeasonalNaive,
        Baseline::Naive2,
        Baseline::Drift,
        Baseline::WindowAverage,
        Baseline::Ses,
        Baseline::Theta,
    ];

    /// The rule of a name, in any case.
    pub fn named(name: &str) -> Option<Baseline> {
        Baseline::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(name))
    }

    /// Its column in a frame.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::Naive => "Naive",
            Baseline::SeasonalNaive => "SeasonalNaive",
            Baseline::Naive2 => "Naive2",
            Baseline::Drift => "Drift",
            Baseline::WindowAverage => "WindowAverage",
            Baseline::Ses => "SES",
            Baseline::Theta => "Theta",
        }
    }

    /// The `horizon` values after a series of finite values, which repeats itself after `season` steps;
    /// 1 if it does not. A window average is that of `season` values. NaN for an empty series.
    pub fn forecast(self, values: &[f32], season: usize, horizon: usize) -> Vec<f32> {
        if values.is_empty() {
            return vec![f32::NAN; horizon];
        }
        let season = season.max(1);
        match self {
            Baseline::Naive => naive::forecast(values, horizon),
            Baseline::SeasonalNaive => seasonal_naive::forecast(values, season, horizon),
            Baseline::Naive2 => naive2::forecast(values, season, horizon),
            Baseline::Drift => drift::forecast(values, horizon),
            Baseline::WindowAverage => window_average::forecast(values, season, horizon),
            Baseline::Ses => ses::forecast(values, horizon),
            Baseline::Theta => theta::forecast(values, season, horizon),
        }
    }
}

impl Panel {
    /// The forecasts of a rule for every series, with the season of the panel.
    pub fn baseline(&self, rule: Baseline, horizon: usize) -> Vec<f32> {
        let season = self.season_length();
        let series = self.series().iter();
        series.flat_map(|series| rule.forecast(&series.filled(), season, horizon)).collect()
    }
}

impl Frame {
    /// The frame with the forecasts of a rule beside its own.
    pub fn with_baseline(self, panel: &Panel, rule: Baseline) -> Frame {
        let horizon = self.rows() / panel.series().len().max(1);
        self.with_column(rule.name(), panel.baseline(rule, horizon))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_constant_is_continued_by_every_rule() {
        for rule in Baseline::ALL {
            for length in [1, 2, 3, 30] {
                assert_eq!(rule.forecast(&vec![7.0; length], 4, 3), [7.0; 3], "{rule:?} {length}");
            }
            assert_eq!(rule.forecast(&[], 4, 2).len(), 2);
        }
    }

    proptest! {
        #[test]
        fn forecasts_of_finite_values_are_finite(
            values in prop::collection::vec(-1e5f32..1e5, 1..60),
            season in 0usize..15,
            horizon in 0usize..20,
        ) {
            for rule in Baseline::ALL {
                let forecast = rule.forecast(&values, season, horizon);
                prop_assert_eq!(forecast.len(), horizon);
                prop_assert!(forecast.iter().all(|x| x.is_finite()), "{:?} {:?}", rule, forecast);
            }
        }
    }
}
