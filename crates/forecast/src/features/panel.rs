//! Features of all series of a panel, filled side by side.

use super::turns::Turns;
use super::{Calendar, Feature, Wave, Window};
use crate::{ForecastError, Panel, Time};
use serde::{Deserialize, Serialize};
use whimbrel_threads::Pool;

/// Columns to compute for a panel.
///
/// ```
/// use whimbrel_forecast::features::{Calendar, Features, Window};
/// use whimbrel_forecast::{Columns, Panel};
/// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
/// let csv = "unique_id,ds,y\na,2024-01-31,1\na,2024-02-29,3\na,2024-03-31,5\n";
/// let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None)?;
/// let features =
///     Features::new().lags([1]).rolling_mean(Window::of(2)).calendar([Calendar::Month]);
/// let columns = features.compute(&panel)?;
/// assert_eq!(features.names(), ["lag1", "rolling_mean_2", "month"]);
/// assert!(columns[0][0].is_nan());
/// assert_eq!(columns[1][1..], [2.0, 4.0]);
/// assert_eq!(columns[2], [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    features: Vec<Feature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Time>,
}

impl Features {
    /// None yet.
    pub fn new() -> Features {
        Features::default()
    }

    /// And another one.
    pub fn with(mut self, feature: Feature) -> Features {
        self.features.push(feature);
        self
    }

    /// And the values so many steps before.
    pub fn lags(self, steps: impl IntoIterator<Item = usize>) -> Features {
        steps.into_iter().fold(self, |all, steps| all.with(Feature::Lag(steps)))
    }

    /// And the mean of each window.
    pub fn rolling_mean(self, window: Window) -> Features {
        self.with(Feature::RollingMean(window))
    }

    /// And the standard deviation of each window.
    pub fn rolling_std(self, window: Window) -> Features {
        self.with(Feature::RollingStd(window))
    }

    /// And what dates say.
    pub fn calendar(self, fields: impl IntoIterator<Item = Calendar>) -> Features {
        fields.into_iter().fold(self, |all, field| all.with(Feature::Calendar(field)))
    }

    /// And sines, then cosines, of the season's first `orders` orders, as utilsforecast's `fourier`.
    pub fn fourier(self, period: f64, orders: usize) -> Features {
        let waves = [Wave::Sin, Wave::Cos];
        let all = waves.into_iter().flat_map(|wave| (1..=orders).map(move |order| (wave, order)));
        all.fold(self, |all, (wave, order)| all.with(Feature::Fourier { wave, period, order }))
    }

    /// The same with steps, which Fourier terms and trends follow, counted from a time: in every panel alike. Without,
    /// all series end at the same step and the longest begins at 1, as in utilsforecast.
    pub fn counted_from(self, origin: Time) -> Features {
        Features { origin: Some(origin), ..self }
    }

    /// The time that steps are counted from.
    pub fn origin(&self) -> Option<Time> {
        self.origin
    }

    /// The features, in the order of their columns.
    pub fn list(&self) -> &[Feature] {
        &self.features
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.features.iter().map(Feature::to_string).collect()
    }

    /// One column for each feature, with a row for each value of the panel, series by series. What is
    /// not known is NaN.
    pub fn compute(&self, panel: &Panel) -> Result<Vec<Vec<f32>>, ForecastError> {
        let mut columns = vec![vec![0.0; panel.rows()]; self.features.len()];
        let mut slices: Vec<&mut [f32]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        self.compute_into(panel, Pool::global(), &mut slices)?;
        Ok(columns)
    }

    /// [`Features::compute`] into given columns by a given team. Columns have the panel's rows.
    pub fn compute_into(
        &self,
        panel: &Panel,
        pool: &Pool,
        columns: &mut [&mut [f32]],
    ) -> Result<(), ForecastError> {
        self.check(panel)?;
        let rows = panel.series().iter().map(|series| 0..series.values().len()).collect();
        Turns::new(&self.features, panel, rows, self.origin).fill(pool, columns)
    }

    /// The same columns for the `horizon` steps after each series, of features that are known ahead.
    pub fn compute_ahead(
        &self,
        panel: &Panel,
        horizon: usize,
    ) -> Result<Vec<Vec<f32>>, ForecastError> {
        self.check(panel)?;
        if let Some(feature) = self.features.iter().find(|feature| !feature.is_known_ahead()) {
            return Err(ForecastError::Setting {
                name: "feature",
                value: feature.to_string(),
                reason: "is made of values, so it is not known ahead of them",
            });
        }
        let ends = panel.series().iter().map(|series| series.values().len());
        let rows: Vec<_> = ends.map(|end| end..end + horizon).collect();
        let mut columns = vec![vec![0.0; horizon * rows.len()]; self.features.len()];
        let mut slices: Vec<&mut [f32]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        Turns::new(&self.features, panel, rows, self.origin).fill(Pool::global(), &mut slices)?;
        Ok(columns)
    }

    pub(super) fn check(&self, panel: &Panel) -> Result<(), ForecastError> {
        let dated = |series: &crate::Series| matches!(series.start(), Time::Calendar(_));
        let calendar = self.features.iter().find(|f| matches!(f, Feature::Calendar(_)));
        match calendar {
            Some(feature) if !panel.series().iter().all(dated) => Err(ForecastError::Setting {
                name: "feature",
                value: feature.to_string(),
                reason: "needs times that are dates",
            }),
            _ => Ok(()),
        }
    }
}
