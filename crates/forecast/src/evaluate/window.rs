//! The scores of one window: a series from one point of time on.

use super::Score;
use super::means::positive;
use crate::column::Part;
use crate::{Baseline, Frame};
use std::ops::Range;
use whimbrel_nn::metrics::{Coverage, ErrorKind, MeanError, Metric, QuantileLoss};

/// The forecasts of one series from one point of time.
pub(super) struct Window<'a> {
    frame: &'a Frame,
    actual: &'a [f32],
    rows: &'a Range<usize>,
    /// The naive errors of the past: mean, and root of the mean square.
    naive: Option<[f64; 2]>,
    /// The forecast of Naive2.
    naive2: Option<Vec<f32>>,
}

impl<'a> Window<'a> {
    /// With what was known before it, if scores relative to naive forecasts are wanted.
    pub(super) fn new(
        frame: &'a Frame,
        actual: &'a [f32],
        rows: &'a Range<usize>,
        history: Option<&[f32]>,
        season: usize,
    ) -> Window<'a> {
        let naive = history.map(|past| naive_errors(past, season));
        let naive2 = history.map(|past| match frame.column(Baseline::Naive2.name()) {
            Some(given) => given[rows.clone()].to_vec(),
            None => {
                let known: Vec<f32> = past.iter().copied().filter(|x| x.is_finite()).collect();
                Baseline::Naive2.forecast(&known, season, rows.len())
            }
        });
        Window { frame, actual, rows, naive, naive2 }
    }

    /// The scores of a model; that relative to Naive2 is made of means later.
    pub(super) fn scores(&self, model: &str, scores: &[Score]) -> Vec<f64> {
        let none = (Vec::new(), Vec::new());
        let point = self.frame.point(model).map_or(none, |point| self.pairs(point));
        let mut nonzero = point.clone();
        let keep: Vec<bool> = point.1.iter().map(|&y| y != 0.0).collect();
        retain(&mut nonzero, &keep);
        let of = |score: &Score| match score {
            Score::Mae => error(ErrorKind::Mae, &point),
            Score::Mse => error(ErrorKind::Mse, &point),
            Score::Rmse => error(ErrorKind::Rmse, &point),
            Score::Mape => error(ErrorKind::Mape, &nonzero),
            Score::Smape => error(ErrorKind::Smape, &point) / 2.0,
            Score::Mase => error(ErrorKind::Mae, &point) / self.scale(0),
            Score::Rmsse => error(ErrorKind::Rmse, &point) / self.scale(1),
            Score::Owa => f64::NAN,
            Score::Crps => self.crps(model),
            Score::ScaledCrps => {
                let zeros = vec![0.0; point.1.len()];
                self.crps(model) / positive(error(ErrorKind::Mae, &(zeros, point.1.clone())))
            }
            Score::Coverage(level) => self.coverage(model, *level),
        };
        scores.iter().map(of).collect()
    }

    /// The sMAPE and MASE of Naive2.
    pub(super) fn naive2(&self) -> [f64; 2] {
        let Some(forecast) = &self.naive2 else { return [f64::NAN; 2] };
        let pairs = pairs(forecast, &self.actual[self.rows.clone()]);
        [error(ErrorKind::Smape, &pairs) / 2.0, error(ErrorKind::Mae, &pairs) / self.scale(0)]
    }

    fn scale(&self, which: usize) -> f64 {
        positive(self.naive.map_or(f64::NAN, |naive| naive[which]))
    }

    fn pairs(&self, column: &[f32]) -> (Vec<f32>, Vec<f32>) {
        pairs(&column[self.rows.clone()], &self.actual[self.rows.clone()])
    }

    fn crps(&self, model: &str) -> f64 {
        let parts = self.frame.columns().filter_map(|name| {
            let (owner, part) = Part::split(name);
            let quantile = part.quantile().filter(|_| owner == model)?;
            Some((quantile, self.frame.column(name)?))
        });
        let (mut sum, mut count) = (0.0, 0u32);
        for (quantile, column) in parts {
            let (forecast, actual) = self.pairs(column);
            let mut loss = QuantileLoss::new(quantile);
            loss.add(&forecast, &actual);
            sum += 2.0 * loss.value();
            count += 1;
        }
        sum / f64::from(count)
    }

    fn coverage(&self, model: &str, level: f32) -> f64 {
        let edge = |part: Part| Some(&self.frame.column(&part.of(model))?[self.rows.clone()]);
        let (Some(low), Some(high)) = (edge(Part::Low(level)), edge(Part::High(level))) else {
            return f64::NAN;
        };
        let mut coverage = Coverage::default();
        for ((low, high), y) in low.iter().zip(high).zip(&self.actual[self.rows.clone()]) {
            if low.is_finite() && high.is_finite() && y.is_finite() {
                coverage.add(&[*low], &[*high], &[*y]);
            }
        }
        coverage.value()
    }
}

/// The errors of repeating the season before: mean, and root of the mean square.
pub(crate) fn naive_errors(past: &[f32], season: usize) -> [f64; 2] {
    let pairs = pairs(past, past.get(season..).unwrap_or_default());
    [error(ErrorKind::Mae, &pairs), error(ErrorKind::Rmse, &pairs)]
}

fn error(kind: ErrorKind, (forecast, actual): &(Vec<f32>, Vec<f32>)) -> f64 {
    let mut error = MeanError::new(kind);
    error.add(forecast, actual);
    error.value()
}

/// Forecasts and right values where both are known.
fn pairs(forecast: &[f32], actual: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let both = forecast.iter().zip(actual).filter(|(f, y)| f.is_finite() && y.is_finite());
    both.map(|(&f, &y)| (f, y)).unzip()
}

fn retain(pairs: &mut (Vec<f32>, Vec<f32>), keep: &[bool]) {
    let kept = |values: &[f32]| {
        values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(&x, _)| x).collect()
    };
    *pairs = (kept(&pairs.0), kept(&pairs.1));
}
