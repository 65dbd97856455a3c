//! LogLoss: how surprised predicted probabilities are by what happened.

use super::{Mean, columns};

/// The mean of `-log probability` of the right class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogLoss {
    mean: Mean,
}

impl LogLoss {
    /// Adds probabilities `[class, batch]` and the right classes; those below 0 do not count. A
    /// probability of 0 counts as the smallest f32.
    pub fn add(&mut self, probabilities: &[f32], right: &[i32]) {
        for (item, &right) in columns(probabilities, right.len()).zip(right) {
            let Ok(right) = usize::try_from(right) else { continue };
            let probability = item.get(right).copied().unwrap_or(0.0);
            self.mean.add(-probability.max(f64::from(f32::MIN_POSITIVE)).ln());
        }
    }

    /// The mean over all that was added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }

    /// The number of classes a fair die would need to surprise as much.
    pub fn perplexity(&self) -> f64 {
        self.value().exp()
    }
}
