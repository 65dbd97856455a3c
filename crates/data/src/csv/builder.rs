//! Collects the fields of one column of a block.

use super::cursor::Field;
use super::number;
use super::strings::Strings;
use crate::error::{Problem, shorten};
use crate::kind::Kind;
use crate::table::{Column, NotText, Values};
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
    Text(Strings),
}

impl Builder {
    /// A column of `kind` with room for about `rows` numbers or times, in the memory of `old` if that is
    /// of the same kind.
    pub(crate) fn new(kind: Kind, required: bool, rows: usize, old: Option<Column>) -> Builder {
        let old = old.filter(|old| old.kind() == kind).unwrap_or_else(|| Column::empty(kind));
        let (values, missing) = old.into_parts();
        let values = match values {
            Values::Integer(old) => Building::Integer(emptied(old, rows)),
            Values::Float(old) => Building::Float(emptied(old, rows)),
            Values::Time(old) => Building::Time(emptied(old, rows)),
            Values::Text(old) => Building::Text(Strings::new(old)),
        };
        Builder { values, missing: emptied(missing, 0), required }
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
                Building::Text(strings) => fields.find(|(_, field)| {
                    strings.push(*field);
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
            Building::Text(_) => {}
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
            Building::Time(_) | Building::Text(_) => Problem::NotATime { text },
        }
    }

    /// The finished column.
    pub(crate) fn finish(self) -> Result<Column, NotText> {
        let values = match self.values {
            Building::Integer(values) => Values::Integer(values),
            Building::Float(values) => Values::Float(values),
            Building::Time(values) => Values::Time(values),
            Building::Text(strings) => Values::Text(strings.finish()?),
        };
        Ok(Column::with_missing(values, self.missing))
    }
}

fn emptied<T>(mut values: Vec<T>, room: usize) -> Vec<T> {
    values.clear();
    values.reserve(room);
    values
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
