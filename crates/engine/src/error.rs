//! What can go wrong between a graph and its results.

use whimbrel_graph::{GraphError, Type};
use whimbrel_plan::Overlap;

/// A failure to compile, bind or run.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The graph is malformed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The back end cannot run an operation.
    #[error("the {backend} back end cannot run {op}: {reason}")]
    Unsupported {
        /// The back end.
        backend: &'static str,
        /// The operation.
        op: String,
        /// What it lacks.
        reason: String,
    },
    /// A plan would overwrite a value still needed; a defect of the planner.
    #[error("the memory plan is wrong: {0}")]
    Plan(#[from] Overlap),
    /// Pieces that run at once would touch the same memory; a defect of the lowering.
    #[error("the instructions conflict: {0}")]
    Conflict(String),
    /// The memory cannot be had.
    #[error("out of memory: {0}")]
    Memory(String),
    /// No input, output or state has this name.
    #[error("no {kind} is called \"{name}\"; there are: {known}")]
    UnknownName {
        /// Input, output or state.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The data bound do not have the size of the value.
    #[error("\"{name}\" is {ty}, {expected} elements; was given {given}")]
    WrongLength {
        /// The value.
        name: String,
        /// Its type.
        ty: Box<Type>,
        /// Its elements.
        expected: usize,
        /// Elements given.
        given: usize,
    },
    /// The data bound have another element type.
    #[error("\"{name}\" is {ty}, not {given}")]
    WrongType {
        /// The value.
        name: String,
        /// Its type.
        ty: Box<Type>,
        /// The type given.
        given: &'static str,
    },
    /// An index points outside the table it is for.
    #[error("\"{name}\"[{at}] is {index}, outside the table's {rows} rows")]
    IndexOutOfRange {
        /// The input with the indices.
        name: String,
        /// Position of the index.
        at: usize,
        /// The index.
        index: i32,
        /// Rows of the table.
        rows: usize,
    },
    /// Two graphs of one session disagree about a state value.
    #[error("state \"{name}\" is {first} in one graph and {second} in another")]
    StateMismatch {
        /// The state.
        name: String,
        /// Its type in the first graph.
        first: Box<Type>,
        /// Its type in the other.
        second: Box<Type>,
    },
    /// A file of parameters cannot be used.
    #[error("{path}: {reason}")]
    Weights {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}
