//! Neural networks over Whimbrel's graph: layers, losses, optimisers, schedules, metrics.
//!
//! A layer is a plain struct of its settings, under PyTorch's names and with its defaults; it can
//! be written in Rust or read from a file. [`layers::Forward`] writes it into a graph, where its
//! parameters have PyTorch's names. Losses and optimisers extend the graph; training is running it.
//!
//! The batch is the last axis: features are `[channel, batch]`, sequences `[time, channel, batch]`.
//! Parameters have PyTorch's shapes but for biases, which are columns `[out, 1]`, and weights of
//! convolutions, `[tap, out, in]`.
//!
//! ```
//! use whimbrel_graph::Builder;
//! use whimbrel_nn::layers::{Forward, Linear, Relu, Sequential};
//! use whimbrel_nn::losses::{Criterion, Mse};
//! use whimbrel_nn::optimisers::{Adam, Optimiser};
//! use whimbrel_nn::{NnError, Scope};
//! # fn main() -> Result<(), NnError> {
//! let network = Sequential::new().then(Linear::new(16)).then(Relu).then(Linear::new(1));
//! let g = Builder::new();
//! let (x, y) = (g.batch("x", [4, 32])?, g.batch("y", [1, 32])?);
//! let loss = Mse.loss(network.forward(x, &Scope::training(&g))?, y)?;
//! Optimiser::new(Adam::default()).minimise(loss)?;
//! g.output("loss", loss);
//! let training_step = g.finish()?;
//! # let _ = training_step;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/xor.rs` trains a network from the first line to the last. Start reading at
//! [`layers`], then `layers/linear.rs`, the layer to imitate.
#![forbid(unsafe_code)]

mod error;
pub mod export;
pub mod file;
mod hash;
pub mod init;
pub mod layers;
pub mod losses;
pub mod metrics;
mod names;
pub mod optimisers;
pub mod schedules;
mod scope;
mod shuffle;
mod summary;
pub mod trainer;

pub use error::NnError;
pub use scope::{Phase, Scope};
pub use shuffle::shuffle;
pub use summary::{LayerSummary, summarise};
pub use whimbrel_engine::random::at as random;
