//! ScaledError: errors relative to those of a naive forecast on the past of the same series.

use super::{Mean, ratio};
use serde::{Deserialize, Serialize};

/// Which errors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// Means of absolute errors.
    Mase,
    /// Roots of means of squared errors.
    Rmsse,
}

/// The mean over series of the error over that of predicting the value `seasonality` steps before, in
/// the series' past. A past that does not change makes it 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledError {
    scaling: Scaling,
    seasonality: usize,
    mean: Mean,
}

impl ScaledError {
    /// Nothing added yet; `seasonality` is 1 where values do not repeat.
    pub fn new(scaling: Scaling, seasonality: usize) -> ScaledError {
        ScaledError { scaling, seasonality: seasonality.max(1), mean: Mean::default() }
    }

    /// Adds the predictions of one series, the right values and those before them.
    pub fn add(&mut self, predictions: &[f32], targets: &[f32], history: &[f32]) {
        let error = self.size(predictions, targets);
        let naive = self.size(history, history.get(self.seasonality..).unwrap_or(&[]));
        self.mean.add(ratio(error, if naive.is_nan() { 0.0 } else { naive }));
    }

    /// The size of the differences between pairs.
    fn size(&self, a: &[f32], b: &[f32]) -> f64 {
        let mut mean = Mean::default();
        for (a, b) in super::pairs(a, b) {
            mean.add(match self.scaling {
                Scaling::Mase => (a - b).abs(),
                Scaling::Rmsse => (a - b).powi(2),
            });
        }
        match self.scaling {
            Scaling::Mase => mean.value(),
            Scaling::Rmsse => mean.value().sqrt(),
        }
    }

    /// The mean over all series added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }
}
