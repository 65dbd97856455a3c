//! The trainer: learns a network from rows in memory, and survives being killed at any moment.
//!
//! [`Trainer`] is a struct of settings; [`Trainer::start`] makes a [`Run`] of it, which goes forward
//! step by step. Everything a run does follows from settings, rows and its position: a
//! checkpoint holds the position and the state of the session, so that a run that was killed and
//! resumed writes the same weights and the same log as one that was not.
//!
//! Start reading at `settings.rs`, then `run.rs`.

mod best;
mod checkpoint;
mod error;
mod examples;
mod folder;
mod graphs;
mod log;
mod machine;
mod model;
mod order;
mod position;
mod run;
mod scores;
mod settings;
mod split;

pub use error::TrainError;
pub use examples::{Examples, Targets};
pub use log::EpochReport;
pub use model::Model;
pub use run::{Progress, Run};
pub use scores::Scores;
pub use settings::{Checkpoints, EarlyStopping, Length, Start, Trainer};
