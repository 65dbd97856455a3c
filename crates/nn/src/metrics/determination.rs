//! Determination: the share of the targets' variance that predictions explain.

use super::{Metric, pairs, ratio};

/// `1 - sum (prediction - target)² / sum (target - mean target)²`, called R²: 1 is perfect, 0 as good as
/// the mean, below 0 worse. Where targets do not vary it is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Determination {
    squared_errors: f64,
    count: f64,
    mean: f64,
    /// The sum of squared distances from the mean so far.
    spread: f64,
}

impl Metric for Determination {
    /// Mean and spread are updated together (Welford, 1962): a difference of large sums would lose
    /// what small variances are made of.
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for (p, t) in pairs(predictions, targets) {
            self.squared_errors += (p - t).powi(2);
            self.count += 1.0;
            let before = t - self.mean;
            self.mean += before / self.count;
            self.spread += before * (t - self.mean);
        }
    }

    fn value(&self) -> f64 {
        match (self.count, self.spread) {
            (0.0, _) => f64::NAN,
            (_, 0.0) => 0.0,
            _ => 1.0 - ratio(self.squared_errors, self.spread),
        }
    }
}
