//! Weights: which forecasts a combination rests on, and how much on each.
//!
//! Forward selection (Caruana et al., 2004): from nothing on, the model is added, any number of times,
//! that makes the combination best over the cross-validation. Models that others make superfluous get no
//! weight, and the combination is never chosen worse than the best of them.

use crate::evaluate::naive_errors;
use crate::{Frame, Panel};

/// Models added; weights are multiples of its inverse.
const ROUNDS: usize = 20;

/// How much each model counts in the combination of `models`, columns of a cross-validation, by its
/// errors in the rows that are `known`. Weights add up to 1.
pub(super) fn choose(
    cross_validation: &Frame,
    panel: &Panel,
    season: usize,
    models: &[String],
    known: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let yardstick = Yardstick::of(cross_validation, panel, season, known);
    let columns: Vec<Option<&[f32]>> =
        models.iter().map(|model| cross_validation.point(model)).collect();
    let mut counts = vec![0usize; models.len()];
    let mut best = (f64::INFINITY, counts.clone());
    let mut sum = vec![0.0f32; cross_validation.rows()];
    let mut trial = sum.clone();
    for round in 1..=ROUNDS {
        let losses = columns.iter().enumerate().filter_map(|(model, column)| {
            let column = (*column)?;
            for ((trial, sum), value) in trial.iter_mut().zip(&sum).zip(column) {
                *trial = (sum + value) / round as f32;
            }
            let loss = yardstick.loss(&trial);
            loss.is_finite().then_some((loss, model))
        });
        let Some((loss, model)) = losses.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        counts[model] += 1;
        let added = columns[model].unwrap_or_default();
        sum.iter_mut().zip(added).for_each(|(sum, value)| *sum += value);
        if loss < best.0 {
            best = (loss, counts.clone());
        }
    }
    let all = best.1.iter().sum::<usize>().max(1) as f64;
    best.1.into_iter().map(|count| count as f64 / all).collect()
}

/// What errors are measured by: scaled and symmetric relative ones, each over that of repeating the last
/// value, so that neither outweighs the other.
struct Yardstick {
    /// The right values; NaN in rows that do not count.
    actual: Vec<f32>,
    /// One over the seasonal naive error in the past of each row's series; 0 where there is none.
    inverse_scale: Vec<f32>,
    naive: [f64; 2],
}

impl Yardstick {
    fn of(frame: &Frame, panel: &Panel, season: usize, known: impl Fn(usize) -> bool) -> Yardstick {
        let actual = frame.actual().unwrap_or_default().iter().enumerate();
        let actual =
            actual.map(|(row, &value)| if known(row) { value } else { f32::NAN }).collect();
        let mut inverse_scale = Vec::with_capacity(frame.rows());
        let mut naive = Vec::with_capacity(frame.rows());
        for rows in frame.windows() {
            let past = frame.history(panel, &rows).unwrap_or_default();
            let [scale, _] = naive_errors(past, if past.len() > season { season } else { 1 });
            inverse_scale.resize(rows.end, if scale > 0.0 { (1.0 / scale) as f32 } else { 0.0 });
            naive.resize(rows.end, past.last().copied().unwrap_or(f32::NAN));
        }
        let mut yardstick = Yardstick { actual, inverse_scale, naive: [1.0; 2] };
        yardstick.naive = yardstick.errors(&naive).map(|error| error.max(1e-9));
        yardstick
    }

    fn loss(&self, forecast: &[f32]) -> f64 {
        let [scaled, relative] = self.errors(forecast);
        scaled / self.naive[0] + relative / self.naive[1]
    }

    /// The mean scaled and the mean symmetric relative error.
    fn errors(&self, forecast: &[f32]) -> [f64; 2] {
        let (mut sums, mut count) = ([0.0; 2], 0u64);
        let rows = forecast.iter().zip(&self.actual).zip(&self.inverse_scale);
        for ((&forecast, &actual), &inverse) in rows {
            if actual.is_nan() {
                continue;
            }
            let error = (actual - forecast).abs();
            let size = actual.abs() + forecast.abs();
            sums[0] += f64::from(error * inverse);
            sums[1] += if size > 0.0 { f64::from(error / size) } else { 0.0 };
            count += 1;
        }
        sums.map(|sum| sum / count.max(1) as f64)
    }
}
