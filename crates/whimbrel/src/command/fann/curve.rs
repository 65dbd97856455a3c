//! The error over a training of any length, in a bounded number of points.

use whimbrel::chart::{Chart, Line};

/// The most points that are kept; then every second is dropped.
const MOST: usize = 2000;

/// Errors at equal distances, the last one always among them.
pub struct Curve {
    unit: &'static str,
    points: Vec<(f64, f64)>,
    stride: u32,
    last: (f64, f64),
}

impl Curve {
    pub fn new(unit: &'static str) -> Curve {
        Curve { unit, points: Vec::new(), stride: 1, last: (0.0, f64::NAN) }
    }

    /// Adds the error after so many epochs.
    pub fn add(&mut self, count: u32, error: f32) {
        self.last = (f64::from(count), f64::from(error));
        if !count.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(self.last);
        if self.points.len() == MOST {
            self.stride = self.stride.saturating_mul(2);
            self.points.retain(|point| (point.0 as u32).is_multiple_of(self.stride));
        }
    }

    /// Epochs at the last point.
    pub fn count(&self) -> u64 {
        self.last.0 as u64
    }

    /// The curve as a picture.
    pub fn chart(&self) -> Chart {
        let end = self.points.last().is_none_or(|point| point.0 < self.last.0);
        let points = self.points.iter().copied().chain(end.then_some(self.last));
        let line = Line::new("mean square error", points);
        Chart::new("Error of the training").axes(self.unit, "error").line(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_training_leaves_few_points_and_its_end() {
        let mut curve = Curve::new("epochs");
        for epoch in 1..=1_000_001 {
            curve.add(epoch, 1.0 / epoch as f32);
        }
        assert!((MOST / 4..MOST).contains(&curve.points.len()), "{}", curve.points.len());
        assert!(
            curve.points.windows(2).all(|pair| pair[1].0 - pair[0].0 == f64::from(curve.stride))
        );
        assert_eq!(curve.last.0, 1_000_001.0);
    }
}
