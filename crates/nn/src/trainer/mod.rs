//! The trainer: learns a network from rows in memory or from a source that is larger, and survives being killed at any moment.
//!
//! [`Trainer`] is a struct of settings; [`Trainer::train`] makes a [`Model`] of it, and [`Trainer::start`] a [`Run`],
//! which goes forward step by step. Everything a run does follows from settings, rows and its position: a
//! checkpoint holds the position and the state of the session, so that a run that was killed and
//! resumed writes the same weights and the same log as one that was not.
//!
//! ```
//! use whimbrel_nn::layers::{Linear, Sequential, Sigmoid, Tanh};
//! use whimbrel_nn::losses::Mse;
//! use whimbrel_nn::optimisers::Adam;
//! use whimbrel_nn::trainer::{Examples, Length, Start, Targets, Trainer};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let inputs = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
//! let right = Targets::Values { width: 1, values: vec![0.0, 1.0, 1.0, 0.0] };
//! let examples = Examples::new(2, inputs, right)?;
//!
//! let network =
//!     Sequential::new().then(Linear::new(8)).then(Tanh).then(Linear::new(1)).then(Sigmoid);
//! let trainer = Trainer {
//!     length: Length::Epochs(500),
//!     seed: 1,
//!     ..Trainer::new(network, Mse, Adam { lr: 0.05, ..Adam::default() })
//! };
//! let mut run = trainer.start(&examples, Start::Fresh)?;
//! let mut loss = f32::INFINITY;
//! while let Some(progress) = run.advance()? {
//!     loss = progress.loss;
//! }
//! assert!(loss < 0.01);
//! assert!(run.model()?.predict(&[0.0, 1.0])?[0] > 0.8);
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at `settings.rs`, then `run.rs`.

mod auto;
mod batch;
mod best;
mod checkpoint;
mod curves;
mod error;
mod evaluate;
mod examples;
mod feed;
mod files;
mod folder;
mod gauge;
mod graphs;
mod inputs;
mod log;
mod machine;
mod missing;
mod model;
mod monitor;
mod needs;
mod order;
mod position;
mod profile;
mod resident;
mod rows;
mod run;
mod scores;
mod settings;
mod split;
mod usage;
mod weights;

pub use auto::BatchRate;
pub use curves::{expect_loss_curves, loss_curves};
pub use error::TrainError;
pub use examples::{Examples, Targets};
pub use log::EpochReport;
pub(crate) use missing::MEANS;
pub use model::Model;
pub use monitor::{Activity, Monitor};
pub use needs::Needs;
pub use resident::Resident;
pub use rows::{Chunks, RowForm, Rows, Source, TargetForm};
pub use run::{Progress, Run};
pub use scores::Scores;
pub use settings::{Checkpoints, EarlyStopping, Length, Start, Trainer};
pub use usage::{Spent, Usage};
pub use weights::input_names;
