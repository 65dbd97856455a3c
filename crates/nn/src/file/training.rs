//! The table `[training]`: how it is learned.

use super::{BatchSize, Data, Missing};
use crate::layers::Sequential;
use crate::losses::Loss;
use crate::metrics::MetricName;
use crate::optimisers::{Clip, Ema, Group, Optimiser, Rule};
use crate::schedules::{Constant, Schedule};
use crate::trainer::{Checkpoints, EarlyStopping, Length, Trainer};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// How it is learned.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// What is made small.
    pub loss: Loss,
    /// How.
    pub optimiser: Rule,
    /// Parameters that are treated otherwise than the rest.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// The bound of the gradients.
    #[serde(default)]
    pub clip: Option<Clip>,
    /// Whether the weights are averaged over the steps; then the averages are validated and kept.
    #[serde(default)]
    pub ema: Option<Ema>,
    /// The learning rate from step to step; the optimiser's own unless given.
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Times over all rows.
    #[serde(default)]
    pub epochs: Option<usize>,
    /// Steps, instead of epochs.
    #[serde(default)]
    pub steps: Option<usize>,
    /// Rows in a batch.
    #[serde(default)]
    pub batch_size: BatchSize,
    /// Batches whose gradients are averaged before one step.
    #[serde(default = "one")]
    pub accumulate: usize,
    /// Decides the first weights, the rows of the validation, their order, and dropout.
    #[serde(default)]
    pub seed: u64,
    /// What a validation and an evaluation say beside the loss; unless given, of classes the accuracy, of numbers mae
    /// and rmse.
    #[serde(default)]
    pub metrics: Option<Vec<MetricName>>,
    /// Whether and when to stop before the end.
    #[serde(default)]
    pub early_stopping: Option<EarlyStopping>,
    /// Where and how often to keep checkpoints.
    #[serde(default)]
    pub checkpoints: Keeping,
}

/// Where and how often to keep checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Keeping {
    /// The folder, relative to the network file; the file's own name ending in `.run` unless given.
    pub folder: Option<PathBuf>,
    /// Steps from one to the next.
    pub every: usize,
    /// How many of the newest to keep.
    pub keep: usize,
}

impl Default for Keeping {
    fn default() -> Keeping {
        Keeping { folder: None, every: 1000, keep: 2 }
    }
}

fn one() -> usize {
    1
}

impl Training {
    /// The training of a network; checkpoints are kept in `folder`.
    pub(super) fn trainer(&self, network: Sequential, data: &Data, folder: PathBuf) -> Trainer {
        let Keeping { every, keep, .. } = self.checkpoints;
        Trainer {
            network,
            init: Vec::new(),
            input_names: Vec::new(),
            loss: self.loss.clone(),
            optimiser: Optimiser {
                rule: self.optimiser.clone(),
                groups: self.groups.clone(),
                clip: self.clip,
                ema: self.ema,
            },
            schedule: self.schedule.clone().unwrap_or_else(|| Constant::default().into()),
            length: match self.steps {
                Some(steps) => Length::Steps(steps),
                None => Length::Epochs(self.epochs.unwrap_or(0)),
            },
            batch_size: self.batch_size.rows().unwrap_or(BatchSize::USUAL),
            accumulate: self.accumulate,
            seed: self.seed,
            validation: data.validation,
            fill_missing: data.missing == Missing::Mean,
            shuffle_rows: data.shuffle_rows,
            metrics: self.metrics.clone().unwrap_or_default(),
            early_stopping: self.early_stopping,
            checkpoints: Some(Checkpoints { folder, every, keep }),
            threads: 0,
        }
    }
}
