//! The column of times: all of one kind, kept as numbers.

use crate::{ForecastError, Frequency, Time};
use std::borrow::Cow;
use whimbrel_data::{DataError, Problem, Table, Values, time};

const MICROS: i64 = 1_000_000;

/// The times of all rows.
pub(super) struct Axis<'a> {
    /// Whole numbers, or microseconds since 1970 that are whole seconds within the calendar.
    ticks: Cow<'a, [i64]>,
    calendar: bool,
}

impl<'a> Axis<'a> {
    /// The times in a column. Whole numbers that all spell dates, such as 20240131, are dates, unless the
    /// frequency is one of whole numbers.
    pub(super) fn of(
        table: &'a Table,
        column: &str,
        frequency: Option<Frequency>,
    ) -> Result<Axis<'a>, ForecastError> {
        let times = table.column(column)?;
        if let Some(&row) = times.missing().first() {
            return Err(empty(table, row, column));
        }
        let axis = match times.values() {
            Values::Integer(counts) => match (frequency, dates(counts)) {
                (Some(Frequency::Integer(_)), _) | (_, None) => {
                    Axis { ticks: Cow::Borrowed(counts), calendar: false }
                }
                (_, Some(dates)) => Axis { ticks: Cow::Owned(dates), calendar: true },
            },
            Values::Time(moments) => Axis { ticks: Cow::Borrowed(moments), calendar: true },
            Values::Text(fields) => Axis::parse(table, column, fields.iter())?,
            Values::Float(numbers) => {
                let first = numbers.first().map(f64::to_string).unwrap_or_default();
                return Err(bad(table, 0, column, &first));
            }
        };
        let unusable = |&micros: &i64| Time::from_micros(micros).is_none();
        let bad_row = match axis.calendar {
            // The calendar ends on both sides, so its ends decide.
            true => {
                let outside = [axis.ticks.iter().min(), axis.ticks.iter().max()];
                let outside = outside.into_iter().flatten().any(unusable);
                let wrong = |&micros: &i64| micros % MICROS != 0 || outside && unusable(&micros);
                axis.ticks.iter().position(wrong)
            }
            false => None,
        };
        match bad_row {
            Some(row) => Err(bad(table, row, column, &time::format(axis.ticks[row]))),
            None => Ok(axis),
        }
    }

    /// Reads times in any spelling; they are of one kind, and with a zone all or none.
    fn parse<'t>(
        table: &Table,
        column: &str,
        fields: impl Iterator<Item = &'t str>,
    ) -> Result<Axis<'a>, ForecastError> {
        let (mut ticks, mut first) = (Vec::new(), None);
        for (row, text) in fields.enumerate() {
            let text = text.trim();
            let (time, zoned) = match Time::parse_zoned(text) {
                Some(time) => time,
                None if text.is_empty() => return Err(empty(table, row, column)),
                None => return Err(bad(table, row, column, text)),
            };
            let (before, first_zoned) = *first.get_or_insert((time.kind(), zoned));
            if before != time.kind() {
                let (place, found) = (table.place(row, column), time.kind());
                return Err(ForecastError::MixedTimes { place, found, before });
            }
            if first_zoned != zoned {
                let kinds = ["times without a zone", "times with one"];
                let (found, before) = (kinds[usize::from(zoned)], kinds[usize::from(!zoned)]);
                let place = table.place(row, column);
                return Err(ForecastError::MixedTimes { place, found, before });
            }
            ticks.push(time.ticks());
        }
        Ok(Axis {
            ticks: Cow::Owned(ticks),
            calendar: first.is_none_or(|(kind, _)| kind == "dates"),
        })
    }

    /// A number that orders the times.
    pub(super) fn tick(&self, row: usize) -> i64 {
        self.ticks[row]
    }

    /// The time of a row.
    pub(super) fn time(&self, row: usize) -> Time {
        let tick = self.ticks[row];
        let calendar = if self.calendar { Time::from_micros(tick) } else { None };
        calendar.unwrap_or(Time::Integer(tick))
    }

    /// Whether any time has a time of day.
    pub(super) fn has_clock(&self) -> bool {
        self.calendar && self.ticks.iter().any(|micros| micros % (86_400 * MICROS) != 0)
    }

    /// Ticks in one step, where steps are equally long.
    pub(super) fn ticks_per_step(&self, frequency: Frequency) -> Option<i64> {
        match frequency {
            Frequency::Integer(step) => Some(step),
            Frequency::Seconds(step) => step.checked_mul(MICROS),
            _ => None,
        }
    }
}

/// The moments of numbers that all spell dates.
fn dates(numbers: &[i64]) -> Option<Vec<i64>> {
    let moments = numbers.iter().map(|&number| Time::from_digits(number).map(Time::ticks));
    moments.collect::<Option<Vec<i64>>>().filter(|moments| !moments.is_empty())
}

/// An error about a field that is no time.
fn bad(table: &Table, row: usize, column: &str, text: &str) -> ForecastError {
    ForecastError::BadTime {
        place: table.place(row, column),
        text: text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect(),
    }
}

/// An error about a field that is empty.
pub(super) fn empty(table: &Table, row: usize, column: &str) -> ForecastError {
    DataError { place: table.place(row, column), problem: Problem::EmptyField }.into()
}
