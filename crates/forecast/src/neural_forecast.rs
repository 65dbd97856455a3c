//! NeuralForecast: several forecasters of one panel, side by side, under the names its users know.

use crate::conformal::widest_first;
use crate::{
    Conformal, CrossValidation, FittedForecaster, ForecastError, Forecaster, Frame, Frequency,
    Method, Panel, Progress,
};
use std::ops::ControlFlow;

/// Forecasters of series at one frequency.
///
/// ```
/// use whimbrel_forecast::models::{DLinear, NLinear};
/// use whimbrel_forecast::{Columns, CrossValidation, Model, NeuralForecast, Panel, Score};
/// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
/// # let mut csv = String::from("unique_id,ds,y\n");
/// # for day in 1..=28 {
/// #     csv += &format!("tide,2024-02-{day:02},{}\n", day % 4);
/// # }
/// let panel = Panel::from_csv("tide.csv", csv.as_bytes(), &Columns::default(), None)?;
/// let models = [Model::new(NLinear {}, 4), Model::new(DLinear::default(), 4)];
/// # let models = models.map(|model| Model { max_steps: 5, ..model });
/// let forecasters = NeuralForecast::new(models, "D".parse()?);
///
/// let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(4) };
/// let scores = forecasters.cross_validation(&panel, cv)?.evaluate(Some(&panel), None)?;
/// assert!(scores.overall(Score::Mase, "NLinear").is_some());
///
/// let forecast = forecasters.with_intervals(cv).fit(&panel)?.predict_level(&[90.0])?;
/// assert!(forecast.column("DLinear-lo-90").is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NeuralForecast {
    forecasters: Vec<Forecaster>,
    frequency: Frequency,
    intervals: Option<(CrossValidation, Method)>,
}

impl NeuralForecast {
    /// Forecasters of series at `frequency`: models that learn, rules that do not.
    pub fn new(
        forecasters: impl IntoIterator<Item = impl Into<Forecaster>>,
        frequency: Frequency,
    ) -> NeuralForecast {
        let forecasters = forecasters.into_iter().map(Into::into).collect();
        NeuralForecast { forecasters, frequency, intervals: None }
    }

    /// The same forecasters, whose errors in a cross-validation before they learn give intervals.
    pub fn with_intervals(self, cross_validation: CrossValidation) -> NeuralForecast {
        NeuralForecast { intervals: Some((cross_validation, Method::default())), ..self }
    }

    /// Learns from a panel, which [`FittedForecast::predict`] continues.
    ///
    /// # Errors
    /// If the panel is at another frequency, or learning fails.
    pub fn fit(&self, panel: &Panel) -> Result<FittedForecast, ForecastError> {
        self.fit_with(panel, |_, _| ControlFlow::Continue(()))
    }

    /// Learns from a panel, telling now and then how far which forecaster is.
    pub fn fit_with(
        &self,
        panel: &Panel,
        mut tell: impl FnMut(&Forecaster, Progress) -> ControlFlow<()>,
    ) -> Result<FittedForecast, ForecastError> {
        self.check(panel)?;
        let conformal = match self.intervals {
            None => None,
            Some((cv, method)) => {
                let run = cv.run_with(&self.forecasters, panel, |one, _, how| tell(one, how));
                Some(Conformal::of_panel(&run?, panel, panel.season_length(), method)?)
            }
        };
        let mut fitted = Vec::with_capacity(self.forecasters.len());
        for forecaster in &self.forecasters {
            fitted.push(forecaster.fit_with(panel, |how| tell(forecaster, how))?);
        }
        let (frequency, panel) = (self.frequency, Some(panel.clone()));
        Ok(FittedForecast { fitted, frequency, panel, conformal })
    }

    /// Forecasts from several points of the past: `unique_id, ds, cutoff`, a column per forecaster, `y`.
    pub fn cross_validation(
        &self,
        panel: &Panel,
        cross_validation: CrossValidation,
    ) -> Result<Frame, ForecastError> {
        self.check(panel)?;
        cross_validation.run(&self.forecasters, panel)
    }

    fn check(&self, panel: &Panel) -> Result<(), ForecastError> {
        match panel.frequency() == self.frequency {
            true => Ok(()),
            false => Err(ForecastError::OtherFrequency {
                learned: self.frequency.to_string(),
                found: panel.frequency(),
            }),
        }
    }
}

/// Forecasters that have learned.
pub struct FittedForecast {
    pub(crate) fitted: Vec<FittedForecaster>,
    pub(crate) frequency: Frequency,
    /// What they learned from; a loaded one has none.
    pub(crate) panel: Option<Panel>,
    pub(crate) conformal: Option<Conformal>,
}

impl FittedForecast {
    /// Forecasts what follows the panel they learned from, a column per forecaster. Rules go as far as
    /// the models do.
    pub fn predict(&mut self) -> Result<Frame, ForecastError> {
        self.predict_level(&[])
    }

    /// The same with intervals of each level, in per cent; see [`NeuralForecast::with_intervals`].
    pub fn predict_level(&mut self, level: &[f32]) -> Result<Frame, ForecastError> {
        let panel = self.panel.take().ok_or(ForecastError::NoPanel)?;
        let horizon = self.horizon();
        let frame = self.predict_panel(&panel, horizon, level);
        self.panel = Some(panel);
        frame
    }

    /// Forecasts `horizon` steps after another panel, or further than they learned.
    pub fn predict_panel(
        &mut self,
        panel: &Panel,
        horizon: usize,
        level: &[f32],
    ) -> Result<Frame, ForecastError> {
        widest_first(level)?;
        let mut frame = panel.future(horizon)?;
        for one in &mut self.fitted {
            let before = match one {
                FittedForecaster::Model(fitted) => fitted.set_level(level)?,
                FittedForecaster::Rule(_) => Vec::new(),
            };
            let forecast = one.predict(panel, horizon);
            if let FittedForecaster::Model(fitted) = one {
                fitted.set_level(&before)?;
            }
            frame = frame.beside(forecast?);
        }
        if let Some(conformal) = &self.conformal {
            frame = conformal.intervals(frame, level)?;
        }
        frame
            .expect_intervals(level, "fit it with `with_intervals`, or by a loss that has them")?;
        Ok(frame)
    }

    /// The most steps that any model has learned to forecast; 1 where there are only rules.
    pub fn horizon(&self) -> usize {
        let horizons = self.fitted.iter().filter_map(|one| match one {
            FittedForecaster::Model(fitted) => Some(fitted.model().horizon),
            FittedForecaster::Rule(_) => None,
        });
        horizons.max().unwrap_or(1)
    }
}
