//! The metrics: numbers that say how good predictions are, gathered batch by batch.
//!
//! Each has `add`, which takes more predictions, and `value`, over all that was added. Sums are in f64
//! and in the order of adding, so that the size of the batches does not show. Without any data a value
//! is NaN.
//!
//! Start reading at `mean_error.rs`.

mod brier;
mod confusion;
mod correlation;
mod determination;
mod interval;
mod log_loss;
mod max_error;
mod mean_error;
mod named;
mod quantile_loss;
mod scaled_error;
mod top_k;
mod weighted_error;

pub use brier::Brier;
pub use confusion::Confusion;
pub use correlation::Correlation;
pub use determination::Determination;
pub use interval::{Coverage, IntervalScore};
pub use log_loss::LogLoss;
pub use max_error::MaxError;
pub use mean_error::{ErrorKind, MeanError};
pub use named::MetricName;
pub(crate) use named::Predictions;
pub use quantile_loss::QuantileLoss;
pub use scaled_error::{ScaledError, Scaling};
pub use top_k::TopKAccuracy;
pub use weighted_error::WeightedError;

/// What metrics of numbers against numbers can do.
pub trait Metric {
    /// Adds predictions and what they should have been, as many of one as of the other.
    fn add(&mut self, predictions: &[f32], targets: &[f32]);

    /// The metric of all that was added.
    fn value(&self) -> f64;
}

/// A mean of numbers that come one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, x: f64) {
        self.sum += x;
        self.count += 1;
    }

    fn value(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// `a / b`, and 0 where b is 0.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// Pairs of predictions and targets as f64.
fn pairs<'a>(predictions: &'a [f32], targets: &'a [f32]) -> impl Iterator<Item = (f64, f64)> + 'a {
    predictions.iter().zip(targets).map(|(&p, &t)| (f64::from(p), f64::from(t)))
}

/// The predictions of each item of `[class, batch]`.
fn columns(predictions: &[f32], items: usize) -> impl Iterator<Item = Vec<f64>> + '_ {
    (0..items)
        .map(move |item| predictions.iter().skip(item).step_by(items).map(|&p| p.into()).collect())
}
