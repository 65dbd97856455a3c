//! What the caller wants of a file: which columns, and what they hold.

use crate::kind::Kind;

/// What a column shall hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// This.
    Exactly(Kind),
    /// Whole numbers, else numbers, else times, else text, as the fields are.
    Inferred,
    /// Whole numbers, else times, else text: the axis of a time series.
    Axis,
}

/// A column asked for by name.
///
/// Fields that are empty, or `NA`, `N/A`, `NaN`, `null`, `none` in any case among numbers or times,
/// are missing values, and are refused with their line where the column is [`required`](Request::required).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub(crate) name: String,
    pub(crate) want: Want,
    pub(crate) required: bool,
}

impl Request {
    /// A column that holds `kind`; a field that does not is an error.
    pub fn of(name: &str, kind: Kind) -> Request {
        Request { name: name.into(), want: Want::Exactly(kind), required: false }
    }

    /// A column that holds what its fields look like.
    pub fn inferred(name: &str) -> Request {
        Request { name: name.into(), want: Want::Inferred, required: false }
    }

    /// A column of whole numbers or of times; text where the fields are neither.
    pub fn axis(name: &str) -> Request {
        Request { name: name.into(), want: Want::Axis, required: false }
    }

    /// The name it is asked for by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same column, a value in every row.
    pub fn required(self) -> Request {
        Request { required: true, ..self }
    }
}

/// What to read of a file. The default is every column, inferred.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) only: Option<Vec<Request>>,
    pub(crate) known: Vec<Request>,
    pub(crate) block_bytes: Option<usize>,
}

impl Options {
    /// These columns and no others, in this order.
    pub fn columns(columns: impl IntoIterator<Item = Request>) -> Options {
        Options { only: Some(columns.into_iter().collect()), ..Options::default() }
    }

    /// Every column, this one so. An error where the file does not have it.
    pub fn with(mut self, column: Request) -> Options {
        match &mut self.only {
            Some(only) => only.push(column),
            None => self.known.push(column),
        }
        self
    }

    /// Bytes of text that become one table of a [`Stream`](super::Stream), about; memory grows with it.
    pub fn block_bytes(self, bytes: usize) -> Options {
        Options { block_bytes: Some(bytes.max(1)), ..self }
    }
}
