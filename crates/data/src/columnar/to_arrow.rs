//! Tables as Arrow's batches: i64, f64, timestamps in microseconds, strings.

use crate::table::{Column, Table, Values};
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// A table as one batch.
pub(super) fn batch(table: &Table) -> Result<RecordBatch, ArrowError> {
    let columns = table.columns().iter();
    RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, column)| (name, array(column), true)),
    )
}

fn array(column: &Column) -> ArrayRef {
    match column.values() {
        Values::Integer(values) => {
            Arc::new(present(column, values.iter().copied()).collect::<Int64Array>())
        }
        Values::Float(values) => {
            Arc::new(present(column, values.iter().copied()).collect::<Float64Array>())
        }
        Values::Time(values) => {
            let times = present(column, values.iter().copied());
            Arc::new(times.collect::<TimestampMicrosecondArray>())
        }
        Values::Text(values) => Arc::new(present(column, values.iter()).collect::<StringArray>()),
    }
}

/// The values of a column; none where it has none.
fn present<T>(column: &Column, values: impl Iterator<Item = T>) -> impl Iterator<Item = Option<T>> {
    let mut missing = column.missing().iter().copied().peekable();
    values.enumerate().map(move |(row, value)| {
        let absent = missing.next_if_eq(&row).is_some();
        (!absent).then_some(value)
    })
}
