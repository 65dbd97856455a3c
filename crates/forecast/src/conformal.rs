//! Conformal intervals: as wide as the errors of a cross-validation say they must be.
//!
//! The model need not know anything of probability; what is assumed is that the next errors come from
//! where the last ones came from. With many windows a series has intervals from its own errors at each
//! step. With few, errors of all series are pooled at each step, and of neighbouring steps where even
//! those are few, after each was divided by the size of the errors its series makes in *other* windows:
//! as the errors to come will be. Windows that overlap see the same values and are no others. Where the
//! past of the series is given, that size leans on the changes in it too (`conformal/expected.rs`), and
//! a series with one window or none borrows the errors of the others.

mod expected;

use crate::column::Part;
use crate::distribution::normal_quantile;
use crate::{CrossValidation, ForecastError, Forecaster, Frame, Panel, Progress};
use expected::Expected;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// Windows from which on the errors of a series at one step suffice by themselves.
const ENOUGH_WINDOWS: usize = 30;
/// Errors from which on those of one step, over all series, suffice.
const ENOUGH_ERRORS: usize = 100;
/// Errors of a step that a file keeps; one more is a multiple of a hundred, so that whole per cents are
/// among them.
const SHARES: usize = 199;
/// The smallest share of a series' errors in all windows that its errors elsewhere count as.
const FLOOR: f64 = 0.05;

/// What makes an interval of errors; both are named as in NeuralForecast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The forecast plus and minus the errors, of which an interval of 90 % leaves out 5 % at each end.
    #[default]
    ConformalDistribution,
    /// The forecast plus and minus one error, which for 90 % is that which 95 % of the errors do not
    /// exceed: wider.
    ConformalError,
}

impl Method {
    /// The share of absolute errors that an interval of `level` per cent covers.
    fn share(self, level: f32) -> f64 {
        let level = f64::from(level) / 100.0;
        match self {
            Method::ConformalDistribution => level,
            Method::ConformalError => (1.0 + level) / 2.0,
        }
    }
}

/// How forecasters come to conformal intervals; fields have NeuralForecast's names and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredictionIntervals {
    /// Windows of the cross-validation that tells how wide intervals must be, a horizon apart.
    pub n_windows: usize,
    /// What makes an interval of its errors.
    pub method: Method,
}

impl PredictionIntervals {
    /// Learns what errors these forecasters make at the end of a panel; `tell` as in
    /// [`CrossValidation::run_with`].
    ///
    /// # Errors
    /// If forecasters cannot learn from the panel, or it is too short for the windows.
    pub fn learn(
        self,
        forecasters: &[Forecaster],
        panel: &Panel,
        horizon: usize,
        mut tell: impl FnMut(&Forecaster, Progress) -> ControlFlow<()>,
    ) -> Result<Conformal, ForecastError> {
        let cv = CrossValidation { n_windows: self.n_windows, ..CrossValidation::new(horizon) };
        let run = cv.run_with(forecasters, panel, |one, _, progress| tell(one, progress))?;
        Conformal::of_panel(&run, panel, panel.season_length(), self.method)
    }
}

/// What a cross-validation says about the errors to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conformal {
    method: Method,
    models: Vec<Errors>,
}

/// The errors of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Errors {
    model: String,
    /// Series by id, in order.
    series: Vec<Size>,
    /// Errors over the size of those of their series, ascending, of each step.
    relative: Vec<Vec<f32>>,
}

/// The errors of one series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Size {
    id: String,
    /// The mean to come.
    mean: f64,
    /// All of them, ascending, of each step; none where they are few.
    own: Vec<Vec<f32>>,
}

impl Conformal {
    /// Learns from the errors of a cross-validation.
    ///
    /// # Errors
    /// If it has no right values, or no series with two windows.
    pub fn of(cross_validation: &Frame, method: Method) -> Result<Conformal, ForecastError> {
        Conformal::learn(cross_validation, None, method)
    }

    /// Learns from the errors of a cross-validation of `panel`, and from how much its series change from
    /// one season, of `season_length` steps, to the next. All series of the panel will have intervals.
    ///
    /// # Errors
    /// If the cross-validation has no right values, or too few windows.
    pub fn of_panel(
        cross_validation: &Frame,
        panel: &Panel,
        season_length: usize,
        method: Method,
    ) -> Result<Conformal, ForecastError> {
        Conformal::learn(cross_validation, Some((panel, season_length)), method)
    }

    fn learn(
        cross_validation: &Frame,
        panel: Option<(&Panel, usize)>,
        method: Method,
    ) -> Result<Conformal, ForecastError> {
        let actual = cross_validation.actual().ok_or(ForecastError::NoActuals)?;
        let mut models = Vec::new();
        for model in cross_validation.models() {
            let Some(forecast) = cross_validation.point(model) else { continue };
            let errors = forecast.iter().zip(actual).map(|(x, y)| (y - x).abs()).collect();
            models.push(Errors::of(model, cross_validation, errors, panel)?);
        }
        Ok(Conformal { method, models })
    }

    /// The same in less room, for a file: of many errors of a step, those at every half per cent.
    pub(crate) fn thinned(&self) -> Conformal {
        let mut thinned = self.clone();
        for errors in thinned.models.iter_mut().flat_map(|model| &mut model.relative) {
            if errors.len() > SHARES {
                let share = |number: usize| number as f64 / (SHARES + 1) as f64;
                *errors = (1..=SHARES).map(|number| bound(errors, share(number))).collect();
            }
        }
        thinned
    }

    /// The frame with the edges of the intervals of each level, in per cent, beside each forecast that
    /// errors are known of: `Model-lo-90`, `Model-hi-90`. Edges that the frame has already stay. Series without
    /// known errors have none (NaN); steps beyond the horizon of the cross-validation have those of its last.
    pub fn intervals(&self, mut frame: Frame, levels: &[f32]) -> Result<Frame, ForecastError> {
        let levels = widest_first(levels)?;
        let parts = levels.iter().map(|&level| (Part::Low(level), level, -1.0));
        let parts = parts.chain(levels.iter().rev().map(|&level| (Part::High(level), level, 1.0)));
        for (part, level, sign) in parts {
            for errors in &self.models {
                let Some(point) = frame.point(&errors.model) else { continue };
                if frame.column(&part.of(&errors.model)).is_some() {
                    continue;
                }
                let reach = errors.reach(&frame, self.method.share(level));
                let edge = point.iter().zip(reach).map(|(x, reach)| x + sign * reach).collect();
                frame = frame.with_part(&errors.model, part, edge);
            }
        }
        Ok(frame)
    }
}

impl Errors {
    /// From the absolute error of each row of a cross-validation.
    fn of(
        model: &str,
        frame: &Frame,
        errors: Vec<f32>,
        panel: Option<(&Panel, usize)>,
    ) -> Result<Errors, ForecastError> {
        let by_series = frame.windows_by_series();
        let expected = Expected::of(frame, &errors, &by_series, panel);
        let mut series: Vec<Size> = Vec::new();
        let mut relative: Vec<Vec<f32>> = Vec::new();
        for ((id, _), windows) in frame.series().zip(&by_series) {
            let of_window = |rows: &Range<usize>| &errors[rows.clone()];
            let Some(mean) = mean(windows.iter().flat_map(of_window)) else { continue };
            let means: Vec<Option<f64>> =
                windows.iter().map(|rows| self::mean(of_window(rows).iter())).collect();
            for (number, rows) in windows.iter().enumerate() {
                let Some(size) = expected.size(frame, windows, &means, number) else { continue };
                let size = size.max(FLOOR * mean);
                for (step, &error) in of_window(rows).iter().enumerate() {
                    if relative.len() <= step {
                        relative.push(Vec::new());
                    }
                    if error.is_finite() {
                        let share = if size > 0.0 { f64::from(error) / size } else { 0.0 };
                        relative[step].push(share as f32);
                    }
                }
            }
            let own = match windows.len() < ENOUGH_WINDOWS {
                true => Vec::new(),
                false => by_step(windows.iter().map(of_window)),
            };
            if let Some(mean) = expected.size_to_come(frame, id, windows, &means) {
                series.push(Size { id: id.into(), mean, own });
            }
        }
        if !relative.iter().any(|step| !step.is_empty()) {
            return Err(ForecastError::FewWindows { model: model.into() });
        }
        let borrowers = expected.without_windows(&series);
        series.extend(borrowers.map(|(id, mean)| Size { id, mean, own: Vec::new() }));
        series.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(Errors { model: model.into(), series, relative: pooled(&relative) })
    }

    /// How far the interval of each row reaches to both sides.
    fn reach(&self, frame: &Frame, share: f64) -> Vec<f32> {
        let last = self.relative.len().saturating_sub(1);
        let of_step: Vec<f32> = self.relative.iter().map(|errors| bound(errors, share)).collect();
        let mut reach = Vec::with_capacity(frame.rows());
        for rows in frame.windows() {
            let id = frame.id(rows.start);
            let size = self.series.binary_search_by(|size| size.id.as_str().cmp(id)).ok();
            let size = size.and_then(|place| self.series.get(place));
            for step in 0..rows.len() {
                let step = step.min(last);
                reach.push(match size {
                    None => f32::NAN,
                    Some(Size { own, .. }) if own.len() > step => bound(&own[step], share),
                    Some(Size { mean, .. }) => {
                        let relative = of_step.get(step).copied().unwrap_or(f32::NAN);
                        (f64::from(relative) * mean) as f32
                    }
                });
            }
        }
        reach
    }
}

/// Levels in per cent, each once.
pub(crate) fn widest_first(levels: &[f32]) -> Result<Vec<f32>, ForecastError> {
    // More digits would not fit into the names of columns.
    let named = |level: f32| Part::of_quantile(0.5 + level / 200.0) == Part::High(level);
    let usable = |&level: &f32| level > 0.0 && level < 100.0 && named(level);
    if let Some(&level) = levels.iter().find(|level| !usable(level)) {
        return Err(ForecastError::Level { level });
    }
    let mut levels = levels.to_vec();
    levels.sort_unstable_by(|a, b| b.total_cmp(a));
    levels.dedup();
    Ok(levels)
}

/// The mean of those that are known; none of none.
fn mean<'a>(errors: impl Iterator<Item = &'a f32>) -> Option<f64> {
    let known = errors.filter(|error| error.is_finite());
    let (sum, count) = known.fold((0.0, 0u64), |(s, n), &error| (s + f64::from(error), n + 1));
    (count > 0).then(|| sum / count as f64)
}

/// The errors of each step over all windows, ascending.
fn by_step<'a>(errors: impl Iterator<Item = &'a [f32]> + Clone) -> Vec<Vec<f32>> {
    let steps = errors.clone().map(<[f32]>::len).max().unwrap_or(0);
    let of_step = |step: usize| {
        let known = errors.clone().filter_map(|window| window.get(step).copied());
        sorted(known.filter(|error| error.is_finite()).collect())
    };
    (0..steps).map(of_step).collect()
}

/// The errors of each step with those of its neighbours, as far around as it takes to have enough.
fn pooled(errors: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let around = |step: usize| {
        let near =
            |reach: usize| &errors[step.saturating_sub(reach)..errors.len().min(step + reach + 1)];
        let enough =
            |reach: &usize| near(*reach).iter().map(Vec::len).sum::<usize>() >= ENOUGH_ERRORS;
        sorted(near((0..errors.len()).find(enough).unwrap_or(errors.len())).concat())
    };
    (0..errors.len()).map(around).collect()
}

fn sorted(mut errors: Vec<f32>) -> Vec<f32> {
    errors.sort_unstable_by(f32::total_cmp);
    errors
}

/// The error that the next one exceeds with a probability of at most `1 - share`, if it is like these:
/// there are one more places for it than errors. Where even the largest is not sure enough, errors are taken
/// to go on as those of a normal distribution do; NaN of none.
fn bound(ascending: &[f32], share: f64) -> f32 {
    let Some(largest) = ascending.last() else { return f32::NAN };
    let places = (ascending.len() + 1) as f64;
    let rank = (places * share).ceil() as usize;
    if let Some(error) = ascending.get(rank.max(1) - 1) {
        return *error;
    }
    let deviations = |share: f64| normal_quantile(0.5 + 0.5 * share);
    (f64::from(*largest) * deviations(share) / deviations(1.0 - 1.0 / places)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_leaves_room_for_the_next_error() {
        let errors: Vec<f32> = (1..=9).map(|x| x as f32).collect();
        assert_eq!(bound(&errors, 0.9), 9.0);
        assert_eq!(bound(&errors, 0.5), 5.0);
        // 1.960 deviations instead of 1.645.
        assert!((bound(&errors, 0.95) - 9.0 * 1.1916).abs() < 1e-3);
        assert!((bound(&[2.0], 0.9) - 2.0 * 2.4387).abs() < 1e-3);
        assert!(bound(&[], 0.9).is_nan());
    }

    #[test]
    fn steps_with_few_errors_borrow_from_their_neighbours() {
        let few = pooled(&[vec![3.0], vec![1.0], vec![2.0]]);
        assert!(few.iter().all(|step| step == &[1.0, 2.0, 3.0]));
        let many = pooled(&[vec![1.0; 100], vec![2.0; 100]]);
        assert_eq!((many[0][99], many[1][0]), (1.0, 2.0));
    }
}
