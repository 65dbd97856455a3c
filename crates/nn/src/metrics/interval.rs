//! Coverage and IntervalScore: how good predicted intervals are.

use super::Mean;

/// The share of targets within their interval, bounds included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    mean: Mean,
}

impl Coverage {
    /// Adds intervals and targets, as many of each.
    pub fn add(&mut self, lower: &[f32], upper: &[f32], targets: &[f32]) {
        for ((&lower, &upper), &target) in lower.iter().zip(upper).zip(targets) {
            self.mean.add(f64::from(u8::from(lower <= target && target <= upper)));
        }
    }

    /// The share over all that was added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }
}

/// The mean width of intervals, plus `2 / alpha` times the distance of targets outside, called Winkler
/// score: small where intervals are narrow and right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalScore {
    alpha: f64,
    mean: Mean,
}

impl IntervalScore {
    /// Nothing added yet; `alpha` is the share of targets that may lie outside, 0.1 for 90 % intervals.
    pub fn new(alpha: f64) -> IntervalScore {
        IntervalScore { alpha, mean: Mean::default() }
    }

    /// Adds intervals and targets, as many of each.
    pub fn add(&mut self, lower: &[f32], upper: &[f32], targets: &[f32]) {
        for ((&lower, &upper), &target) in lower.iter().zip(upper).zip(targets) {
            let [lower, upper, target] = [lower, upper, target].map(f64::from);
            let outside = (lower - target).max(target - upper).max(0.0);
            self.mean.add(upper - lower + 2.0 / self.alpha * outside);
        }
    }

    /// The mean over all that was added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }
}
