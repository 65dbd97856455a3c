//! Cross-validation: forecasts from several points of the past, beside what then came.
//!
//! Every forecast is made from a panel that ends at its cutoff, so that nothing after it can enter but what
//! [`Fill::Interpolate`](crate::Fill) has put into a gap before.

use crate::conformal::widest_first;
use crate::forecaster::FittedForecaster;
use crate::{Conformal, ForecastError, Forecaster, Frame, Panel, PredictionIntervals, Progress};
use std::ops::ControlFlow;

/// How a cross-validation goes; fields have NeuralForecast's names and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossValidation {
    /// Steps to forecast from each cutoff.
    pub horizon: usize,
    /// Cutoffs; the last forecast ends where a series does.
    pub n_windows: usize,
    /// Steps from one cutoff to the next.
    pub step_size: usize,
    /// Windows after which models are learned anew: 0 to learn once, before the first cutoff, 1 to
    /// learn before every cutoff.
    pub refit: usize,
}

impl CrossValidation {
    /// One cutoff, from which `horizon` steps are forecast. Further cutoffs are a horizon apart, and
    /// models are learned once.
    pub fn new(horizon: usize) -> CrossValidation {
        CrossValidation { horizon, n_windows: 1, step_size: horizon, refit: 0 }
    }

    /// Forecasts from every cutoff: `unique_id, ds, cutoff`, a column per model, `y`.
    ///
    /// Series that do not reach back to a cutoff are left out of its window.
    pub fn run(&self, forecasters: &[Forecaster], panel: &Panel) -> Result<Frame, ForecastError> {
        self.run_with(forecasters, panel, |_, _, _| ControlFlow::Continue(()))
    }

    /// The same, telling how far the learning of which forecaster is, for which window; see
    /// [`Model::fit_with`](crate::Model::fit_with).
    pub fn run_with(
        &self,
        forecasters: &[Forecaster],
        panel: &Panel,
        mut tell: impl FnMut(&Forecaster, usize, Progress) -> ControlFlow<()>,
    ) -> Result<Frame, ForecastError> {
        self.roll(forecasters, panel, None, &mut tell)
    }

    /// The same with intervals of each level, in per cent, beside the forecasts: conformal ones for those that
    /// forecast none by themselves. Their errors are found anew whenever models are learned, and only from what
    /// lies before the cutoff.
    ///
    /// # Errors
    /// Also if too few windows fit before the first cutoff.
    pub fn run_with_intervals(
        &self,
        forecasters: &[Forecaster],
        panel: &Panel,
        intervals: (PredictionIntervals, &[f32]),
        mut tell: impl FnMut(&Forecaster, usize, Progress) -> ControlFlow<()>,
    ) -> Result<Frame, ForecastError> {
        // Not only after the first models are learned.
        widest_first(intervals.1)?;
        let lacking = forecasters.iter().any(|one| !one.has_intervals());
        let frame =
            self.roll(forecasters, panel, Some(intervals).filter(|_| lacking), &mut tell)?;
        frame.expect_intervals(intervals.1, "learn it for that level")?;
        Ok(frame)
    }

    fn roll(
        &self,
        forecasters: &[Forecaster],
        panel: &Panel,
        intervals: Option<(PredictionIntervals, &[f32])>,
        tell: &mut dyn FnMut(&Forecaster, usize, Progress) -> ControlFlow<()>,
    ) -> Result<Frame, ForecastError> {
        let held_out = self.check(panel)?;
        // The same rule at every cutoff, by the season seen before the first.
        let (before, _) = panel.hold_out(held_out);
        let forecasters: Vec<Forecaster> =
            forecasters.iter().map(|one| one.with_season_of(&before)).collect();
        let mut fitted: Vec<FittedForecaster> = Vec::new();
        let mut conformal: Option<Conformal> = None;
        let mut windows = Vec::with_capacity(self.n_windows);
        for window in 0..self.n_windows {
            let (past, held) = panel.hold_out(held_out - window * self.step_size);
            if past.series().is_empty() {
                continue;
            }
            if fitted.is_empty() || self.refit > 0 && window % self.refit == 0 {
                let learn = |one: &Forecaster| one.fit_with(&past, |how| tell(one, window, how));
                let learned: Result<Vec<_>, _> = forecasters.iter().map(learn).collect();
                fitted = learned?;
                if let Some((wanted, _)) = intervals {
                    let tell = |one: &Forecaster, how| tell(one, window, how);
                    conformal = Some(wanted.learn(&forecasters, &past, self.horizon, tell)?);
                }
            }
            let mut frame = past.future(self.horizon)?;
            for forecaster in &mut fitted {
                frame = frame.beside(forecaster.predict(&past, self.horizon)?);
            }
            if let (Some(conformal), Some((_, level))) = (&conformal, intervals) {
                frame = conformal.intervals(frame, level)?;
            }
            let ends = past.series().iter().map(|one| past.last(one).unwrap_or(one.start()));
            let cutoffs = ends.flat_map(|end| std::iter::repeat_n(end, self.horizon)).collect();
            let actual = held.iter().flat_map(|held| &held[..self.horizon]).copied().collect();
            windows.push(frame.with_cutoffs(cutoffs).with_actual(actual));
        }
        Frame::stacked(windows).ok_or_else(|| self.too_short(panel, held_out))
    }

    /// The values at the end of each series that the first forecast may not know.
    fn check(&self, panel: &Panel) -> Result<usize, ForecastError> {
        for (name, value) in [
            ("horizon", self.horizon),
            ("n windows", self.n_windows),
            ("step size", self.step_size),
        ] {
            if value == 0 || value > 1 << 30 {
                let reason = if value == 0 { "must be at least 1" } else { "is too large" };
                return Err(ForecastError::Setting { name, value: value.to_string(), reason });
            }
        }
        let held_out = self.step_size.saturating_mul(self.n_windows - 1) + self.horizon;
        match panel.series().iter().any(|series| series.values().len() > held_out) {
            true => Ok(held_out),
            false => Err(self.too_short(panel, held_out)),
        }
    }

    fn too_short(&self, panel: &Panel, held_out: usize) -> ForecastError {
        let longest = panel.series().iter().max_by_key(|series| series.values().len());
        ForecastError::TooShort {
            windows: self.n_windows,
            needed: held_out.saturating_add(1),
            series: longest.map_or_else(String::new, |series| series.id().into()),
            rows: longest.map_or(0, |series| series.values().len()),
        }
    }
}
