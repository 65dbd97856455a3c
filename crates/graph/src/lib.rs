//! A model is a graph of a few dozen operations with static shapes.
//!
//! [`Builder`] writes a [`Graph`] through [`Var`] handles; mistakes in shapes are errors at the
//! line that makes them. [`Builder::gradients`] extends the graph with its own derivative, so
//! training is one larger graph. Passes rewrite graphs, [`verify`](Graph::verify) checks them,
//! [`evaluate`](Graph::evaluate) runs them slowly in f64 as the reference for everything else.
//!
//! The batch is the last axis: a dense layer is `w[out, in] . x[in, batch]`.
//!
//! ```
//! use whimbrel_graph::{Builder, Init};
//! # fn main() -> Result<(), whimbrel_graph::GraphError> {
//! let g = Builder::new();
//! let x = g.batch("x", [24, 32])?;
//! let y = g.batch("y", [12, 32])?;
//! let w = g.parameter("w", [12, 24], Init::Uniform { bound: 0.2 })?;
//! let loss = w.dot(x)?.sub(y)?.abs()?.mean()?;
//! let grads = g.gradients(loss, &[w])?;
//! assert_eq!(grads[0].shape()[..], [12, 24]);
//! g.output("loss", loss);
//! let graph = g.finish()?;
//! # let _ = graph;
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`graph`], then one operation, `ops/unary.rs`.
#![forbid(unsafe_code)]

mod array;
mod autodiff;
mod build;
mod dump;
mod error;
mod evaluate;
pub mod graph;
pub mod ops;
pub mod passes;
mod types;
mod verify;

pub use array::Array;
pub use build::{Builder, Var};
pub use error::GraphError;
pub use graph::{Graph, Node, NodeId, ValueId};
pub use ops::{Cost, Init, Op, Operation};
pub use types::Type;
