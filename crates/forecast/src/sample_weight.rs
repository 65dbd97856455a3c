//! Sample weights: how much each window counts in the loss, from a column of the panel.
//!
//! As in NeuralForecast, a window counts by the mean of the column over its horizon; what is not known
//! there counts as 0.

use crate::{ForecastError, Model, Panel};

/// The weights of all values of each series; empty where all count alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SampleWeights(Vec<Vec<f32>>);

impl SampleWeights {
    /// Those that a model asks for.
    pub(crate) fn of(model: &Model, panel: &Panel) -> Result<SampleWeights, ForecastError> {
        let Some(name) = &model.sample_weight else { return Ok(SampleWeights::default()) };
        let known = panel.hist_exog_list();
        let column = known.iter().position(|known| known == name).ok_or_else(|| {
            let (column, known) = (name.clone(), known.to_vec());
            ForecastError::NoExogenous { list: "hist_exog_list", column, known }
        })?;
        let weights = |series: &crate::Series| -> Vec<f32> {
            let known = series.historic(column).iter();
            known.map(|weight| if weight.is_nan() { 0.0 } else { *weight }).collect()
        };
        let weights: Vec<Vec<f32>> = panel.series().iter().map(weights).collect();
        let wrong = |weight: &&f32| !(weight.is_finite() && **weight >= 0.0);
        for (series, weights) in panel.series().iter().zip(&weights) {
            if let Some(weight) = weights.iter().find(wrong) {
                let value = format!("{weight} of column \"{name}\", series \"{}\"", series.id());
                let reason = "must be at least 0";
                return Err(ForecastError::Setting { name: "sample weight", value, reason });
            }
        }
        if weights.iter().flatten().all(|weight| *weight == 0.0) {
            let reason = "has no number above 0 in any series, so that no window counts; name another column";
            let value = format!("of column \"{name}\"");
            return Err(ForecastError::Setting { name: "sample weight", value, reason });
        }
        Ok(SampleWeights(weights))
    }

    /// The same of series that begin later, being as long as those of `panel`.
    pub(crate) fn of_ends(mut self, panel: &Panel, held_out: usize) -> SampleWeights {
        for (weights, series) in self.0.iter_mut().zip(panel.series()) {
            let length = series.values().len();
            weights.drain(..weights.len().saturating_sub(length));
            weights.truncate(length.saturating_sub(held_out));
        }
        self
    }

    /// The weight of the window of a series whose horizon begins at `now`.
    pub(crate) fn of_window(&self, series: usize, now: isize, horizon: usize) -> f32 {
        let Some(weights) = self.0.get(series) else { return 1.0 };
        let place = |at: isize| usize::try_from(at).unwrap_or(0).min(weights.len());
        let ahead = &weights[place(now)..place(now.saturating_add_unsigned(horizon))];
        (ahead.iter().map(|&weight| f64::from(weight)).sum::<f64>() / horizon.max(1) as f64) as f32
    }
}
