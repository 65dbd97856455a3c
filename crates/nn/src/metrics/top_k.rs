//! TopKAccuracy: whether the right class is among the first few.

use super::{Mean, columns};

/// The share of items whose right class has one of the `k` largest scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopKAccuracy {
    k: usize,
    mean: Mean,
}

impl TopKAccuracy {
    /// Nothing added yet.
    pub fn new(k: usize) -> TopKAccuracy {
        TopKAccuracy { k, mean: Mean::default() }
    }

    /// Adds scores `[class, batch]` and the right classes; those below 0 do not count.
    pub fn add(&mut self, scores: &[f32], right: &[i32]) {
        for (scores, &right) in columns(scores, right.len()).zip(right) {
            let Ok(right) = usize::try_from(right) else { continue };
            let hit = scores
                .get(right)
                .is_some_and(|&own| scores.iter().filter(|&&other| other > own).count() < self.k);
            self.mean.add(f64::from(u8::from(hit)));
        }
    }

    /// The share over all that was added.
    pub fn value(&self) -> f64 {
        self.mean.value()
    }
}
