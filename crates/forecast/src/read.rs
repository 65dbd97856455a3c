//! Reads a panel from a CSV in long format: one row per series and time.

use crate::panel::Rows;
use crate::{ForecastError, Frequency, Panel, Time};
use std::io::BufRead;
use std::path::Path;
use whimbrel_data::csv::{CsvError, Place, Problem, Reader};

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
    /// Reads a CSV file. The frequency is found from the times unless it is given.
    pub fn read_csv(
        path: impl AsRef<Path>,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        read(Reader::open(path)?, columns, frequency)
    }

    /// Reads CSV from anywhere; errors call it `file`.
    pub fn from_csv(
        file: &str,
        input: impl BufRead,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        read(Reader::new(file, input)?, columns, frequency)
    }
}

fn read<R: BufRead>(
    mut reader: Reader<R>,
    columns: &Columns,
    frequency: Option<Frequency>,
) -> Result<Panel, ForecastError> {
    let id = reader.column(&columns.id)?;
    let time = reader.column(&columns.time)?;
    let target = reader.column(&columns.target)?;
    let mut rows = Rows::default();
    while let Some(record) = reader.next_record()? {
        let name = record.text(id);
        if name.is_empty() {
            return Err(record.error(id, Problem::EmptyField).into());
        }
        let text = record.text(time);
        let at = Time::parse(text).ok_or_else(|| match text.trim() {
            "" => record.error(time, Problem::EmptyField).into(),
            text => ForecastError::BadTime {
                place: record.place(time),
                text: text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect(),
            },
        })?;
        if let Some(before) = rows.first_time().map(Time::kind).filter(|&kind| kind != at.kind()) {
            let (place, found) = (record.place(time), at.kind());
            return Err(ForecastError::MixedTimes { place, found, before });
        }
        let value = record.number(target)? as f32;
        if !value.is_finite() {
            let text = record.text(target).trim().chars().take(40).collect();
            return Err(record.error(target, Problem::NotFinite { text }).into());
        }
        rows.push(name, at, value, record.line());
    }
    if rows.first_time().is_none() {
        let place = Place { file: reader.file().into(), line: None, column: None };
        return Err(CsvError { place, problem: Problem::NoRows }.into());
    }
    rows.into_panel(reader.file(), &columns.time, frequency)
}
