//! Correlation: whether predictions rise and fall with the targets.

use super::{Metric, pairs, ratio};

/// Pearson's correlation, from -1 to 1; 0 where one of the two does not vary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlation {
    count: f64,
    means: [f64; 2],
    spreads: [f64; 2],
    together: f64,
}

impl Metric for Correlation {
    /// As in [`Determination`](super::Determination), distances are taken from the means so far.
    fn add(&mut self, predictions: &[f32], targets: &[f32]) {
        for (p, t) in pairs(predictions, targets) {
            self.count += 1.0;
            let before = [p - self.means[0], t - self.means[1]];
            for (mean, distance) in self.means.iter_mut().zip(before) {
                *mean += distance / self.count;
            }
            let after = [p - self.means[0], t - self.means[1]];
            self.spreads[0] += before[0] * after[0];
            self.spreads[1] += before[1] * after[1];
            self.together += before[0] * after[1];
        }
    }

    fn value(&self) -> f64 {
        match self.count {
            0.0 => f64::NAN,
            _ => ratio(self.together, (self.spreads[0] * self.spreads[1]).sqrt()),
        }
    }
}
