//! QuantileLoss: how good predictions of a quantile are.

use super::{Mean, Metric, pairs};

/// The mean of `q error` where the prediction is too low by `error`, of `(1 - q) error` where it is too
/// high. The mean over many quantiles, doubled, is the CRPS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileLoss {
    q: f64,
    mean: Mean,
}

impl QuantileLoss {
    /// Nothing added yet; `q` is between 0 and 1.
    pub fn new(q: f64) -> QuantileLoss {
        QuantileLoss { q, mean: Mean::default() }
    }
}

impl Metric for QuantileLoss {
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for (p, t) in pairs(predictions, targets) {
            self.mean.add((self.q * (t - p)).max((self.q - 1.0) * (t - p)));
        }
    }

    fn value(&self) -> f64 {
        self.mean.value()
    }
}
