//! What can go wrong between a graph and its results.

use std::path::PathBuf;
use whimbrel_graph::{GraphError, Type};
use whimbrel_plan::Overlap;
use whimbrel_tensor::OutOfMemory;

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
    #[error("{0}; a smaller batch or network needs less")]
    Memory(#[from] OutOfMemory),
    /// The memory is not what the plan was proved for.
    #[error("the arena cannot be opened: {0}")]
    Arena(String),
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
    /// A graph has no inputs that are parts of one batch, or not those that were asked for.
    #[error("graph {graph} of the session has no batch of floats to fill, or another one")]
    NoBatch {
        /// Its number.
        graph: usize,
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
    #[error("{}: {problem}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: WeightsProblem,
    },
}

/// What is wrong with a file of parameters.
#[derive(Debug, thiserror::Error)]
pub enum WeightsProblem {
    /// It cannot be read.
    #[error("{0}")]
    File(std::io::Error),
    /// It cannot be written; what was there before still is.
    #[error("cannot be written: {0}; make room on the disk, or choose another folder")]
    Write(std::io::Error),
    /// It is no safetensors file, or not all of one.
    #[error("not a usable safetensors file: {0}")]
    Header(String),
    /// It describes a tensor it cannot hold.
    #[error("not a usable safetensors file: \"{name}\": {reason}")]
    Entry {
        /// The tensor.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It lacks a value of the model.
    #[error("has no \"{name}\", which the model needs")]
    Missing {
        /// The value.
        name: String,
    },
    /// It has a value the model does not know.
    #[error("has \"{name}\", which the model does not know")]
    Unknown {
        /// The value.
        name: String,
    },
    /// It has a value of another type.
    #[error("\"{name}\" is {stored}, the model needs {needed}")]
    Mismatch {
        /// The value.
        name: String,
        /// Its type in the file.
        stored: String,
        /// Its type in the model.
        needed: Box<Type>,
    },
}
