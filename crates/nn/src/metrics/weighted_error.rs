//! WeightedError: all errors over all targets.

use super::{Metric, pairs, ratio};

/// `sum |prediction - target| / sum |target|`, called WAPE or ND: large targets weigh more, and single
/// targets of 0 do no harm. 0 where all are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedError {
    errors: f64,
    targets: f64,
}

impl Metric for WeightedError {
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for (p, t) in pairs(predictions, targets) {
            self.errors += (p - t).abs();
            self.targets += t.abs();
        }
    }

    fn value(&self) -> f64 {
        ratio(self.errors, self.targets)
    }
}
