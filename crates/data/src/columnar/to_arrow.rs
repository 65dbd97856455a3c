//! Tables as Arrow's batches: i64, f64, timestamps in microseconds, with the zone of their column, strings.

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
            let times = times.collect::<TimestampMicrosecondArray>();
            Arc::new(times.with_timezone_opt(column.zone().map(name_of_zone)))
        }
        Values::Text(values) => Arc::new(present(column, values.iter()).collect::<StringArray>()),
    }
}

/// The name of a zone that is so many seconds ahead of UTC.
fn name_of_zone(ahead_seconds: i32) -> String {
    let (sign, minutes) = (if ahead_seconds < 0 { '-' } else { '+' }, ahead_seconds.abs() / 60);
    match minutes {
        0 => "UTC".into(),
        _ => format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60),
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
