//! Runs graphs: passes, plan, lowering to instructions, sessions that hold the memory.
//!
//! A [`Session`] compiles one or several graphs over one parameter state. Compiling fixes every
//! address; running allocates nothing, and gives the same bits for any number of threads.
//!
//! ```
//! use whimbrel_engine::Session;
//! use whimbrel_graph::{Builder, Init};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let g = Builder::new();
//! let x = g.batch("x", [3, 2])?;
//! let w = g.parameter("w", [1, 3], Init::Constant(2.0))?;
//! g.output("y", w.dot(x)?);
//! let mut session = Session::new(&g.finish()?)?;
//! session.write("x", &[1.0, 10.0, 2.0, 20.0, 3.0, 30.0])?;
//! session.run()?;
//! assert_eq!(session.read("y")?, [12.0, 120.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`Session`], then `cpu/mod.rs`.
#![forbid(unsafe_code)]

mod backend;
mod batch;
pub mod cpu;
mod error;
mod init;
mod metadata;
mod profile;
pub mod random;
mod replace;
mod session;
mod weights;

pub use backend::{Backend, Batch, Executable, FillBlock, Line, Planned, Report, Slot};
pub use batch::{BatchInputs, Block};
pub use error::{EngineError, WeightsProblem};
pub use metadata::read_metadata;
pub use profile::{Event, Limits, Profile};
pub use replace::{expect_replaceable, replace};
pub use session::{Options, Session};
pub use weights::save_tensors;
pub use whimbrel_plan::{Buffer, Class, Usage};
