//! MeanError: the mean of a function of each error.

use super::{Mean, Metric, pairs, ratio};
use serde::{Deserialize, Serialize};

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// `prediction - target`: above 0 if predictions are too high.
    Bias,
    /// `|prediction - target|`.
    Mae,
    /// `(prediction - target)²`.
    Mse,
    /// The same, with the root taken of the mean.
    Rmse,
    /// `|prediction - target| / |target|`; 0 where the target is 0.
    Mape,
    /// `2 |prediction - target| / (|prediction| + |target|)`; 0 where both are 0.
    Smape,
    /// `(log(1 + prediction) - log(1 + target))²`.
    Msle,
}

/// The mean of a function of each error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanError {
    kind: ErrorKind,
    mean: Mean,
}

impl MeanError {
    /// Nothing added yet.
    pub fn new(kind: ErrorKind) -> MeanError {
        MeanError { kind, mean: Mean::default() }
    }
}

impl Metric for MeanError {
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for (p, t) in pairs(predictions, targets) {
            let error = p - t;
            self.mean.add(match self.kind {
                ErrorKind::Bias => error,
                ErrorKind::Mae => error.abs(),
                ErrorKind::Mse | ErrorKind::Rmse => error * error,
                ErrorKind::Mape => ratio(error.abs(), t.abs()),
                ErrorKind::Smape => ratio(2.0 * error.abs(), p.abs() + t.abs()),
                ErrorKind::Msle => (p.ln_1p() - t.ln_1p()).powi(2),
            });
        }
    }

    fn value(&self) -> f64 {
        match self.kind {
            ErrorKind::Rmse => self.mean.value().sqrt(),
            _ => self.mean.value(),
        }
    }
}
