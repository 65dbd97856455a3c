//! Tables of a file, one after another, read ahead while they are used.

use std::path::Path;
use whimbrel::DataError;
use whimbrel::csv::{Options, Request, Stream};
use whimbrel::data::{Kind, Table};

/// Tables of a file, one after another.
pub type Tables = Box<dyn Iterator<Item = Result<Table, DataError>> + Send>;

/// The names of all columns of a file.
pub fn header(path: &Path) -> Result<Vec<String>, DataError> {
    Ok(Stream::open(path, &Options::default())?.header().to_vec())
}

/// The columns `names` of a file as numbers, a value in every row.
pub fn open(path: &Path, names: &[String]) -> Result<Tables, DataError> {
    let number = |name: &String| Request::of(name, Kind::Float).required();
    Ok(Box::new(Stream::open(path, &Options::columns(names.iter().map(number)))?))
}
