//! Scores: how good predictions are, gathered batch by batch.

use super::gauge::{Gauge, Judged};
use super::{TargetForm, Trainer};
use crate::metrics::{MetricName, Predictions};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// How good the predictions of some rows are. As JSON it is one object: the loss, then each metric by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The mean loss of the rows, each counted by its weight.
    pub loss: f64,
    /// The metrics that were asked for, in that order; or of classes the accuracy, of numbers mae and rmse. Every row
    /// counts once. NaN where no row counts.
    pub metrics: Vec<(MetricName, f64)>,
}

impl Scores {
    /// A metric, if it is among them.
    pub fn get(&self, name: MetricName) -> Option<f64> {
        self.metrics.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.metrics.len()))?;
        map.serialize_entry("loss", &self.loss)?;
        self.metrics.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// Scores being gathered.
pub(super) struct Scoring {
    loss: f64,
    weight: f64,
    /// Whether yes or no is predicted, and judged as such.
    decisions: bool,
    gauges: Vec<(MetricName, Gauge)>,
}

impl Scoring {
    /// Nothing gathered yet, of predictions of `outputs` numbers a row. Unless metrics are named, those of classes and
    /// of numbers are the usual ones; losses of distributions predict parameters, not numbers to compare with the
    /// target: for them there is the loss alone.
    pub(super) fn new(trainer: &Trainer, target: TargetForm, outputs: usize) -> Scoring {
        let numbers = target == TargetForm::Values { width: outputs };
        let usual: &[MetricName] = match target {
            TargetForm::Class => &[MetricName::Accuracy],
            TargetForm::Values { .. } if numbers => &[MetricName::Mae, MetricName::Rmse],
            TargetForm::Values { .. } => &[],
        };
        let named = !trainer.metrics.is_empty();
        let names = if named { &trainer.metrics } else { usual };
        let gauge = |&name| Some((name, Gauge::new(name, &trainer.loss, outputs)?));
        let decisions = named && Predictions::of(&trainer.loss) == Predictions::Decisions;
        Scoring {
            loss: 0.0,
            weight: 0.0,
            decisions,
            gauges: names.iter().filter_map(gauge).collect(),
        }
    }

    /// Adds the loss of a batch whose rows count so much together: without weights, as many as they are.
    pub(super) fn add_loss(&mut self, loss: f32, weight: f64) {
        self.loss += f64::from(loss) * weight;
        self.weight += weight;
    }

    /// Adds predictions and the right numbers.
    pub(super) fn add_values(&mut self, predictions: &[f32], right: &[f32]) {
        if !self.decisions {
            return self.add(&Judged::Numbers { predictions, right });
        }
        // Logits of no, which are 0, and of yes.
        let scores = [vec![0.0; predictions.len()], predictions.to_vec()].concat();
        let right: Vec<i32> = right.iter().map(|&target| i32::from(target >= 0.5)).collect();
        self.add_classes(&scores, &right);
    }

    /// Adds scores of classes and the right classes.
    pub(super) fn add_classes(&mut self, scores: &[f32], right: &[i32]) {
        let needed = self.gauges.iter().any(|(_, gauge)| gauge.needs_probabilities());
        let probabilities = if needed { softmax(scores, right.len()) } else { Vec::new() };
        self.add(&Judged::Classes { scores, probabilities: &probabilities, right });
    }

    fn add(&mut self, judged: &Judged) {
        self.gauges.iter_mut().for_each(|(_, gauge)| gauge.add(judged));
    }

    /// All that was added.
    pub(super) fn finish(self) -> Scores {
        // Rows none of which counts have no loss.
        let loss = if self.weight == 0.0 { 0.0 } else { self.loss / self.weight };
        let metrics = self.gauges.iter().map(|(name, gauge)| (*name, gauge.value())).collect();
        Scores { loss, metrics }
    }
}

/// The probabilities of logits `[class, batch]`.
fn softmax(logits: &[f32], batch: usize) -> Vec<f32> {
    let mut probabilities = vec![0.0; logits.len()];
    for item in 0..batch {
        let column = || logits.iter().skip(item).step_by(batch).copied();
        let largest = column().fold(f32::NEG_INFINITY, f32::max);
        let raised = |logit: f32| (f64::from(logit) - f64::from(largest)).exp();
        let sum: f64 = column().map(raised).sum();
        let places = probabilities.iter_mut().skip(item).step_by(batch);
        places.zip(column()).for_each(|(place, logit)| *place = (raised(logit) / sum) as f32);
    }
    probabilities
}
