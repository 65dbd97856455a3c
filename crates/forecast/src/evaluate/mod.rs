//! Evaluation: forecasts compared with what came, by the measures of utilsforecast and of the M
//! competitions.
//!
//! A score is made for each window (a series, or a series and a cutoff) as `utilsforecast.losses` makes
//! it. That of a series is the mean over its windows, the overall one the mean over series. Rows without
//! a forecast or a right value do not count; a score that is not defined (a relative error where all
//! right values are 0, a scaled one where the past does not change) is NaN and left out of means.

mod means;
mod score;
mod table;
mod window;

pub use score::Score;
pub(crate) use window::naive_errors;

use crate::column::Part;
use crate::{ForecastError, Frame, Panel};
use means::Means;
use std::ops::Range;
use window::Window;

/// How good forecasts are: a number for each series, score and model, and over all series.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    models: Vec<String>,
    scores: Vec<Score>,
    ids: Vec<String>,
    /// By series, score and model.
    of_series: Vec<f64>,
    /// By score and model.
    overall: Vec<f64>,
}

impl Frame {
    /// Compares the forecasts of every model with the right values, column `y`.
    ///
    /// With the `past` of the series, scores relative to naive forecasts are made too; it may reach
    /// beyond the cutoffs, which is not looked at. `season_length` is what those naive forecasts repeat
    /// themselves after, by default [`Panel::season_length`] of the past. A column `Naive2` is taken as
    /// that forecast.
    ///
    /// # Errors
    /// If right values or forecasts are missing, or the past lacks a series.
    pub fn evaluate(
        &self,
        past: Option<&Panel>,
        season_length: Option<usize>,
    ) -> Result<Evaluation, ForecastError> {
        let actual = self.actual().ok_or(ForecastError::NoActuals)?;
        let models = self.models();
        if models.is_empty() {
            return Err(ForecastError::NoForecasts);
        }
        let scores = self.scores(past.is_some());
        let usual = || past.map_or(1, Panel::season_length);
        let season = season_length.unwrap_or_else(usual).max(1);
        let per_series = scores.len() * models.len();
        let (mut ids, mut of_series) = (Vec::new(), Vec::new());
        let mut overall = Means::new(scores.len(), models.len());
        for ((id, _), windows) in self.series().zip(self.windows_by_series()) {
            let mut means = Means::new(scores.len(), models.len());
            for rows in &windows {
                let history = past.map(|past| self.history(past, rows)).transpose()?;
                let window = Window::new(self, actual, rows, history, season);
                let of_model = |model: &&str| window.scores(model, &scores);
                means.add(models.iter().flat_map(of_model), window.naive2());
            }
            ids.push(id.to_owned());
            overall.add(means.values(), means.naive2());
            of_series.extend(means.with_owa(&scores));
        }
        debug_assert_eq!(of_series.len(), ids.len() * per_series);
        let models = models.into_iter().map(String::from).collect();
        let overall = overall.with_owa(&scores);
        Ok(Evaluation { models, scores, ids, of_series, overall })
    }

    /// The scores that can be made.
    fn scores(&self, with_past: bool) -> Vec<Score> {
        let mut scores = Score::POINT.to_vec();
        if with_past {
            scores.extend(Score::SCALED);
        }
        let parts = || self.columns().map(|name| Part::split(name).1);
        if parts().any(|part| part.quantile().is_some()) {
            scores.extend([Score::Crps, Score::ScaledCrps]);
        }
        let mut levels: Vec<f32> = parts()
            .filter_map(|part| if let Part::High(level) = part { Some(level) } else { None })
            .collect();
        levels.sort_unstable_by(f32::total_cmp);
        levels.dedup();
        scores.extend(levels.into_iter().map(Score::Coverage));
        scores
    }

    /// What was known when the forecasts of a window were made.
    pub(crate) fn history<'a>(
        &self,
        past: &'a Panel,
        rows: &Range<usize>,
    ) -> Result<&'a [f32], ForecastError> {
        let (id, first) = (self.id(rows.start), self.times()[rows.start]);
        let missing = || ForecastError::NoPast { series: id.into() };
        let series = self.series_of(past, id).ok_or_else(missing)?;
        let known = match self.cutoffs().and_then(|cutoffs| cutoffs.get(rows.start)) {
            Some(&cutoff) => past.known_until(series, |time| time <= cutoff),
            None => past.known_until(series, |time| time < first),
        };
        series.values().get(..known).filter(|known| !known.is_empty()).ok_or_else(missing)
    }
}

impl Evaluation {
    /// The models, as in the frame.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// The scores that could be made.
    pub fn scores(&self) -> &[Score] {
        &self.scores
    }

    /// The series, as in the frame.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// A score of a model over all series; none if it was not made.
    pub fn overall(&self, score: Score, model: &str) -> Option<f64> {
        self.overall.get(self.place(score, model)?).copied()
    }

    /// A score of a model for one series; none if it was not made.
    pub fn of_series(&self, id: &str, score: Score, model: &str) -> Option<f64> {
        let series = self.ids.iter().position(|known| known == id)?;
        let place = series * self.overall.len() + self.place(score, model)?;
        self.of_series.get(place).copied()
    }

    fn place(&self, score: Score, model: &str) -> Option<usize> {
        let score = self.scores.iter().position(|&known| known == score)?;
        let model = self.models.iter().position(|known| known == model)?;
        Some(score * self.models.len() + model)
    }
}
