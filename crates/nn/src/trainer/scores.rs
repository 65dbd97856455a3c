//! Scores: how good predictions are, gathered batch by batch.

use super::TargetForm;
use crate::metrics::{Confusion, ErrorKind, MeanError, Metric};
use serde::Serialize;

/// How good the predictions of some rows are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The mean loss of the rows, each counted by its weight.
    pub loss: f64,
    /// Of classes, the share of right predictions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Of numbers, the mean absolute error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Of numbers, the root of the mean squared error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
}

/// Scores being gathered.
#[derive(Debug)]
pub(super) struct Scoring {
    loss: f64,
    weight: f64,
    hits: Option<Confusion>,
    errors: Option<[MeanError; 2]>,
}

impl Scoring {
    /// Nothing gathered yet, of predictions of `outputs` numbers a row. Losses of distributions predict
    /// parameters, not numbers to compare with the target: for them there is the loss alone.
    pub(super) fn new(target: TargetForm, outputs: usize) -> Scoring {
        let hits = (target == TargetForm::Class).then(|| Confusion::new(outputs));
        let numbers = target == TargetForm::Values { width: outputs };
        let errors = [ErrorKind::Mae, ErrorKind::Rmse].map(MeanError::new);
        Scoring { loss: 0.0, weight: 0.0, hits, errors: numbers.then_some(errors) }
    }

    /// Adds the loss of a batch whose rows count so much together: without weights, as many as they are.
    pub(super) fn add_loss(&mut self, loss: f32, weight: f64) {
        self.loss += f64::from(loss) * weight;
        self.weight += weight;
    }

    /// Adds predictions and the right numbers.
    pub(super) fn add_values(&mut self, predictions: &[f32], right: &[f32]) {
        for error in self.errors.iter_mut().flatten() {
            error.add(predictions, right);
        }
    }

    /// Adds scores of classes and the right classes.
    pub(super) fn add_classes(&mut self, predictions: &[f32], right: &[i32]) {
        if let Some(hits) = &mut self.hits {
            hits.add_scores(predictions, right);
        }
    }

    /// All that was added.
    pub(super) fn finish(self) -> Scores {
        let [mae, rmse] = match self.errors {
            Some(errors) => errors.map(|error| Some(error.value())),
            None => [None, None],
        };
        let accuracy = self.hits.map(|hits| hits.accuracy());
        // Rows none of which counts have no loss.
        let loss = if self.weight == 0.0 { 0.0 } else { self.loss / self.weight };
        Scores { loss, accuracy, mae, rmse }
    }
}
