//! Forecasts as a table of a file, and back: `unique_id, ds`, of a cross-validation `cutoff`, and numbers.

use crate::read::{Axis, Source, numbers, texts, with_source};
use crate::time::{self, Clock};
use crate::{Columns, ForecastError, Frame, Panel, Reader, Time, WrittenTime};
use std::path::Path;
use whimbrel_data::csv::Request;
use whimbrel_data::{Column, Kind, Table, Values};

/// The column of the last time that a forecast knew of.
const CUTOFF: &str = "cutoff";

impl Reader {
    /// Reads forecasts as [`Frame::read`] does, their times as those of series. `others` are the panels they are to
    /// be compared with, and their files: where those have times with a zone, midnights are no dates.
    ///
    /// # Errors
    /// If the file cannot be read, or has times with a zone and a panel has none, or the reverse.
    pub fn read_forecasts(
        &self,
        path: impl AsRef<Path>,
        others: &[(&Path, &Panel)],
    ) -> Result<Frame, ForecastError> {
        with_source(path.as_ref(), |source| self.forecasts(source, others))
    }

    /// Reads forecasts that are in memory; errors call their file `name`.
    pub fn read_forecasts_bytes(
        &self,
        name: &str,
        bytes: &[u8],
        others: &[(&Path, &Panel)],
    ) -> Result<Frame, ForecastError> {
        self.forecasts(Source::Memory(name, bytes), others)
    }

    fn forecasts(
        &self,
        source: Source,
        others: &[(&Path, &Panel)],
    ) -> Result<Frame, ForecastError> {
        let header = source.header()?;
        let columns = written(&self.columns, &header);
        let request = |name: &String| match name {
            name if *name == columns.id => Request::of(name, Kind::Text).required(),
            name if *name == columns.time => Request::axis(name).required(),
            name => Request::inferred(name),
        };
        // What pandas writes its index under has no name.
        let named = header.iter().filter(|name| !name.is_empty());
        let requests: Vec<Request> = named.map(request).collect();
        let reader = Reader { columns: columns.clone(), ..self.clone() };
        let table = source.table(&requests)?;
        let times = Times::of(&table, &reader, others.iter().all(|(_, p)| p.clock.zone.is_none()))?;
        for (other, panel) in others {
            let other = other.display().to_string();
            let kinds = [times.times.first().copied(), panel.span().map(|(first, _)| first)];
            if let [Some(own), Some(others)] = kinds.map(|time| time.map(Time::kind))
                && own != others
            {
                let files = [source.name().into(), other];
                return Err(ForecastError::OtherAxis { files, kinds: [own, others] });
            }
            times.axis.expect_like(&source.name(), panel.clock, &other)?;
        }
        Frame::from_table(&table, &columns, times)
    }
}

impl Frame {
    /// Reads a file: CSV, packed by gzip or not, Parquet or Arrow. The column of the target, where there
    /// is one, becomes `y`; a column `cutoff` says what each forecast knew; all other columns with
    /// numbers are forecasts, of numbers alone. Columns that the file lacks may also have the names forecasts are written with.
    /// [`Reader::read_forecasts`] reads other times, and those to compare with times of a zone.
    pub fn read(path: impl AsRef<Path>, columns: &Columns) -> Result<Frame, ForecastError> {
        Reader { columns: columns.clone(), ..Reader::default() }.read_forecasts(path, &[])
    }

    fn from_table(
        table: &Table,
        columns: &Columns,
        Times { clock, times, cutoffs, .. }: Times,
    ) -> Result<Frame, ForecastError> {
        let ids = texts(table, &columns.id)?;
        expect_once(table, &columns.time, clock, |row| {
            (ids.get(row), cutoffs.get(row).copied(), times[row])
        })?;
        let mut frame = Frame::new(clock);
        for (id, time) in ids.iter().zip(times) {
            frame.push_row(id, time);
        }
        frame = frame.with_cutoffs(cutoffs);
        let mut actual = None;
        let keys = [CUTOFF, &columns.id, &columns.time];
        for (name, column) in table.columns().iter().filter(|(name, _)| !keys.contains(&&**name)) {
            if *name == columns.target {
                actual = Some(numbers(table, name)?);
            } else if has_numbers(column) {
                frame = frame.with_column(name, numbers(table, name)?);
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
            ("ds".into(), self.axis(self.times())),
        ];
        columns.extend(self.cutoffs().map(|cutoffs| (CUTOFF.into(), self.axis(cutoffs))));
        for name in self.columns() {
            let values = self.column(name).unwrap_or_default();
            let values = values.iter().copied().map(f64::from).collect();
            columns.push((name.into(), Column::floats(values)));
        }
        Table::of(columns)
    }

    /// A column of times, which are all counts or all dates.
    fn axis(&self, times: &[Time]) -> Column {
        let ticks = times.iter().map(|time| time.ticks()).collect();
        match times.first() {
            Some(Time::Integer(_)) => Column::new(Values::Integer(ticks)),
            _ => {
                let zone = self.clock().zone.map(|zone| zone.ahead_seconds);
                Column::new(Values::Time(ticks)).in_zone(zone)
            }
        }
    }

    /// The frame with the values of a panel at its times.
    ///
    /// # Errors
    /// If the panel lacks one of the series or times.
    pub fn with_actuals(self, panel: &Panel) -> Result<Frame, ForecastError> {
        let mut actual = Vec::with_capacity(self.rows());
        for (id, &time) in self.ids().zip(self.times()) {
            let missing = || {
                let time = WrittenTime::new(time, self.clock());
                ForecastError::NoActual { series: id.into(), time }
            };
            let series = self.series_of(panel, id).ok_or_else(missing)?;
            let before = panel.known_until(series, |known| known < time);
            let found = panel.frequency().after(series.start(), before as i64) == Some(time);
            let value = series.values().get(before).filter(|_| found);
            actual.push(*value.ok_or_else(missing)?);
        }
        Ok(self.with_actual(actual))
    }
}

/// Whether a column beside the forecasts is meant to be one: of words alone, or of times, it is not.
fn has_numbers(column: &Column) -> bool {
    match column.values() {
        Values::Text(fields) => fields.iter().any(|field| field.trim().parse::<f64>().is_ok()),
        Values::Time(_) => false,
        Values::Integer(_) | Values::Float(_) => true,
    }
}

/// Refuses two rows of one series, cutoff and time, which are the `key` of a row.
fn expect_once<'a>(
    table: &Table,
    column: &str,
    clock: Clock,
    key: impl Fn(usize) -> (Option<&'a str>, Option<Time>, Time),
) -> Result<(), ForecastError> {
    if (1..table.rows()).all(|row| key(row - 1) < key(row)) {
        return Ok(());
    }
    let mut order: Vec<usize> = (0..table.rows()).collect();
    order.sort_by_key(|&row| key(row));
    let Some(pair) = order.windows(2).find(|pair| key(pair[0]) == key(pair[1])) else {
        return Ok(());
    };
    let (series, _, time) = key(pair[0]);
    Err(ForecastError::DuplicateTime {
        place: Box::new(table.place(pair[1], column)),
        series: series.unwrap_or_default().into(),
        time: WrittenTime::new(time, clock),
        first: table.position(pair[0]),
    })
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

/// The times of forecasts, and of their cutoffs where there are some.
struct Times<'a> {
    axis: Axis<'a>,
    clock: Clock,
    times: Vec<Time>,
    cutoffs: Vec<Time>,
}

impl<'a> Times<'a> {
    /// Reads both alike: midnights with a zone are no dates where those of the other column are none, or where not
    /// `days`.
    fn of(table: &'a Table, reader: &Reader, days: bool) -> Result<Times<'a>, ForecastError> {
        let time = &reader.columns.time;
        let has_cutoffs = table.columns().iter().any(|(name, _)| name == CUTOFF);
        let read = |days| -> Result<_, ForecastError> {
            let cutoffs = has_cutoffs.then(|| axis_of(table, CUTOFF, reader, days)).transpose()?;
            Ok((axis_of(table, time, reader, days)?, cutoffs))
        };
        let ((mut axis, mut times), mut cutoffs) = read(days)?;
        let differs = |(cutoffs, _): &(Axis, _)| cutoffs.zone().is_some() != axis.zone().is_some();
        if days && cutoffs.as_ref().is_some_and(differs) {
            ((axis, times), cutoffs) = read(false)?;
        }
        let shown = axis.zone().is_some() || times.iter().any(|time| time.has_clock());
        let clock = Clock { shown, zone: axis.zone() };
        let place = |column: &str| format!("{}, column \"{column}\",", table.file());
        if let Some((cutoffs, _)) = &cutoffs {
            cutoffs.expect_like(&place(CUTOFF), clock, &place(time))?;
        }
        let cutoffs = cutoffs.map(|(_, times)| times).unwrap_or_default();
        Ok(Times { axis, clock, times, cutoffs })
    }
}

/// The times of a column. Whole numbers are counts where nothing says more, or a forecast of counts would
/// not be found among them again; those of eight digits are dates as in the data.
fn axis_of<'a>(
    table: &'a Table,
    column: &str,
    reader: &Reader,
    days: bool,
) -> Result<(Axis<'a>, Vec<Time>), ForecastError> {
    let axis = match reader.frequency {
        Some(frequency) => Axis::of(table, column, Some(frequency), reader.date_order, days)?,
        None => Axis::as_written(table, column, reader.date_order, days)?,
    };
    let counts = axis.counts().filter(|_| reader.frequency.is_none());
    let times = match counts.and_then(time::days) {
        Some(days) => days.into_iter().filter_map(Time::from_micros).collect(),
        None => axis.times().collect(),
    };
    Ok((axis, times))
}
