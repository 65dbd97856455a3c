//! Trainer: the settings of a training.

use super::TrainError;
use crate::NnError;
use crate::init::InitRule;
use crate::layers::Sequential;
use crate::losses::Loss;
use crate::metrics::MetricName;
use crate::optimisers::Optimiser;
use crate::schedules::{Constant, Mode, Plateau, Rate, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a network is trained. [`start`](Trainer::start) does it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trainer {
    /// What learns.
    pub network: Sequential,
    /// Parameters that begin otherwise than their layers would have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<InitRule>,
    /// What is made small.
    pub loss: Loss,
    /// How.
    pub optimiser: Optimiser,
    /// The learning rate from step to step.
    pub schedule: Schedule,
    /// How long.
    pub length: Length,
    /// Rows in a batch; the last batch of an epoch has what is left.
    pub batch_size: usize,
    /// Batches whose gradients are averaged before one step; the last step of an epoch has what is left.
    /// As if batches were so much larger, in the memory of one.
    #[serde(skip_serializing_if = "is_one")]
    pub accumulate: usize,
    /// Decides the first weights, the rows of the validation, their order, and dropout.
    pub seed: u64,
    /// The share of rows that is kept from learning, to validate with; of classes the same of each.
    pub validation: f64,
    /// Whether missing inputs, NaN, count as the mean of their column over the rows learned from.
    #[serde(skip_serializing_if = "is_false")]
    pub fill_missing: bool,
    /// Rows that are held to draw from where rows are streamed; unless given, as many as 32 MiB hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle_rows: Option<usize>,
    /// What a validation and an evaluation say beside the loss; unless given, of classes the accuracy, of numbers mae
    /// and rmse. [`MetricName::of_loss`] has those that fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricName>,
    /// Whether and when to stop before the end.
    pub early_stopping: Option<EarlyStopping>,
    /// Where to keep checkpoints, log and weights; nowhere unless given.
    #[serde(skip)]
    pub checkpoints: Option<Checkpoints>,
    /// What the inputs are called; kept with the weights, so that predictions find them again.
    #[serde(skip)]
    pub input_names: Vec<String>,
    /// Threads, on which no result depends; 0 for the cores the process may use.
    #[serde(skip)]
    pub threads: usize,
}

/// How long to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// So many times over all rows.
    Epochs(usize),
    /// So many steps.
    Steps(usize),
}

/// Stops when the loss of the validation has not become smaller for a while, and goes back to the
/// weights it was smallest with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopping {
    /// Epochs without a gain that are tolerated.
    pub patience: usize,
    /// How much smaller is smaller.
    #[serde(default)]
    pub min_delta: f64,
}

/// Where and how often to keep checkpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoints {
    /// The folder; made where it does not exist.
    pub folder: PathBuf,
    /// Steps from one to the next; there is always one at the end.
    pub every: usize,
    /// How many of the newest to keep.
    pub keep: usize,
}

/// What to do about an earlier run in the folder of the checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Refuse to touch it.
    Fresh,
    /// Go on where it was; from the beginning if it did not come to a checkpoint.
    Resume,
}

impl Trainer {
    /// Ten epochs of batches of 32 at the optimiser's own rate, without validation.
    pub fn new(
        network: Sequential,
        loss: impl Into<Loss>,
        optimiser: impl Into<Optimiser>,
    ) -> Trainer {
        Trainer {
            network,
            init: Vec::new(),
            loss: loss.into(),
            optimiser: optimiser.into(),
            schedule: Constant::default().into(),
            length: Length::Epochs(10),
            batch_size: 32,
            accumulate: 1,
            seed: 0,
            validation: 0.0,
            fill_missing: false,
            shuffle_rows: None,
            metrics: Vec::new(),
            early_stopping: None,
            checkpoints: None,
            input_names: Vec::new(),
            threads: 0,
        }
    }

    /// Rows of a step.
    pub(super) fn rows_of_step(&self) -> usize {
        self.batch_size.saturating_mul(self.accumulate)
    }

    /// Says what is wrong with the settings, if anything is.
    pub fn check(&self) -> Result<(), TrainError> {
        let (Length::Epochs(length) | Length::Steps(length)) = self.length;
        let field = match self.length {
            Length::Epochs(_) => "epochs",
            Length::Steps(_) => "steps",
        };
        expect(length > 0, field, length, "must be at least 1")?;
        expect(self.batch_size > 0, "batch_size", self.batch_size, "must be at least 1")?;
        expect(self.accumulate > 0, "accumulate", self.accumulate, "must be at least 1")?;
        let share = (0.0..1.0).contains(&self.validation);
        expect(share, "validation", self.validation, "must be a share, at least 0 and below 1")?;
        let fillable = !self.fill_missing || self.network.indices().is_none();
        expect(fillable, "missing", "mean", "indices of an embedding have none; use another rule")?;
        let least = self.shuffle_rows.unwrap_or(1);
        expect(least > 0, "shuffle_rows", least, "must be at least 1")?;
        if let Some(stop) = self.early_stopping {
            let reason = "early stopping needs rows to validate with; set a share such as 0.2";
            expect(self.validation > 0.0, "validation", self.validation, reason)?;
            let fits = stop.min_delta.is_finite() && stop.min_delta >= 0.0;
            expect(fits, "min_delta", stop.min_delta, "must be a number not below 0")?;
        }
        self.check_metrics()?;
        self.optimiser.check()?;
        self.schedule.check()?;
        self.check_plateau()?;
        if let Some(checkpoints) = &self.checkpoints {
            expect(checkpoints.every > 0, "every", 0, "must be at least 1")?;
            expect(checkpoints.keep > 0, "keep", 0, "must be at least 1")?;
        }
        Ok(())
    }
}

impl Trainer {
    /// Metrics judge what the loss predicts, each once.
    pub(super) fn check_metrics(&self) -> Result<(), TrainError> {
        let (fitting, loss) = (MetricName::of_loss(&self.loss), self.loss.kind());
        for (i, name) in self.metrics.iter().enumerate() {
            let twice = self.metrics[..i].contains(name);
            expect(!twice, "metrics", name, "is named twice; remove one")?;
            let known = match fitting.is_empty() {
                true => format!("the loss {loss} has no metrics; remove it"),
                false => {
                    format!("the metrics of the loss {loss} are {}", MetricName::list(&fitting))
                }
            };
            expect(fitting.contains(name), "metrics", name, &known)?;
        }
        Ok(())
    }

    /// A training observes its loss: a schedule that takes a larger one for better would do the opposite.
    fn check_plateau(&self) -> Result<(), TrainError> {
        match self.schedule.plateau() {
            Some((_, Plateau { mode: Mode::Max, .. })) => {
                let reason = "a training observes its loss, of which less is better; remove mode";
                Err(NnError::setting("schedule plateau", "mode", "max", reason).into())
            }
            _ => Ok(()),
        }
    }
}

fn is_one(number: &usize) -> bool {
    *number == 1
}

fn is_false(setting: &bool) -> bool {
    !setting
}

/// Refuses a setting that does not fit.
fn expect(
    fits: bool,
    field: &'static str,
    value: impl ToString,
    reason: &str,
) -> Result<(), TrainError> {
    match fits {
        true => Ok(()),
        false => {
            let (value, reason) = (value.to_string(), reason.into());
            Err(TrainError::Setting { field, value, reason })
        }
    }
}
