//! Automatic: from a panel to a forecast with intervals, without a question asked.
//!
//! Rules and small networks are cross-validated; the best of them, weighted, become the column
//! [`ENSEMBLE`]; the errors of the cross-validation become its intervals. Time does not enter: whoever
//! calls says when a network takes too long.
//!
//! Start reading at [`Automatic::run`].

mod candidates;
mod season;
mod weights;

use crate::conformal::widest_first;
use crate::{
    Baseline, Conformal, CrossValidation, Evaluation, Fitted, FittedForecaster, ForecastError,
    Forecaster, Frame, Method, Panel, Progress, Rule,
};
use std::ops::ControlFlow;
use whimbrel_nn::losses::{Loss, MultiQuantile};

/// The column of the combined forecast.
pub const ENSEMBLE: &str = "Ensemble";

/// Rows of a forecast that memory is taken for.
const MOST_ROWS: usize = 1 << 27;

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Automatic {
    /// Steps to forecast.
    pub horizon: usize,
    /// Intervals to forecast, in per cent.
    pub levels: Vec<f32>,
    /// Steps after which series repeat; none to find out.
    pub season_length: Option<usize>,
    /// What the forecast may rest on; none for what suits the panel. Only then is a network that fails or
    /// takes too long left out.
    pub forecasters: Option<Vec<Forecaster>>,
    /// Decides the first weights and the order of the windows.
    pub random_seed: u64,
    /// Threads that share the work; 0 for the cores the process may use. Results do not depend on it.
    pub threads: usize,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// A network learns, to be tried or, after the choice, to forecast.
    Learning {
        /// Which.
        model: &'a str,
        /// How far it is.
        progress: Progress,
        /// Whether it is among the chosen.
        chosen: bool,
    },
    /// A forecaster has been tried.
    Tried(&'a str),
}

/// What came of it.
pub struct Outcome {
    /// Steps after which series repeat.
    pub season_length: usize,
    /// Forecasts of the past beside what came, of everything tried and of [`ENSEMBLE`]; none where
    /// series are too short for any.
    pub cross_validation: Option<Frame>,
    /// How those did.
    pub evaluation: Option<Evaluation>,
    /// What [`ENSEMBLE`] is made of: models and their weights, the heaviest first.
    pub weights: Vec<(String, f64)>,
    /// Networks that were left out, and why.
    pub left_out: Vec<(String, ForecastError)>,
    /// The forecast: [`ENSEMBLE`] with its intervals, the models it is made of, the naive rules.
    pub forecast: Frame,
    /// The networks that take part in it.
    pub fitted: Vec<Fitted>,
}

impl Automatic {
    /// Forecasts `horizon` steps with intervals of 80 and 90 per cent.
    pub fn new(horizon: usize) -> Automatic {
        Automatic {
            horizon,
            levels: vec![80.0, 90.0],
            season_length: None,
            forecasters: None,
            random_seed: 1,
            threads: 0,
        }
    }

    /// Tries, chooses and forecasts. `tell` hears what is under way; where it answers
    /// [`ControlFlow::Break`] a network that is being tried is left out.
    pub fn run(
        &self,
        panel: &Panel,
        mut tell: impl FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Outcome, ForecastError> {
        if self.horizon.saturating_mul(panel.series().len()) > MOST_ROWS {
            let value = self.horizon.to_string();
            return Err(ForecastError::Setting { name: "horizon", value, reason: "is too large" });
        }
        // Not only after everything was tried.
        widest_first(&self.levels)?;
        let season_length = self.season_length.unwrap_or_else(|| panel.season_length()).max(1);
        let candidates = match &self.forecasters {
            Some(forecasters) => {
                forecasters.iter().map(|one| one.clone().with_season(season_length)).collect()
            }
            None => self.candidates(panel, season_length),
        };
        expect_combinable(&candidates, panel, self.horizon)?;
        // Where nothing can be tried, this is what has proved itself elsewhere.
        let usual = candidates.iter().find(|one| one.name() == Baseline::Theta.name());
        let usual = usual.or(candidates.first()).ok_or(ForecastError::NoForecasts)?;
        let mut outcome = Outcome {
            season_length,
            cross_validation: None,
            evaluation: None,
            weights: vec![(usual.name().to_owned(), 1.0)],
            left_out: Vec::new(),
            forecast: panel.future(self.horizon)?,
            fitted: Vec::new(),
        };
        if let Some(plan) = self.cross_validation(panel, season_length) {
            let yardsticks = yardsticks(season_length);
            let others = yardsticks.into_iter().filter(|one| !candidates.contains(one));
            let mut frame = plan.run(&others.collect::<Vec<_>>(), panel)?;
            for candidate in &candidates {
                match plan.try_one(candidate, panel, &mut tell) {
                    Ok(tried) => frame = joined(frame, &tried, candidate.name()),
                    Err(error) if self.forecasters.is_some() => return Err(error),
                    Err(error) => {
                        outcome.left_out.push((candidate.name().into(), error));
                    }
                }
            }
            outcome.choose(frame, &candidates, panel)?;
        }
        let chosen = |one: &&Forecaster| outcome.weights.iter().any(|(name, _)| name == one.name());
        let chosen: Vec<&Forecaster> = candidates.iter().filter(chosen).collect();
        for forecaster in chosen {
            let mut fitted = forecaster.fit_with(panel, |progress| {
                let _ = tell(Event::Learning { model: forecaster.name(), progress, chosen: true });
                ControlFlow::Continue(())
            })?;
            let forecast = fitted.predict(panel, self.horizon)?;
            outcome.forecast = outcome.forecast.beside(forecast);
            if let FittedForecaster::Model(model) = fitted {
                outcome.fitted.push(*model);
            }
        }
        self.finish(outcome, panel)
    }

    /// Adds what the chosen forecasts come to: the combination and its intervals, naive forecasts.
    fn finish(&self, mut outcome: Outcome, panel: &Panel) -> Result<Outcome, ForecastError> {
        let season = outcome.season_length;
        let combined = combined(&outcome.forecast, &outcome.weights);
        let mut frame = panel.future(self.horizon)?.with_column(ENSEMBLE, combined);
        frame = frame.beside(outcome.forecast);
        for rule in yardsticks(season) {
            if frame.column(rule.name()).is_none() {
                frame = frame.beside(rule.fit(panel)?.predict(panel, self.horizon)?);
            }
        }
        let errors = outcome.cross_validation.as_ref().map(|frame| frame.only(&[ENSEMBLE]));
        let intervals =
            errors.map(|frame| Conformal::of_panel(&frame, panel, season, Method::default()));
        outcome.forecast = match intervals {
            Some(Ok(intervals)) => intervals.intervals(frame, &self.levels)?,
            // One window says too little of errors.
            None | Some(Err(ForecastError::FewWindows { .. })) => frame,
            Some(Err(error)) => return Err(error),
        };
        Ok(outcome)
    }
}

impl Outcome {
    /// Chooses by a cross-validation.
    fn choose(
        &mut self,
        frame: Frame,
        candidates: &[Forecaster],
        panel: &Panel,
    ) -> Result<(), ForecastError> {
        let models: Vec<String> = candidates.iter().map(|one| one.name().into()).collect();
        let weigh = |known: &dyn Fn(usize) -> bool| {
            let weights = weights::choose(&frame, panel, self.season_length, &models, known);
            models.iter().cloned().zip(weights).filter(|(_, weight)| *weight > 0.0).collect()
        };
        let mut weights: Vec<(String, f64)> = weigh(&|_| true);
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        let windows = frame.numbers_of_windows();
        let last = windows.iter().copied().max().unwrap_or(0);
        // Errors that were chosen by are too small: each window is forecast with weights that do not
        // know it.
        let mut combined = combined(&frame, &weights);
        for window in (0..=last).filter(|_| last > 0) {
            let apart = self::combined(&frame, &weigh(&|row| windows[row] != window));
            for row in (0..frame.rows()).filter(|&row| windows[row] == window) {
                combined[row] = apart[row];
            }
        }
        if !weights.is_empty() {
            self.weights = weights;
        }
        let actual = frame.actual().unwrap_or_default().to_vec();
        let frame = frame.with_column(ENSEMBLE, combined).with_actual(actual);
        self.evaluation = Some(frame.evaluate(Some(panel), Some(self.season_length))?);
        self.cross_validation = Some(frame);
        Ok(())
    }
}

impl CrossValidation {
    /// The cross-validation of one forecaster.
    fn try_one(
        &self,
        forecaster: &Forecaster,
        panel: &Panel,
        tell: &mut impl FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Frame, ForecastError> {
        let model = forecaster.name();
        let one = std::slice::from_ref(forecaster);
        let tried = self.run_with(one, panel, |_, _, progress| {
            tell(Event::Learning { model, progress, chosen: false })
        });
        let _ = tell(Event::Tried(model));
        tried
    }
}

/// Refuses, before the work, forecasters whose forecasts could not be combined, and columns that are not known
/// as far ahead as they look.
fn expect_combinable(
    candidates: &[Forecaster],
    panel: &Panel,
    horizon: usize,
) -> Result<(), ForecastError> {
    for (number, one) in candidates.iter().enumerate() {
        if candidates[..number].iter().any(|other| other.name() == one.name()) {
            let (value, reason) = (one.name().to_owned(), "comes twice; give one an alias");
            return Err(ForecastError::Setting { name: "model", value, reason });
        }
        let Forecaster::Model(model) = one else { continue };
        if let Loss::MultiQuantile(MultiQuantile { quantiles }) = &model.loss
            && !quantiles.contains(&0.5)
        {
            let (value, reason) =
                (format!("{quantiles:?}"), "lack the median, which is combined; add 0.5");
            return Err(ForecastError::Setting { name: "quantiles", value, reason });
        }
        panel.check_ahead(&model.choose(panel)?, horizon)?;
    }
    Ok(())
}

/// A frame with one more column, that of `model` in another frame of the same rows.
fn joined(frame: Frame, other: &Frame, model: &str) -> Frame {
    let column = other.point(model).unwrap_or_default().to_vec();
    let actual = frame.actual().unwrap_or_default().to_vec();
    frame.with_column(model, column).with_actual(actual)
}

/// The rules that every forecast is compared with.
fn yardsticks(season: usize) -> Vec<Forecaster> {
    let rules = [Baseline::Naive, Baseline::SeasonalNaive];
    let rules = rules.into_iter().filter(|rule| season > 1 || *rule == Baseline::Naive);
    rules.map(|baseline| Rule { season_length: Some(season), ..baseline.into() }.into()).collect()
}

/// The weighted mean of columns.
fn combined(frame: &Frame, weights: &[(String, f64)]) -> Vec<f32> {
    let mut sum = vec![0.0; frame.rows()];
    for (model, weight) in weights {
        let column = frame.point(model).unwrap_or_default();
        sum.iter_mut().zip(column).for_each(|(sum, &x)| *sum += weight * f64::from(x));
    }
    sum.into_iter().map(|sum| sum as f32).collect()
}
