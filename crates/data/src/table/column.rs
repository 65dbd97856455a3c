//! One column of a table: values of one kind, and the rows that have none.

use super::text::Text;
use crate::csv::is_missing;
use crate::kind::Kind;

/// Rows to come may be a little shorter than those before.
const SLACK: f64 = 1.02;

/// The values of a column, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Numbers; NaN stands in rows without a value.
    Float(Vec<f64>),
    /// Times in microseconds, in UTC where the column has a zone; see [`time`](crate::time).
    Time(Vec<i64>),
    /// Strings.
    Text(Text),
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    values: Values,
    missing: Vec<usize>,
    zone: Option<i32>,
}

impl Column {
    /// A column with a value in every row.
    pub fn new(values: Values) -> Column {
        Column { values, missing: Vec::new(), zone: None }
    }

    /// A column of `kind` without rows.
    pub(crate) fn empty(kind: Kind) -> Column {
        Column::new(match kind {
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Time => Values::Time(Vec::new()),
            Kind::Text => Values::Text(Text::default()),
        })
    }

    /// A column of numbers, without values in rows of NaN.
    pub fn floats(values: Vec<f64>) -> Column {
        let missing = (0..values.len()).filter(|&row| values[row].is_nan()).collect();
        Column { values: Values::Float(values), missing, zone: None }
    }

    /// A column without values in the rows `missing`, which ascend.
    pub(crate) fn with_missing(values: Values, missing: Vec<usize>) -> Column {
        Column { values, missing, zone: None }
    }

    /// The column with its times, which are in UTC, belonging to a zone that is so many seconds ahead of it.
    pub fn in_zone(self, ahead_seconds: Option<i32>) -> Column {
        Column { zone: ahead_seconds, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match &self.values {
            Values::Integer(values) | Values::Time(values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Text(text) => text.len(),
        }
    }

    /// What the column holds.
    pub fn kind(&self) -> Kind {
        match &self.values {
            Values::Integer(_) => Kind::Integer,
            Values::Float(_) => Kind::Float,
            Values::Time(_) => Kind::Time,
            Values::Text(_) => Kind::Text,
        }
    }

    /// The values. Rows without one hold 0, NaN, the first moment of 1970 or an empty string.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The rows without a value, ascending.
    pub fn missing(&self) -> &[usize] {
        &self.missing
    }

    /// How many seconds the zone of its times is ahead of UTC; none of times without a zone.
    pub fn zone(&self) -> Option<i32> {
        self.zone
    }

    /// The values and the rows without one.
    pub(crate) fn into_parts(self) -> (Values, Vec<usize>) {
        (self.values, self.missing)
    }

    /// The values as numbers, NaN where there is none; none if the column holds no numbers.
    pub fn to_floats(&self) -> Option<Vec<f64>> {
        match &self.values {
            Values::Float(values) => Some(values.clone()),
            Values::Integer(values) => {
                let mut floats: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                for &row in &self.missing {
                    floats[row] = f64::NAN;
                }
                Some(floats)
            }
            Values::Time(_) | Values::Text(_) => None,
        }
    }

    /// The same, where numbers may also be written as text, as they are in CSV; or the first row that holds
    /// something else.
    pub fn parse_floats(&self) -> Result<Vec<f64>, usize> {
        let Values::Text(text) = &self.values else { return self.to_floats().ok_or(0) };
        let mut missing = self.missing.iter().peekable();
        let parse = |(row, field): (usize, &str)| {
            let field = field.trim();
            if missing.next_if(|&&absent| absent == row).is_some() || is_missing(field) {
                return Ok(f64::NAN);
            }
            field.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(row)
        };
        text.iter().enumerate().map(parse).collect()
    }

    /// Makes room for all rows, of which there will be this share with those of `more`. Where the system
    /// has no memory for a guess, it will be asked as rows come.
    pub(crate) fn reserve<'a>(
        &mut self,
        more: impl Iterator<Item = &'a Column> + Clone,
        share: f64,
    ) {
        let room = |(have, capacity): (usize, usize), length: fn(&Column) -> usize| {
            let with_more = have + more.clone().map(length).sum::<usize>();
            let all = with_more as f64 / share;
            // Of a guess that still holds nothing is asked, or it would be moved for a row more.
            if share >= 1.0 || all as usize <= capacity { 0 } else { (all * SLACK) as usize - have }
        };
        let _ = match &mut self.values {
            Values::Integer(values) | Values::Time(values) => {
                values.try_reserve(room((values.len(), values.capacity()), Column::rows))
            }
            Values::Float(values) => {
                values.try_reserve(room((values.len(), values.capacity()), Column::rows))
            }
            Values::Text(text) => {
                let [runs, bytes] = text.room();
                let runs = room(runs, |column| column.text_size().0);
                text.try_reserve(runs, room(bytes, |column| column.text_size().1))
            }
        };
    }

    fn text_size(&self) -> (usize, usize) {
        match &self.values {
            Values::Text(text) => text.size(),
            _ => (0, 0),
        }
    }

    /// Appends the rows of a column that holds the same kind.
    pub(crate) fn append(&mut self, other: &Column) {
        let before = self.rows();
        match (&mut self.values, &other.values) {
            (Values::Integer(all), Values::Integer(more))
            | (Values::Time(all), Values::Time(more)) => all.extend_from_slice(more),
            (Values::Float(all), Values::Float(more)) => all.extend_from_slice(more),
            (Values::Text(all), Values::Text(more)) => all.append(more),
            _ => return,
        }
        self.missing.extend(other.missing.iter().map(|row| before + row));
    }
}
