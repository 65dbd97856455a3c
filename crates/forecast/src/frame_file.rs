//! Forecasts as a table of a file, and back: `unique_id, ds`, of a cross-validation `cutoff`, and numbers.

use crate::read::{Source, texts, with_source};
use crate::{Columns, ForecastError, Frame, Panel, Time};
use std::path::Path;
use whimbrel_data::csv::Request;
use whimbrel_data::{Column, DataError, Kind, Table, Values};

/// The column of the last time that a forecast knew of.
const CUTOFF: &str = "cutoff";

impl Frame {
    /// Reads a file: CSV, packed by gzip or not, Parquet or Arrow. The column of the target, where there
    /// is one, becomes `y`; a column `cutoff` says what each forecast knew; all other columns of numbers
    /// are forecasts. Columns that the file lacks may also have the names forecasts are written with.
    pub fn read(path: impl AsRef<Path>, columns: &Columns) -> Result<Frame, ForecastError> {
        with_source(path.as_ref(), |source| Frame::from_source(source, columns))
    }

    /// Reads a file that is in memory; errors call it `name`.
    pub fn read_bytes(name: &str, bytes: &[u8], columns: &Columns) -> Result<Frame, ForecastError> {
        Frame::from_source(Source::Memory(name, bytes), columns)
    }

    fn from_source(source: Source, columns: &Columns) -> Result<Frame, ForecastError> {
        let header = source.header()?;
        let columns = written(columns, &header);
        let request = |name: &String| match name {
            name if *name == columns.id => Request::of(name, Kind::Text).required(),
            name if *name == columns.time => Request::axis(name).required(),
            name => Request::inferred(name),
        };
        // What pandas writes its index under has no name.
        let named = header.iter().filter(|name| !name.is_empty());
        let requests: Vec<Request> = named.map(request).collect();
        Frame::from_table(&source.table(&requests)?, &columns)
    }

    fn from_table(table: &Table, columns: &Columns) -> Result<Frame, ForecastError> {
        let times = times(table, &columns.time)?;
        let mut frame = Frame::new(times.iter().any(|time| time.has_clock()));
        for (id, time) in texts(table, &columns.id)?.iter().zip(times) {
            frame.push_row(id, time);
        }
        let mut actual = None;
        for (name, column) in table.columns() {
            if name == CUTOFF {
                frame = frame.with_cutoffs(self::times(table, CUTOFF)?);
            } else if *name != columns.id
                && *name != columns.time
                && let Some(values) = column.to_floats()
            {
                let values = values.into_iter().map(|value| value as f32).collect();
                match *name == columns.target {
                    true => actual = Some(values),
                    false => frame = frame.with_column(name, values),
                }
            }
        }
        if let Some(actual) = actual {
            frame = frame.with_actual(actual);
        }
        Ok(frame.ordered())
    }

    /// The frame as a table, for files that are not text.
    pub fn to_table(&self) -> Table {
        let mut columns = vec![
            ("unique_id".into(), Column::new(Values::Text(self.ids().collect()))),
            ("ds".into(), axis(self.times())),
        ];
        columns.extend(self.cutoffs().map(|cutoffs| (CUTOFF.into(), axis(cutoffs))));
        for name in self.columns() {
            let values = self.column(name).unwrap_or_default();
            let values = values.iter().copied().map(f64::from).collect();
            columns.push((name.into(), Column::floats(values)));
        }
        Table::of(columns)
    }

    /// The frame with the values of a panel at its times.
    ///
    /// # Errors
    /// If the panel lacks one of the series or times.
    pub fn with_actuals(self, panel: &Panel) -> Result<Frame, ForecastError> {
        let mut actual = Vec::with_capacity(self.rows());
        for (id, &time) in self.ids().zip(self.times()) {
            let missing = || ForecastError::NoActual { series: id.into(), time };
            let series = self.series_of(panel, id).ok_or_else(missing)?;
            let before = panel.known_until(series, |known| known < time);
            let found = panel.frequency().after(series.start(), before as i64) == Some(time);
            let value = series.values().get(before).filter(|_| found);
            actual.push(*value.ok_or_else(missing)?);
        }
        Ok(self.with_actual(actual))
    }
}

/// The names columns have in a file of forecasts: those of the data, or else those we write.
fn written(columns: &Columns, header: &[String]) -> Columns {
    let usual = Columns::default();
    let either = |name: &String, usual: String| match header.contains(name) {
        true => name.clone(),
        false => usual,
    };
    Columns {
        id: either(&columns.id, usual.id),
        time: either(&columns.time, usual.time),
        target: either(&columns.target, usual.target),
    }
}

/// A column of times, which are all counts or all dates.
fn axis(times: &[Time]) -> Column {
    let ticks = times.iter().map(|time| time.ticks()).collect();
    Column::new(match times.first() {
        Some(Time::Integer(_)) => Values::Integer(ticks),
        _ => Values::Time(ticks),
    })
}

/// The times of a column.
fn times(table: &Table, column: &str) -> Result<Vec<Time>, ForecastError> {
    let bad = |row: usize, text: &str| -> ForecastError {
        let text = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
        ForecastError::BadTime { place: table.place(row, column), text }
    };
    let found = table.column(column)?;
    if let Some(&row) = found.missing().first() {
        let problem = whimbrel_data::Problem::EmptyField;
        return Err(DataError { place: table.place(row, column), problem }.into());
    }
    let at = |row, text: String, time: Option<Time>| time.ok_or_else(|| bad(row, &text));
    match found.values() {
        Values::Integer(counts) => {
            let dates: Option<Vec<Time>> = counts.iter().map(|&n| Time::from_digits(n)).collect();
            Ok(dates.unwrap_or_else(|| counts.iter().copied().map(Time::Integer).collect()))
        }
        Values::Time(moments) => {
            let text = whimbrel_data::time::format;
            let times = moments.iter().enumerate();
            times.map(|(row, &micros)| at(row, text(micros), Time::from_micros(micros))).collect()
        }
        Values::Text(fields) => {
            let times = fields.iter().enumerate();
            times.map(|(row, text)| at(row, text.into(), Time::parse(text))).collect()
        }
        Values::Float(numbers) => {
            Err(bad(0, &numbers.first().map(f64::to_string).unwrap_or_default()))
        }
    }
}
