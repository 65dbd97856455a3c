//! Arrow's arrays as columns: all integers as 64-bit ones, all floats in double precision, booleans
//! as 0 and 1, dates and timestamps as times, strings and categories as text. Timestamps with a
//! zone are in UTC, as they are kept, and their column says how far a zone like `+02:00` is ahead; one with a
//! name counts as UTC. Times beyond 64 bits of microseconds become the first or last there is.

use crate::error::{DataError, Problem, shorten};
use crate::place::Place;
use crate::table::{Column, Lines, Table, Text, Values};
use crate::time;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use std::sync::Arc;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// A batch as a table with the columns called `names`, or all.
pub(super) fn table(
    file: &Arc<str>,
    batch: &RecordBatch,
    names: Option<&[String]>,
) -> Result<Table, DataError> {
    let schema = batch.schema();
    let all: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut columns = Vec::new();
    for name in names.unwrap_or(&all) {
        let Some(array) = batch.column_by_name(name) else { continue };
        let values = values(array).ok_or_else(|| {
            let place =
                Place { column: Some(format!("\"{}\"", shorten(name))), ..Place::file(file) };
            DataError {
                place,
                problem: Problem::ColumnType { found: array.data_type().to_string() },
            }
        })?;
        let column = with_missing(values, array).in_zone(zone_of(array.data_type()));
        columns.push((name.clone(), column));
    }
    Ok(Table::new(file.clone(), columns, Lines::default()))
}

/// The column of an array's values, without those of the rows that have none.
fn with_missing(mut values: Values, array: &dyn Array) -> Column {
    let Some(nulls) = array.logical_nulls() else { return Column::new(values) };
    let missing: Vec<usize> = (0..array.len()).filter(|&row| nulls.is_null(row)).collect();
    for &row in &missing {
        match &mut values {
            Values::Integer(values) | Values::Time(values) => values[row] = 0,
            Values::Float(values) => values[row] = f64::NAN,
            Values::Text(_) => {}
        }
    }
    Column::with_missing(values, missing)
}

/// The values of an array; none if it is of a type that is not read.
fn values(array: &dyn Array) -> Option<Values> {
    let any = || (0..array.len()).map(|row| array.is_valid(row));
    Some(match array.data_type() {
        DataType::Int8 => Values::Integer(converted::<Int8Type, _>(array, i64::from)),
        DataType::Int16 => Values::Integer(converted::<Int16Type, _>(array, i64::from)),
        DataType::Int32 => Values::Integer(converted::<Int32Type, _>(array, i64::from)),
        DataType::Int64 => Values::Integer(converted::<Int64Type, _>(array, |value| value)),
        DataType::UInt8 => Values::Integer(converted::<UInt8Type, _>(array, i64::from)),
        DataType::UInt16 => Values::Integer(converted::<UInt16Type, _>(array, i64::from)),
        DataType::UInt32 => Values::Integer(converted::<UInt32Type, _>(array, i64::from)),
        DataType::UInt64 => unsigned(array),
        DataType::Float32 => Values::Float(converted::<Float32Type, _>(array, f64::from)),
        DataType::Float64 => Values::Float(converted::<Float64Type, _>(array, |value| value)),
        DataType::Boolean => {
            let flags = array.as_boolean();
            let flags = any().enumerate().map(|(row, valid)| valid && flags.value(row));
            Values::Integer(flags.map(i64::from).collect())
        }
        DataType::Date32 => Values::Time(converted::<Date32Type, _>(array, |days| {
            i64::from(days).saturating_mul(MICROS_PER_DAY)
        })),
        DataType::Date64 => Values::Time(converted::<Date64Type, _>(array, |milliseconds| {
            milliseconds.saturating_mul(1000)
        })),
        DataType::Timestamp(unit, _) => Values::Time(timestamps(array, *unit)),
        DataType::Utf8 => Values::Text(text(array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Values::Text(text(array.as_string::<i64>().iter())),
        DataType::Utf8View => Values::Text(text(array.as_string_view().iter())),
        DataType::Dictionary(_, _) => Values::Text(categories(array)?),
        _ => return None,
    })
}

/// Timestamps in microseconds, in UTC if they have a zone.
fn timestamps(array: &dyn Array, unit: TimeUnit) -> Vec<i64> {
    match unit {
        TimeUnit::Second => {
            converted::<TimestampSecondType, _>(array, |time| time.saturating_mul(1_000_000))
        }
        TimeUnit::Millisecond => {
            converted::<TimestampMillisecondType, _>(array, |time| time.saturating_mul(1000))
        }
        TimeUnit::Microsecond => converted::<TimestampMicrosecondType, _>(array, |time| time),
        TimeUnit::Nanosecond => {
            converted::<TimestampNanosecondType, _>(array, |time| time.div_euclid(1000))
        }
    }
}

/// How many seconds the zone of timestamps is ahead of UTC, 0 for one with a name; none without a zone.
fn zone_of(kind: &DataType) -> Option<i32> {
    match kind {
        DataType::Timestamp(_, Some(zone)) => Some(ahead_seconds(zone).unwrap_or(0)),
        _ => None,
    }
}

/// How many seconds a zone like `+02:00` is ahead of UTC; none for one with a name.
fn ahead_seconds(zone: &str) -> Option<i32> {
    let (sign, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let ahead = i32::try_from(time::clock(format!(" {clock}").as_bytes())? / 1_000_000).ok()?;
    (ahead % 60 == 0).then_some(sign * ahead)
}

fn converted<T: ArrowPrimitiveType, V>(array: &dyn Array, convert: fn(T::Native) -> V) -> Vec<V> {
    array.as_primitive::<T>().values().iter().map(|&value| convert(value)).collect()
}

/// Whole numbers, or numbers where one is too large for those.
fn unsigned(array: &dyn Array) -> Values {
    let numbers = array.as_primitive::<UInt64Type>().values();
    let whole: Result<Vec<i64>, _> = numbers.iter().map(|&number| i64::try_from(number)).collect();
    match whole {
        Ok(whole) => Values::Integer(whole),
        Err(_) => Values::Float(numbers.iter().map(|&number| number as f64).collect()),
    }
}

fn text<'a>(strings: impl Iterator<Item = Option<&'a str>>) -> Text {
    strings.map(Option::unwrap_or_default).collect()
}

/// Strings given by their number in a list of strings.
fn categories(array: &dyn Array) -> Option<Text> {
    let dictionary = array.as_any_dictionary_opt()?;
    let Values::Text(names) = values(dictionary.values())? else { return None };
    if names.is_empty() {
        return Some(text((0..array.len()).map(|_| None)));
    }
    let names: Vec<&str> = names.iter().collect();
    let keys = dictionary.normalized_keys();
    let name = |row: usize| names.get(keys[row]).copied().filter(|_| array.is_valid(row));
    Some(text((0..array.len()).map(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::TimestampSecondArray;

    #[test]
    fn timestamps_of_a_zone_are_utc_and_their_column_has_it() {
        let plain = TimestampSecondArray::from(vec![3600]);
        assert_eq!(zone_of(plain.data_type()), None);
        for (zone, ahead) in [
            ("-01:00", -3600),
            ("+05:30", 19_800),
            ("+00:00:30", 0),
            ("+99:00", 0),
            ("UTC", 0),
            ("Europe/Berlin", 0),
            ("é", 0),
        ] {
            let array = plain.clone().with_timezone(zone);
            assert_eq!(zone_of(array.data_type()), Some(ahead), "{zone}");
            assert_eq!(values(&array), Some(Values::Time(vec![3_600_000_000])), "{zone}");
        }
    }
}
