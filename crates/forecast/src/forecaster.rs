//! Forecaster: a model that learns or a rule that does not, used alike.

use crate::column::Part;
use crate::{Baseline, Fitted, ForecastError, Frame, Model, Panel, Progress};
use std::ops::ControlFlow;

/// A rule and its settings; from a [`Baseline`] with the usual ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule.
    pub baseline: Baseline,
    /// Steps after which series repeat; none for [`Panel::season_length`] of those it is fitted to.
    pub season_length: Option<usize>,
    /// Values that [`Baseline::WindowAverage`] takes the mean of, statsforecast's name; none for a season of
    /// them. No other rule looks at it.
    pub window_size: Option<usize>,
}

impl Rule {
    /// The `horizon` values after a series, which repeats itself after `season` steps.
    fn forecast(self, values: &[f32], season: usize, horizon: usize) -> Vec<f32> {
        let span = match self.baseline {
            Baseline::WindowAverage => self.window_size.unwrap_or(season),
            _ => season,
        };
        self.baseline.forecast(values, span, horizon)
    }

    /// Refuses a window without values.
    fn check(self) -> Result<(), ForecastError> {
        match self.window_size {
            Some(0) => Err(ForecastError::Setting {
                name: "window size",
                value: "0".into(),
                reason: "must be at least 1",
            }),
            _ => Ok(()),
        }
    }
}

impl From<Baseline> for Rule {
    fn from(baseline: Baseline) -> Rule {
        Rule { baseline, season_length: None, window_size: None }
    }
}

/// Anything that can forecast a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Forecaster {
    /// A model to be learned.
    Model(Box<Model>),
    /// A rule.
    Rule(Rule),
}

impl From<Model> for Forecaster {
    fn from(model: Model) -> Forecaster {
        Forecaster::Model(Box::new(model))
    }
}

impl From<Rule> for Forecaster {
    fn from(rule: Rule) -> Forecaster {
        Forecaster::Rule(rule)
    }
}

impl From<Baseline> for Forecaster {
    fn from(baseline: Baseline) -> Forecaster {
        Rule::from(baseline).into()
    }
}

impl Forecaster {
    /// Its column in a frame.
    pub fn name(&self) -> &str {
        match self {
            Forecaster::Model(model) => model.name(),
            Forecaster::Rule(rule) => rule.baseline.name(),
        }
    }

    /// Whether it forecasts intervals by itself, its loss being that of several quantiles or of a distribution.
    pub fn has_intervals(&self) -> bool {
        match self {
            Forecaster::Model(model) => {
                model.parts().iter().any(|part| matches!(part, Part::Low(_) | Part::High(_)))
            }
            Forecaster::Rule(_) => false,
        }
    }

    /// The same; a rule that was told no season looks for this one.
    pub(crate) fn with_season(self, season: usize) -> Forecaster {
        match self {
            Forecaster::Rule(rule) => {
                Rule { season_length: rule.season_length.or(Some(season)), ..rule }.into()
            }
            model => model,
        }
    }

    /// The same; a rule that was told no season looks for that of a panel.
    pub(crate) fn with_season_of(&self, panel: &Panel) -> Forecaster {
        match self {
            Forecaster::Rule(Rule { season_length: None, .. }) => {
                self.clone().with_season(panel.season_length())
            }
            told => told.clone(),
        }
    }

    /// Learns from a panel; a rule learns its season, where it was told none.
    pub fn fit(&self, panel: &Panel) -> Result<FittedForecaster, ForecastError> {
        self.fit_with(panel, |_| ControlFlow::Continue(()))
    }

    /// Learns from a panel, telling now and then how far it is; see [`Model::fit_with`].
    pub fn fit_with(
        &self,
        panel: &Panel,
        tell: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<FittedForecaster, ForecastError> {
        Ok(match self.with_season_of(panel) {
            Forecaster::Model(model) => {
                FittedForecaster::Model(Box::new(model.fit_with(panel, tell)?))
            }
            Forecaster::Rule(rule) => {
                rule.check()?;
                FittedForecaster::Rule(rule)
            }
        })
    }
}

/// A forecaster that is ready to forecast.
pub enum FittedForecaster {
    /// A model that has learned.
    Model(Box<Fitted>),
    /// A rule.
    Rule(Rule),
}

impl FittedForecaster {
    /// Forecasts `horizon` steps after the end of each series; see [`Fitted::predict_ahead`].
    pub fn predict(&mut self, panel: &Panel, horizon: usize) -> Result<Frame, ForecastError> {
        match self {
            FittedForecaster::Model(fitted) => fitted.predict_ahead(panel, horizon),
            FittedForecaster::Rule(rule) => {
                let season = rule.season_length.unwrap_or_else(|| panel.season_length());
                let series = panel.series().iter();
                let values = series.flat_map(|one| rule.forecast(&one.filled(), season, horizon));
                Ok(panel.future(horizon)?.with_column(rule.baseline.name(), values.collect()))
            }
        }
    }
}
