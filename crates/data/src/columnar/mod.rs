//! Columnar files: Parquet and Arrow IPC, which is also Feather. Needs the feature `columnar`.
//!
//! The crates of the Arrow project read and write the formats; `from_arrow` and `to_arrow` convert
//! between their arrays and ours. [`parquet`] and [`ipc`] are the two front doors.

mod from_arrow;
pub mod ipc;
pub mod parquet;
mod to_arrow;

use crate::error::{DataError, Problem};
use crate::table::Table;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use whimbrel_threads::Pool;

/// Tables of a file, one after another: as many rows as the file keeps together.
pub type Tables = Box<dyn Iterator<Item = Result<Table, DataError>> + Send>;

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
            let found = schema.fields().iter().map(|field| field.name().clone()).collect();
            DataError::of_file(file, Problem::MissingColumn { name: name.into(), found })
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
            Some(whole) => whole.append(&[table?], Pool::global()),
        }
    }
    let whole = whole.filter(|table| table.rows() > 0);
    whole.ok_or_else(|| DataError::of_file(file, Problem::NoRows))
}
