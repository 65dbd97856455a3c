//! Brier: the squared distance of predicted probabilities from what happened.

use super::{Mean, columns};

/// The mean over the items of `sum (probability - [class is right])²` over the classes, from 0 to 2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brier {
    mean: Mean,
}

impl Brier {
    /// Adds probabilities `[class, batch]` and the right classes; those below 0 do not count.
    pub fn add(&mut self, probabilities: &[f32], right: &[i32]) {
        for (item, &right) in columns(probabilities, right.len()).zip(right) {
            let Ok(right) = usize::try_from(right) else { continue };
            let truth = |class: usize| if class == right { 1.0 } else { 0.0 };
            let distance = |(class, p): (usize, &f64)| (p - truth(class)).powi(2);
            self.mean.add(item.iter().enumerate().map(distance).sum());
        }
    }

    /// The mean over all that was added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }
}
