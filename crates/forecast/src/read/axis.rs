//! The column of times: all of one kind, kept as numbers.

use crate::time::{self, Clock, DAY_MICROS, Fault, Zone, dates};
use crate::{DateOrder, ForecastError, Frequency, Time, WrittenTime};
use std::borrow::Cow;
use whimbrel_data::{DataError, Problem, Table, Values};

const MICROS: i64 = 1_000_000;

/// The times of all rows.
pub(crate) struct Axis<'a> {
    /// Whole numbers, or microseconds since 1970 that are whole seconds within the calendar.
    ticks: Cow<'a, [i64]>,
    calendar: bool,
    /// The zone the times are written in, which are in UTC then; none of dates.
    zone: Option<Zone>,
    /// Whether the file has them with a zone, as it may have dates too.
    zoned: bool,
}

impl<'a> Axis<'a> {
    /// The times in a column. Whole numbers that all spell dates, such as 20240131, are dates, unless the
    /// frequency is one of whole numbers. Where no row says which number of a date with slashes is the
    /// month, `order` does. Midnights with a zone are `days`, unless those of other times or the frequency have shown that
    /// they are not.
    pub(crate) fn of(
        table: &'a Table,
        column: &str,
        frequency: Option<Frequency>,
        order: Option<DateOrder>,
        days: bool,
    ) -> Result<Axis<'a>, ForecastError> {
        let days = days && !frequency.is_some_and(Frequency::has_clock);
        let mut axis = Axis::as_written(table, column, order, days)?;
        if !axis.calendar
            && let Some(dates) = dates(&axis.ticks, frequency)
        {
            axis = Axis { ticks: Cow::Owned(dates), calendar: true, zone: None, zoned: false };
        }
        Ok(axis)
    }

    /// The same, where whole numbers are no dates.
    pub(crate) fn as_written(
        table: &'a Table,
        column: &str,
        order: Option<DateOrder>,
        days: bool,
    ) -> Result<Axis<'a>, ForecastError> {
        let times = table.column(column)?;
        if let Some(&row) = times.missing().first() {
            return Err(empty(table, row, column));
        }
        let axis = match times.values() {
            Values::Integer(counts) => {
                Axis { ticks: Cow::Borrowed(counts), calendar: false, zone: None, zoned: false }
            }
            Values::Time(moments) => {
                let zone = times.zone().map(|ahead_seconds| Zone { ahead_seconds });
                in_zone(moments, zone, days)
            }
            Values::Text(fields) => {
                let read = time::moments(fields, order, days);
                let read = read.map_err(|(row, fault)| {
                    let text = fields.get(row).unwrap_or_default();
                    refused(table, row, column, text.trim(), fault)
                })?;
                let time::Moments { ticks, calendar, zone, zoned } = read;
                Axis { ticks: Cow::Owned(ticks), calendar, zone, zoned }
            }
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
        match (bad_row, times.values()) {
            (Some(row), Values::Text(fields)) => {
                Err(bad(table, row, column, fields.get(row).unwrap_or_default().trim()))
            }
            (Some(row), _) => {
                Err(bad(table, row, column, &whimbrel_data::time::format(axis.ticks[row])))
            }
            (None, _) => Ok(axis),
        }
    }

    /// The times of all rows.
    pub(crate) fn times(&self) -> impl Iterator<Item = Time> {
        (0..self.ticks.len()).map(|row| self.time(row))
    }

    /// The numbers that are no dates.
    pub(crate) fn counts(&self) -> Option<&[i64]> {
        if self.calendar { None } else { Some(&self.ticks) }
    }

    /// The zone the times are written in; none of dates and of times without one.
    pub(crate) fn zone(&self) -> Option<Zone> {
        self.zone
    }

    /// Refuses times of `file` that cannot be compared with those of `other`, which are written as `clock` says: a zone
    /// belongs to both or to neither. Dates have lost theirs, so they are compared with dates of any zone.
    pub(crate) fn expect_like(
        &self,
        file: &str,
        clock: Clock,
        other: &str,
    ) -> Result<(), ForecastError> {
        let (zoned, unzoned) = match (clock.zone, clock.shown) {
            (Some(_), _) if self.calendar && self.zone.is_none() => (other, file),
            (None, true) if self.zoned => (file, other),
            (None, false) if self.zone.is_some() => (file, other),
            _ => return Ok(()),
        };
        Err(ForecastError::ZoneOfOne { zoned: zoned.into(), unzoned: unzoned.into() })
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
    fn has_clock(&self) -> bool {
        self.calendar && self.ticks.iter().any(|micros| micros % DAY_MICROS != 0)
    }

    /// The time of a row as the file writes it.
    pub(super) fn written(&self, row: usize) -> WrittenTime {
        let shown = self.zone.is_some() || self.has_clock();
        WrittenTime::new(self.time(row), Clock { shown, zone: self.zone })
    }

    /// How the times are written at a step.
    pub(super) fn clock(&self, frequency: Frequency) -> Clock {
        let shown = self.zone.is_some() || self.has_clock() || frequency.has_clock();
        Clock { shown, zone: self.zone }
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

/// Moments, which are in UTC where they have a zone. There midnights may be `days`.
fn in_zone(moments: &[i64], zone: Option<Zone>, days: bool) -> Axis<'_> {
    let zoned = zone.is_some();
    let utc = Axis { ticks: Cow::Borrowed(moments), calendar: true, zone, zoned };
    let Some(zone) = zone.filter(|_| days) else { return utc };
    let local = |&moment: &i64| moment.saturating_add(zone.ahead_micros());
    match moments.iter().map(local).all(|time| time % DAY_MICROS == 0) {
        true => Axis { ticks: moments.iter().map(local).collect(), zone: None, ..utc },
        false => utc,
    }
}

/// An error about a field that cannot be read as those before it.
fn refused(table: &Table, row: usize, column: &str, text: &str, fault: Fault) -> ForecastError {
    let place = || table.place(row, column);
    match fault {
        Fault::Empty => empty(table, row, column),
        Fault::NoTime => bad(table, row, column, text),
        Fault::Mixed { found, before } => {
            ForecastError::MixedTimes { place: place(), found, before }
        }
        Fault::Ambiguous => ForecastError::AmbiguousDate { place: place(), text: short(text) },
    }
}

/// An error about a field that is no time.
fn bad(table: &Table, row: usize, column: &str, text: &str) -> ForecastError {
    ForecastError::BadTime { place: table.place(row, column), text: short(text) }
}

/// A field as errors quote it.
pub(super) fn short(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// An error about a field that is empty.
pub(super) fn empty(table: &Table, row: usize, column: &str) -> ForecastError {
    DataError { place: table.place(row, column), problem: Problem::EmptyField }.into()
}
