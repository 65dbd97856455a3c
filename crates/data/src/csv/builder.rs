//! Collects the fields of one column of a block.

use super::cursor::Field;
use super::number;
use crate::error::{Problem, shorten};
use crate::kind::Kind;
use crate::table::{Column, NotText, Text, Values};
use crate::time;

/// Fields that mean "no value" among numbers and times, in any case.
const NO_VALUE: [&str; 5] = ["na", "n/a", "nan", "null", "none"];

/// A column being made.
#[derive(Debug)]
pub(crate) struct Builder {
    values: Building,
    missing: Vec<usize>,
    required: bool,
}

#[derive(Debug)]
enum Building {
    Integer(Vec<i64>),
    Float(Vec<f64>),
    Time(Vec<i64>),
    /// Bytes of the fields one after another, not yet known to be UTF-8, and where each ends.
    Text(Vec<u8>, Vec<usize>),
}

impl Builder {
    /// A column of `kind` with room for about `rows` rows.
    pub(crate) fn new(kind: Kind, required: bool, rows: usize) -> Builder {
        let values = match kind {
            Kind::Integer => Building::Integer(Vec::with_capacity(rows)),
            Kind::Float => Building::Float(Vec::with_capacity(rows)),
            Kind::Time => Building::Time(Vec::with_capacity(rows)),
            Kind::Text => Building::Text(Vec::with_capacity(rows * 8), Vec::with_capacity(rows)),
        };
        Builder { values, missing: Vec::new(), required }
    }

    /// Appends fields, each with its row.
    #[inline]
    pub(crate) fn extend<'a>(
        &mut self,
        mut fields: impl Iterator<Item = (usize, Field<'a>)>,
    ) -> Result<(), Problem> {
        loop {
            let odd = match &mut self.values {
                Building::Integer(values) => fill(values, &mut fields, number::integer),
                Building::Float(values) => fill(values, &mut fields, number::float),
                Building::Time(values) => {
                    fill(values, &mut fields, |field| time::parse(field.bytes()))
                }
                Building::Text(bytes, ends) => fields.find(|(_, field)| {
                    append(bytes, *field);
                    ends.push(bytes.len());
                    field.bytes().is_empty()
                }),
            };
            match odd {
                Some((row, field)) => self.push_odd(row, field.bytes())?,
                None => return Ok(()),
            }
        }
    }

    /// Appends a field that is no plain value of its kind.
    #[cold]
    fn push_odd(&mut self, row: usize, field: &[u8]) -> Result<(), Problem> {
        let field = String::from_utf8_lossy(field);
        let field = field.trim();
        if let Building::Time(values) = &mut self.values
            && let Some(time) = time::parse(field.as_bytes())
        {
            values.push(time);
            return Ok(());
        }
        if self.required || !is_missing(field) {
            return Err(self.problem(field));
        }
        match &mut self.values {
            Building::Integer(values) | Building::Time(values) => values.push(0),
            Building::Float(values) => values.push(f64::NAN),
            Building::Text(..) => {}
        }
        self.missing.push(row);
        Ok(())
    }

    fn problem(&self, field: &str) -> Problem {
        let text = shorten(field);
        match &self.values {
            _ if field.is_empty() => Problem::EmptyField,
            _ if is_missing(field) => Problem::NoValue { text },
            Building::Float(_) if field.parse::<f64>().is_ok() => Problem::NotFinite { text },
            Building::Float(_) => Problem::NotANumber { text },
            Building::Integer(_) => Problem::NotAnInteger { text },
            Building::Time(_) | Building::Text(..) => Problem::NotATime { text },
        }
    }

    /// The finished column.
    pub(crate) fn finish(self) -> Result<Column, NotText> {
        let values = match self.values {
            Building::Integer(values) => Values::Integer(values),
            Building::Float(values) => Values::Float(values),
            Building::Time(values) => Values::Time(values),
            Building::Text(bytes, ends) => Values::Text(Text::from_fields(bytes, ends)?),
        };
        Ok(Column::with_missing(values, self.missing))
    }
}

/// Whether a field, without blanks around it, means that there is no value.
pub(crate) fn is_missing(field: &str) -> bool {
    field.is_empty() || NO_VALUE.iter().any(|name| field.eq_ignore_ascii_case(name))
}

/// Appends values until a field is none; gives that back.
#[inline]
fn fill<'a, T>(
    values: &mut Vec<T>,
    fields: &mut impl Iterator<Item = (usize, Field<'a>)>,
    read: impl Fn(Field<'a>) -> Option<T>,
) -> Option<(usize, Field<'a>)> {
    for (row, field) in fields {
        match read(field) {
            Some(value) => values.push(value),
            None => return Some((row, field)),
        }
    }
    None
}

/// Appends the bytes of a field; short ones as a block of fixed size, of which the rest is dropped.
#[inline]
fn append(bytes: &mut Vec<u8>, field: Field) {
    if let Some((length, chunk)) = field.chunk::<16>() {
        let before = bytes.len();
        bytes.extend_from_slice(chunk);
        bytes.truncate(before + length);
    } else {
        bytes.extend_from_slice(field.bytes());
    }
}
