//! Rows: where a training has its rows from, memory or a source that is read again in every epoch.

use super::{Examples, TrainError};

/// What a row is: its inputs, what should be predicted for it, and whether it says how much it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowForm {
    /// Inputs of a row.
    pub features: usize,
    /// What should be predicted.
    pub target: TargetForm,
    /// Whether rows have a weight each.
    pub weighted: bool,
}

/// What should be predicted for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetForm {
    /// So many numbers.
    Values {
        /// Numbers of a row.
        width: usize,
    },
    /// A class, from 0.
    Class,
}

/// Rows that do not fit into memory: they can be read from the first to the last, more than once, and
/// are the same every time.
pub trait Source {
    /// What a row is.
    fn form(&self) -> RowForm;

    /// Begins to read at the first row. Where a training reads, chunks are made on another thread, one ahead of those
    /// in use.
    fn open(&self) -> Result<Chunks, TrainError>;
}

/// The rows of a source in order, some at a time. Where they are cut has no influence on a training.
pub type Chunks = Box<dyn Iterator<Item = Result<Examples, TrainError>> + Send>;

/// Where a training has its rows from.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// Memory.
    Held(&'a Examples),
    /// A source.
    Streamed(&'a dyn Source),
}

impl Rows<'_> {
    /// What a row is.
    pub fn form(&self) -> RowForm {
        match self {
            Rows::Held(examples) => examples.form(),
            Rows::Streamed(source) => source.form(),
        }
    }
}

impl<'a> From<&'a Examples> for Rows<'a> {
    fn from(examples: &'a Examples) -> Rows<'a> {
        Rows::Held(examples)
    }
}

impl<'a> From<&'a dyn Source> for Rows<'a> {
    fn from(source: &'a dyn Source) -> Rows<'a> {
        Rows::Streamed(source)
    }
}
