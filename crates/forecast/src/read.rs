//! Reads a panel from a CSV in long format: one row per series and time.

use crate::panel::Rows;
use crate::{ForecastError, Frequency, Panel, Time};
use std::io::BufRead;
use std::path::Path;
use whimbrel_data::csv::{self, Options, Request};
use whimbrel_data::{DataError, Kind, Problem, Table, Values, time};

/// Which columns hold what; others are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The name of the series.
    pub id: String,
    /// The time.
    pub time: String,
    /// The value to forecast.
    pub target: String,
}

impl Default for Columns {
    /// `unique_id, ds, y`.
    fn default() -> Columns {
        Columns { id: "unique_id".into(), time: "ds".into(), target: "y".into() }
    }
}

impl Panel {
    /// Reads a CSV file, packed by gzip or not. The frequency is found from the times unless it is
    /// given.
    pub fn read_csv(
        path: impl AsRef<Path>,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        from_table(&csv::read(path, &columns.options())?, columns, frequency)
    }

    /// Reads CSV from anywhere; errors call it `file`.
    pub fn from_csv(
        file: &str,
        mut input: impl BufRead,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| DataError::of_file(file, error))?;
        from_table(&csv::read_bytes(file, &bytes, &columns.options())?, columns, frequency)
    }
}

impl Columns {
    fn options(&self) -> Options {
        Options::columns([
            Request::of(&self.id, Kind::Text).required(),
            Request::axis(&self.time).required(),
            Request::of(&self.target, Kind::Float).required(),
        ])
    }
}

fn from_table(
    table: &Table,
    columns: &Columns,
    frequency: Option<Frequency>,
) -> Result<Panel, ForecastError> {
    let times = times(table, &columns.time)?;
    let (ids, targets) = (table.column(&columns.id)?, table.column(&columns.target)?);
    let mut rows = Rows::default();
    if let (Values::Text(ids), Values::Float(targets)) = (ids.values(), targets.values()) {
        for (row, ((id, time), &target)) in ids.iter().zip(times).zip(targets).enumerate() {
            let value = target as f32;
            if !value.is_finite() {
                let place = table.place(row, &columns.target);
                let problem = Problem::NotFinite { text: format!("{target:e}") };
                return Err(DataError { place, problem }.into());
            }
            rows.push(id, time, value, table.line(row).unwrap_or_default());
        }
    }
    rows.into_panel(table.file(), &columns.time, frequency)
}

/// The times of all rows, which are of one kind.
fn times(table: &Table, column: &str) -> Result<Vec<Time>, ForecastError> {
    let bad = |row: usize, text: &str| ForecastError::BadTime {
        place: table.place(row, column),
        text: text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect(),
    };
    match table.column(column)?.values() {
        Values::Integer(counts) => Ok(counts.iter().map(|&count| Time::Integer(count)).collect()),
        Values::Time(moments) => {
            let times = moments.iter().enumerate().map(|(row, &micros)| {
                Time::from_micros(micros).ok_or_else(|| bad(row, &time::format(micros)))
            });
            times.collect()
        }
        // Neither all counts nor all dates: some row is to blame.
        Values::Text(fields) => {
            let mut times: Vec<Time> = Vec::new();
            for (row, text) in fields.iter().enumerate() {
                let text = text.trim();
                let time = Time::parse(text).ok_or_else(|| match text {
                    "" => {
                        let place = table.place(row, column);
                        DataError { place, problem: Problem::EmptyField }.into()
                    }
                    _ => bad(row, text),
                })?;
                if let Some(before) = times.first().filter(|first| first.kind() != time.kind()) {
                    let (place, found) = (table.place(row, column), time.kind());
                    return Err(ForecastError::MixedTimes { place, found, before: before.kind() });
                }
                times.push(time);
            }
            Ok(times)
        }
        Values::Float(numbers) => {
            Err(bad(0, &numbers.first().map(f64::to_string).unwrap_or_default()))
        }
    }
}
