//! Confusion: which classes are taken for which; accuracy, precision, recall and F1 follow from it.

use super::{columns, ratio};

/// Counts of pairs of right and predicted class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    /// Row by right class, column by predicted class.
    counts: Vec<u64>,
}

impl Confusion {
    /// Nothing added yet.
    pub fn new(classes: usize) -> Confusion {
        Confusion { classes, counts: vec![0; classes * classes] }
    }

    /// Adds predicted and right classes. Right classes below 0 do not count, nor do pairs with a class
    /// that does not exist.
    pub fn add(&mut self, predicted: &[i32], right: &[i32]) {
        let known = |class: i32| usize::try_from(class).ok().filter(|&class| class < self.classes);
        for (&predicted, &right) in predicted.iter().zip(right) {
            if let (Some(predicted), Some(right)) = (known(predicted), known(right)) {
                self.counts[right * self.classes + predicted] += 1;
            }
        }
    }

    /// Adds scores `[class, batch]`, the largest of which is the prediction, and the right classes.
    pub fn add_scores(&mut self, scores: &[f32], right: &[i32]) {
        let predicted: Vec<i32> = columns(scores, right.len()).map(|item| largest(&item)).collect();
        self.add(&predicted, right);
    }

    /// How often `right` was taken for `predicted`.
    pub fn count(&self, right: usize, predicted: usize) -> u64 {
        self.counts.get(right * self.classes + predicted).copied().unwrap_or(0)
    }

    /// The share of right predictions.
    pub fn accuracy(&self) -> f64 {
        let hits: u64 = (0..self.classes).map(|class| self.count(class, class)).sum();
        hits as f64 / self.counts.iter().sum::<u64>() as f64
    }

    /// Of the predictions of a class, the share that is right; 0 if there are none.
    pub fn precision_of(&self, class: usize) -> f64 {
        let predicted: u64 = (0..self.classes).map(|right| self.count(right, class)).sum();
        ratio(self.count(class, class) as f64, predicted as f64)
    }

    /// Of the items of a class, the share that is found; 0 if there are none.
    pub fn recall_of(&self, class: usize) -> f64 {
        let right: u64 = (0..self.classes).map(|predicted| self.count(class, predicted)).sum();
        ratio(self.count(class, class) as f64, right as f64)
    }

    /// The harmonic mean of precision and recall of a class.
    pub fn f1_of(&self, class: usize) -> f64 {
        let (precision, recall) = (self.precision_of(class), self.recall_of(class));
        ratio(2.0 * precision * recall, precision + recall)
    }

    /// The mean precision of the classes.
    pub fn precision(&self) -> f64 {
        self.mean(|class| self.precision_of(class))
    }

    /// The mean recall of the classes, also called balanced accuracy.
    pub fn recall(&self) -> f64 {
        self.mean(|class| self.recall_of(class))
    }

    /// The mean F1 of the classes.
    pub fn f1(&self) -> f64 {
        self.mean(|class| self.f1_of(class))
    }

    fn mean(&self, of_class: impl Fn(usize) -> f64) -> f64 {
        (0..self.classes).map(of_class).sum::<f64>() / self.classes as f64
    }
}

/// The class of the largest score, the first of equals; -1 of none.
fn largest(scores: &[f64]) -> i32 {
    let better = |best: Option<usize>, class: usize| match best {
        Some(best) if scores[class] <= scores[best] => Some(best),
        _ => Some(class),
    };
    (0..scores.len()).fold(None, better).map_or(-1, |class| class as i32)
}
