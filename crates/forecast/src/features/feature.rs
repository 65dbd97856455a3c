//! Feature: any column that can be computed from a series.

use super::rolling::{self, Window};
use super::{Calendar, Wave, exponential, fourier, lag};
use crate::{Frequency, Time};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A column computed from the values or the times of a series.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The value so many steps before.
    Lag(usize),
    /// The change since so many steps before.
    Difference(usize),
    /// The mean of the last values.
    RollingMean(Window),
    /// Their standard deviation.
    RollingStd(Window),
    /// The smallest of them.
    RollingMin(Window),
    /// The largest of them.
    RollingMax(Window),
    /// The value below which a share of them lies.
    RollingQuantile(Window, f64),
    /// The mean of all values so far, older ones counting less.
    ExponentialMean {
        /// What the latest value counts.
        alpha: f64,
        /// Whether weights are divided by their sum.
        adjust: bool,
    },
    /// What the date says.
    Calendar(Calendar),
    /// A wave of a season.
    Fourier {
        /// Which.
        wave: Wave,
        /// Steps in the season.
        period: f64,
        /// Waves in the season.
        order: usize,
    },
    /// The number of the step.
    Trend,
}

/// The series a feature is computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub values: &'a [f32],
    pub start: Time,
    pub frequency: Frequency,
    /// The number of the first step.
    pub step: i64,
}

impl Feature {
    /// Whether it follows from the time alone and so is known ahead of the values.
    pub fn is_known_ahead(&self) -> bool {
        matches!(self, Feature::Calendar(_) | Feature::Fourier { .. } | Feature::Trend)
    }

    /// Whether it follows from the number of the step alone.
    pub(super) fn follows_from_step(&self) -> bool {
        matches!(self, Feature::Fourier { .. } | Feature::Trend)
    }

    /// Whether rows can be computed without all those before them.
    pub(super) fn can_be_cut(&self) -> bool {
        !matches!(self, Feature::ExponentialMean { .. })
    }

    /// The rows from `first` on. Rows after the last value are those of [`Feature::is_known_ahead`].
    pub(super) fn fill(&self, source: &Source, first: usize, dst: &mut [f32]) {
        let src = source.values;
        match *self {
            Feature::Lag(steps) => lag::lag_from(src, steps, first, dst),
            Feature::Difference(steps) => lag::difference_from(src, steps, first, dst),
            Feature::RollingMean(window) => {
                rolling::moments_from(src, window, first, Some(dst), None);
            }
            Feature::RollingStd(window) => {
                rolling::moments_from(src, window, first, None, Some(dst));
            }
            Feature::RollingMin(window) => rolling::min_from(src, window, first, dst),
            Feature::RollingMax(window) => rolling::max_from(src, window, first, dst),
            Feature::RollingQuantile(window, q) => {
                rolling::quantile_from(src, window, q, first, dst);
            }
            Feature::ExponentialMean { alpha, adjust } => {
                exponential::exponential_mean(src, alpha, adjust, dst);
            }
            Feature::Calendar(field) => {
                for (row, value) in (first..).zip(dst) {
                    let time = source.frequency.after(source.start, row as i64);
                    *value = time.and_then(|time| field.of(time)).unwrap_or(f32::NAN);
                }
            }
            Feature::Fourier { wave, period, order } => {
                fourier::fourier(
                    wave,
                    period,
                    order,
                    source.step.saturating_add(first as i64),
                    dst,
                );
            }
            Feature::Trend => {
                for (row, value) in (first as i64..).zip(dst) {
                    *value = source.step.saturating_add(row) as f32;
                }
            }
        }
    }
}

impl fmt::Display for Feature {
    /// The name of its column.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Feature::Lag(steps) => write!(f, "lag{steps}"),
            Feature::Difference(steps) => write!(f, "difference{steps}"),
            Feature::RollingMean(window) => write!(f, "rolling_mean_{}", window.size),
            Feature::RollingStd(window) => write!(f, "rolling_std_{}", window.size),
            Feature::RollingMin(window) => write!(f, "rolling_min_{}", window.size),
            Feature::RollingMax(window) => write!(f, "rolling_max_{}", window.size),
            Feature::RollingQuantile(window, q) => {
                write!(f, "rolling_quantile_{}_{q}", window.size)
            }
            Feature::ExponentialMean { alpha, .. } => write!(f, "exponential_mean_{alpha}"),
            Feature::Calendar(field) => f.write_str(field.name()),
            Feature::Fourier { wave: Wave::Sin, period, order } => write!(f, "sin{order}_{period}"),
            Feature::Fourier { wave: Wave::Cos, period, order } => write!(f, "cos{order}_{period}"),
            Feature::Trend => f.write_str("trend"),
        }
    }
}
