//! Means of scores, over the windows of a series and over series.

use super::Score;

/// Means over windows or series of the scores that are defined.
pub(super) struct Means {
    models: usize,
    sums: Vec<(f64, u64)>,
    naive2: [(f64, u64); 2],
}

impl Means {
    pub(super) fn new(scores: usize, models: usize) -> Means {
        Means { models, sums: vec![(0.0, 0); scores * models], naive2: [(0.0, 0); 2] }
    }

    /// Adds scores, those of one model after those of another.
    pub(super) fn add(&mut self, scores: impl Iterator<Item = f64>, naive2: [f64; 2]) {
        let sums = self.sums.iter_mut().zip(scores);
        for ((sum, count), score) in sums.chain(self.naive2.iter_mut().zip(naive2)) {
            if score.is_finite() {
                *sum += score;
                *count += 1;
            }
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        self.sums.iter().map(mean)
    }

    pub(super) fn naive2(&self) -> [f64; 2] {
        self.naive2.each_ref().map(mean)
    }

    /// The means by score and model, with the one relative to Naive2.
    pub(super) fn with_owa(&self, scores: &[Score]) -> Vec<f64> {
        let at = |score: usize, model: usize| mean(&self.sums[model * scores.len() + score]);
        let place = |wanted: Score| scores.iter().position(|&score| score == wanted);
        let [smape2, mase2] = self.naive2().map(positive);
        let mut means = Vec::with_capacity(self.sums.len());
        for (number, score) in scores.iter().enumerate() {
            for model in 0..self.models {
                let relative = place(Score::Smape).zip(place(Score::Mase)).map(|(smape, mase)| {
                    (at(smape, model) / smape2 + at(mase, model) / mase2) / 2.0
                });
                means.push(match score {
                    Score::Owa => relative.unwrap_or(f64::NAN),
                    _ => at(number, model),
                });
            }
        }
        means
    }
}

fn mean((sum, count): &(f64, u64)) -> f64 {
    sum / *count as f64
}

/// A number that may be divided by; NaN instead of 0.
pub(super) fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { f64::NAN }
}
