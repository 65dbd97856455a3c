//! Instructions: one lowered operation, cut into pieces of contiguous memory.

use whimbrel_graph::Cost;
use whimbrel_tensor::arena::{Access, Views};

/// Computes one piece, given its number and the slices its [`Access`] names.
pub type Kernel = Box<dyn Fn(usize, Views<'_>) + Send + Sync>;

/// One operation over the arena.
pub struct Instruction {
    /// What it does, for reports.
    pub name: String,
    /// Arithmetic and traffic of all pieces.
    pub cost: Cost,
    /// What each piece reads and writes.
    pub pieces: Vec<Access>,
    /// The computation.
    pub kernel: Kernel,
}
