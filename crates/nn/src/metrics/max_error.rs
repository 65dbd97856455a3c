//! MaxError: the largest error.

use super::{Metric, pairs};

/// The largest `|prediction - target|`; NaN if one is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaxError {
    largest: Option<f64>,
}

impl Metric for MaxError {
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for error in pairs(predictions, targets).map(|(p, t)| (p - t).abs()) {
            let known = self.largest.unwrap_or(error);
            // max() would pass over a NaN.
            let broken = known.is_nan() || error.is_nan();
            self.largest = Some(if broken { f64::NAN } else { known.max(error) });
        }
    }

    fn value(&self) -> f64 {
        self.largest.unwrap_or(f64::NAN)
    }
}
