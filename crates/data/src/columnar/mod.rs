//! Columnar files: Parquet and Arrow IPC, which is also Feather.
//!
//! The crates of the Arrow project read and write the formats; `from_arrow` and `to_arrow` convert
//! between their arrays and ours. [`Columnar`] is the front door.

mod declared;
mod from_arrow;
mod ipc;
mod parquet;
mod to_arrow;

use crate::error::{DataError, Problem};
use crate::table::Table;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use whimbrel_threads::Pool;

/// Tables of a file, one after another: as many rows as the file keeps together.
pub type Tables = Box<dyn Iterator<Item = Result<Table, DataError>> + Send>;

/// The formats of columnar files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columnar {
    /// Parquet.
    Parquet,
    /// Arrow IPC, which is also Feather. Streams are read too; what is written is a file.
    Arrow,
}

impl Columnar {
    /// The format of what begins with these bytes; none if it is neither.
    pub fn of_start(start: &[u8]) -> Option<Columnar> {
        match start {
            // A table of text may begin with a column of such a name; a comma or a letter follows then.
            [b'P', b'A', b'R', b'1', 0..b' ', ..] => Some(Columnar::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => Some(Columnar::Arrow),
            // Text, in UTF-8 or UTF-16, never begins so.
            [0xff, 0xff, 0xff, 0xff, ..] => Some(Columnar::Arrow),
            _ => None,
        }
    }

    /// The format that the ending of a file's name means; none if it is neither.
    pub fn of_ending(path: &Path) -> Option<Columnar> {
        let ending = path.extension().map(OsStr::to_ascii_lowercase)?;
        match ending.to_str()? {
            "parquet" => Some(Columnar::Parquet),
            "arrow" | "feather" => Some(Columnar::Arrow),
            _ => None,
        }
    }

    /// The names of all columns of a file, whatever they hold.
    pub fn header(self, path: impl AsRef<Path>) -> Result<Vec<String>, DataError> {
        let (file, input) = open(path.as_ref())?;
        match self {
            Columnar::Parquet => parquet::header(&file, input),
            Columnar::Arrow => ipc::header(&file, BufReader::new(input)),
        }
    }

    /// The same of a file that is in memory; errors call it `file`.
    pub fn header_bytes(self, file: &str, bytes: &[u8]) -> Result<Vec<String>, DataError> {
        let bytes = Bytes::copy_from_slice(bytes);
        match self {
            Columnar::Parquet => parquet::header(file, bytes),
            Columnar::Arrow => ipc::header(file, Cursor::new(bytes)),
        }
    }

    /// Reads the columns `names` of a file, or all.
    pub fn read(self, path: impl AsRef<Path>, names: Option<&[&str]>) -> Result<Table, DataError> {
        let file = path.as_ref().display().to_string();
        join(&file, self.stream(path, names)?)
    }

    /// Reads a file that is in memory; errors call it `file`.
    pub fn read_bytes(
        self,
        file: &str,
        bytes: &[u8],
        names: Option<&[&str]>,
    ) -> Result<Table, DataError> {
        join(file, self.stream_bytes(file, bytes, names)?)
    }

    /// Reads a file table by table, for files larger than memory.
    pub fn stream(
        self,
        path: impl AsRef<Path>,
        names: Option<&[&str]>,
    ) -> Result<Tables, DataError> {
        let (file, input) = open(path.as_ref())?;
        match self {
            Columnar::Parquet => parquet::stream(&file, input, names),
            Columnar::Arrow => ipc::stream(&file, BufReader::new(input), names),
        }
    }

    /// Reads a file that is in memory table by table.
    pub fn stream_bytes(
        self,
        file: &str,
        bytes: &[u8],
        names: Option<&[&str]>,
    ) -> Result<Tables, DataError> {
        let bytes = Bytes::copy_from_slice(bytes);
        match self {
            Columnar::Parquet => parquet::stream(file, bytes, names),
            Columnar::Arrow => ipc::stream(file, Cursor::new(bytes), names),
        }
    }

    /// Writes a table.
    pub fn write(self, output: impl Write + Send, table: &Table) -> io::Result<()> {
        match self {
            Columnar::Parquet => parquet::write(output, table),
            Columnar::Arrow => ipc::write(output, table),
        }
    }
}

/// A file, and what errors call it.
fn open(path: &Path) -> Result<(String, File), DataError> {
    let file = path.display().to_string();
    let input = File::open(path).map_err(|error| DataError::of_file(&file, error))?;
    Ok((file, input))
}

/// The names of the columns of a schema.
fn names_of(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// An error of the crates that know the format.
fn refused(file: &str, reason: impl ToString) -> DataError {
    DataError::of_file(file, Problem::Columnar { reason: reason.to_string() })
}

/// What `read` gives. The crates that know the formats panic on some damaged files, so this is
/// where their panics end.
fn guarded<T>(file: &str, read: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    let result = catch_unwind(AssertUnwindSafe(read));
    result.unwrap_or_else(|_| Err(refused(file, "it is damaged")))
}

/// The places of the columns called `names` in a schema, ascending.
fn places(file: &str, schema: &Schema, names: &[&str]) -> Result<Vec<usize>, DataError> {
    let mut places = Vec::with_capacity(names.len());
    for &name in names {
        places.push(schema.index_of(name).map_err(|_| {
            let problem = Problem::MissingColumn { name: name.into(), found: names_of(schema) };
            DataError::of_file(file, problem)
        })?);
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// The tables of batches, their columns in the order of `names` if any are named.
fn tables(
    file: &str,
    names: Option<&[&str]>,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
) -> Tables {
    let file: Arc<str> = file.into();
    let read_from = Arc::clone(&file);
    let names: Option<Vec<String>> =
        names.map(|names| names.iter().map(|&name| name.into()).collect());
    let mut next = move || {
        let batch = batches.next().transpose().map_err(|error| refused(&file, error))?;
        batch.map(|batch| from_arrow::table(&file, &batch, names.as_deref())).transpose()
    };
    // After an error there is nothing to go on with.
    let mut failed = false;
    Box::new(std::iter::from_fn(move || {
        let table = if failed { None } else { guarded(&read_from, &mut next).transpose() };
        failed = matches!(table, Some(Err(_)));
        table
    }))
}

/// All rows as one table. A file without rows is an error.
fn join(file: &str, tables: Tables) -> Result<Table, DataError> {
    let mut whole: Option<Table> = None;
    for table in tables {
        match &mut whole {
            None => whole = Some(table?),
            Some(whole) => whole.append(&[table?], 1.0, Pool::global()),
        }
    }
    let whole = whole.filter(|table| table.rows() > 0);
    whole.ok_or_else(|| DataError::of_file(file, Problem::NoRows))
}
