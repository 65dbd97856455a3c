//! What can go wrong in a training, said with its place and the remedy.

use crate::NnError;
use std::path::PathBuf;
use whimbrel_engine::{EngineError, WeightsProblem};

/// Why a training did not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The network does not fit together or to the data.
    #[error(transparent)]
    Network(#[from] NnError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A setting has a value that cannot be.
    #[error("{field} is {value}: {reason}")]
    Setting {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        reason: String,
    },
    /// The rows cannot be learned from.
    #[error("{problem}; {remedy}")]
    Data {
        /// What is wrong with them.
        problem: String,
        /// What to change.
        remedy: &'static str,
    },
    /// A source cannot be read, or gives what is no row.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
    /// The folder belongs to an earlier run.
    #[error(
        "{} holds an earlier run; resume it, or name another folder, or delete this one",
        folder.display()
    )]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that the run would write is there, and not of any run.
    #[error("{}: is there already and not of whimbrel; move it away, or name another folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another process is at work in the folder.
    #[error("{}: another run is writing it; wait for its end, or name another folder", path.display())]
    InUse {
        /// Its log.
        path: PathBuf,
    },
    /// A file of an earlier run cannot be used.
    #[error("{}: {problem}; {remedy}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A file cannot be written any further.
    #[error(
        "{}: cannot be written: {source}; {}choose another folder",
        path.display(),
        if lacks_room(source) { "make room on the disk, or " } else { "" }
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The loss is no number any more.
    #[error("the loss is {loss} in step {step}; lower the learning rate, or clip the gradients")]
    Diverged {
        /// The step.
        step: usize,
        /// The loss.
        loss: f32,
    },
    /// The loss of the validation is no number any more.
    #[error(
        "the loss of the validation is {loss} after step {step}; lower the learning rate, or clip the gradients"
    )]
    ValidationDiverged {
        /// The step before it.
        step: usize,
        /// The loss.
        loss: f64,
    },
    /// A parameter has numbers that are none any more.
    #[error(
        "{parameter} is not finite after step {step}; lower the learning rate, or clip the gradients"
    )]
    NotFinite {
        /// The step.
        step: usize,
        /// The first such parameter.
        parameter: String,
    },
    /// A training with early stopping left the numbers after its best epoch, whose weights are kept.
    #[error(
        "{source}; the best weights so far, of epoch {epoch}, are {}",
        path.as_ref().map_or("in the run".into(), |path| format!("in {}", path.display()))
    )]
    AfterBest {
        /// How it left them.
        source: Box<TrainError>,
        /// The best epoch, the first is 1.
        epoch: usize,
        /// The file of its weights; without a folder they are in the run alone.
        path: Option<PathBuf>,
    },
}

impl TrainError {
    /// Whether a file of the run could not be written: with room for it, the run can be resumed.
    pub fn is_unwritten(&self) -> bool {
        match self {
            TrainError::Engine(EngineError::Weights { problem, .. }) => {
                matches!(problem, WeightsProblem::Write(_))
            }
            TrainError::Write { .. } => true,
            _ => false,
        }
    }

    /// Whether a loss or a weight is no number any more.
    pub fn is_diverged(&self) -> bool {
        matches!(
            self,
            TrainError::Diverged { .. }
                | TrainError::ValidationDiverged { .. }
                | TrainError::NotFinite { .. }
                | TrainError::AfterBest { .. }
        )
    }

    /// Whether what was given is to blame, and not the run.
    pub fn is_input(&self) -> bool {
        match self {
            TrainError::Network(_)
            | TrainError::Setting { .. }
            | TrainError::Data { .. }
            | TrainError::Source(_)
            | TrainError::Occupied { .. }
            | TrainError::Foreign { .. }
            | TrainError::InUse { .. }
            | TrainError::Checkpoint { .. } => true,
            TrainError::Engine(error) => {
                matches!(error, EngineError::Weights { .. }) && !self.is_unwritten()
            }
            TrainError::File { .. }
            | TrainError::Write { .. }
            | TrainError::Diverged { .. }
            | TrainError::ValidationDiverged { .. }
            | TrainError::NotFinite { .. }
            | TrainError::AfterBest { .. } => false,
        }
    }
}

/// Whether the disk is full, or what may be used of it.
fn lacks_room(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}
