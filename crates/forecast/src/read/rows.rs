//! Rows of a table that become series: sorted, checked, put on the axis, filled.

use super::Reader;
use super::axis::{Axis, short};
use crate::panel::{Beside, LARGEST, Series};
use crate::time::Clock;
use crate::{Fill, ForecastError, Frequency, Panel, Time, WrittenTime};
use std::borrow::Cow;
use std::cell::Cell;
use whimbrel_data::{DataError, Problem, Table, Values};

/// Rows that may be filled for each that is there, and in any case.
const FILLED_PER_ROW: usize = 64;
const FILLED_ANYWAY: usize = 1 << 20;

/// Rows that may be filled in a table of so many: a mistyped time must not fill all memory.
pub(super) fn room_to_fill(rows: usize) -> usize {
    rows.saturating_mul(FILLED_PER_ROW).max(FILLED_ANYWAY)
}

/// A column of numbers, NaN where there is none.
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    values: Cow<'a, [f64]>,
}

impl<'a> Column<'a> {
    /// The numbers of a column.
    pub(super) fn of(table: &'a Table, name: &'a str) -> Result<Column<'a>, ForecastError> {
        let column = table.column(name)?;
        let values = match column.values() {
            Values::Float(values) => Cow::Borrowed(&values[..]),
            _ => Cow::Owned(column.parse_floats().map_err(|row| {
                let text = match column.values() {
                    Values::Text(text) => short(text.get(row).unwrap_or_default()),
                    _ => "a time".into(),
                };
                DataError { place: table.place(row, name), problem: Problem::NotANumber { text } }
            })?),
        };
        Ok(Column { name, values })
    }

    /// The numbers of several columns.
    pub(super) fn all(
        table: &'a Table,
        names: &'a [String],
    ) -> Result<Vec<Column<'a>>, ForecastError> {
        names.iter().map(|name| Column::of(table, name)).collect()
    }

    /// A number, NaN if there is none; too large ones are an error.
    pub(super) fn get(&self, table: &Table, row: usize) -> Result<f32, ForecastError> {
        let (exact, most) = (self.values[row], LARGEST);
        let problem = match exact.abs() {
            f64::INFINITY => Problem::NotFinite { text: exact.to_string() },
            size if size > f64::from(most) => {
                Problem::TooLarge { text: format!("{exact:e}"), most }
            }
            _ => return Ok(exact as f32),
        };
        Err(DataError { place: table.place(row, self.name), problem }.into())
    }

    /// Whether a number is another one as f32.
    fn is_rounded(&self, row: usize) -> bool {
        let value = self.values[row];
        !value.is_nan() && f64::from(value as f32) != value
    }

    pub(super) fn is_known(&self, row: usize) -> bool {
        !self.values[row].is_nan()
    }
}

/// The numbers of a column, NaN where there is none.
pub(crate) fn numbers(table: &Table, name: &str) -> Result<Vec<f32>, ForecastError> {
    let column = Column::of(table, name)?;
    (0..table.rows()).map(|row| column.get(table, row)).collect()
}

/// Numbers that differ by less than this, relative to their size, are meant to be equal.
const EQUAL: f64 = 1e-12;

/// A table whose rows become series.
pub(super) struct Rows<'a> {
    pub(super) table: &'a Table,
    pub(super) axis: Axis<'a>,
    pub(super) time_column: &'a str,
    pub(super) frequency: Frequency,
    pub(super) fill: Fill,
    /// How the times are written.
    clock: Clock,
    /// Rows that may still be filled.
    room: Cell<usize>,
}

impl<'a> Rows<'a> {
    /// Rows of the series in `groups`, each in the order of time. The frequency is found from them
    /// unless the reader says it.
    pub(super) fn new(
        table: &'a Table,
        axis: Axis<'a>,
        time_column: &'a str,
        reader: &Reader,
        groups: &Groups,
    ) -> Result<Rows<'a>, ForecastError> {
        let times = groups.iter().map(|rows| rows.iter().map(|&row| axis.time(row as usize)));
        let usual =
            reader.usual_frequency.map(|usual| usual.on_the_day_of(times.clone().flatten()));
        let usual = usual.filter(|usual| times.clone().all(|times| usual.leads_through(times)));
        let fill = reader.fill;
        let frequency = match (reader.frequency, usual) {
            (Some(frequency), _) => frequency.on_the_day_of(times.flatten()),
            (None, Some(usual)) => usual,
            (None, None) => Frequency::detect(times)
                .ok_or_else(|| ForecastError::UnknownFrequency { file: table.file().into() })?,
        };
        if table.rows() > 0 && !frequency.fits(axis.time(0)) {
            let times = axis.time(0).kind();
            return Err(ForecastError::FrequencyKind { frequency, times });
        }
        let room = Cell::new(room_to_fill(table.rows()));
        let clock = axis.clock(frequency);
        Ok(Rows { table, axis, time_column, frequency, fill, clock, room })
    }

    /// The panel of series that were made of these rows.
    pub(super) fn panel(&self, series: Vec<Series>) -> Panel {
        Panel {
            series,
            frequency: self.frequency,
            clock: self.clock,
            futr_exog_list: Vec::new(),
            hist_exog_list: Vec::new(),
            stat_exog_list: Vec::new(),
            named: true,
            future_file: None,
        }
    }

    /// A time as the file writes it.
    fn written(&self, time: Time) -> WrittenTime {
        WrittenTime::new(time, self.clock)
    }

    /// The series made of some rows, which are in the order of time.
    pub(super) fn series(
        &self,
        id: &str,
        rows: &[u32],
        target: &Column,
        historic: &[Column],
        future: &[Column],
    ) -> Result<Series, ForecastError> {
        let start = self.start(id, rows.first().copied().unwrap_or_default() as usize)?;
        let positions = self.positions(id, rows)?;
        let values = self.values(id, rows, &positions, target)?;
        let beside = match historic.len() + future.len() {
            0 => None,
            _ => {
                let all = |columns: &[Column]| -> Result<Vec<Vec<f32>>, ForecastError> {
                    let columns = columns.iter();
                    columns.map(|column| self.values(id, rows, &positions, column)).collect()
                };
                let (historic, future) = (all(historic)?, all(future)?);
                Some(Box::new(Beside { historic, future, fixed: Vec::new() }))
            }
        };
        Ok(Series { id: id.into(), start, values, beside })
    }

    /// The time of the first row, which lies on the axis like the others.
    fn start(&self, id: &str, row: usize) -> Result<Time, ForecastError> {
        let (start, frequency) = (self.axis.time(row), self.frequency);
        if frequency.steps_between(start, start) == Some(0) {
            return Ok(start);
        }
        Err(ForecastError::OffAxisFirst {
            place: Box::new(self.table.place(row, self.time_column)),
            series: id.into(),
            found: self.written(start),
            expected: self.written(frequency.nearest(start)),
            frequency,
        })
    }

    /// Where on the axis each row is, counted from the first.
    fn positions(&self, id: &str, rows: &[u32]) -> Result<Vec<usize>, ForecastError> {
        let step = self.axis.ticks_per_step(self.frequency);
        let mut positions = Vec::with_capacity(rows.len());
        let mut at = 0;
        positions.extend(rows.first().map(|_| 0));
        for pair in rows.windows(2) {
            let (before, row) = (pair[0] as usize, pair[1] as usize);
            let next = step.and_then(|step| self.axis.tick(before).checked_add(step));
            if next == Some(self.axis.tick(row)) {
                at += 1;
            } else {
                at += self.steps(id, rows[0] as usize, before, row, at)?;
            }
            positions.push(at);
        }
        Ok(positions)
    }

    /// How many steps lead from one row to the next, where `before` is `at` steps from the first.
    #[cold]
    fn steps(
        &self,
        id: &str,
        first: usize,
        before: usize,
        row: usize,
        at: usize,
    ) -> Result<usize, ForecastError> {
        let [start, last, time] = [first, before, row].map(|row| self.axis.time(row));
        let place = || Box::new(self.table.place(row, self.time_column));
        let (series, frequency) = (|| id.to_string(), self.frequency);
        let expected = frequency.after(start, at as i64 + 1).unwrap_or(last);
        let times = || [last, time, expected].map(|time| self.written(time));
        // Counted from the start: the last day of a month may be any.
        let steps = frequency.steps_between(start, time).map(|steps| steps - at as i64);
        let Some(steps) = steps.and_then(|steps| usize::try_from(steps).ok()).filter(|&s| s > 0)
        else {
            let ([before, found, expected], place, series) = (times(), place(), series());
            return Err(ForecastError::OffAxis {
                place,
                series,
                before,
                found,
                expected,
                frequency,
            });
        };
        let missing = steps as u64 - 1;
        if missing > 0 && self.fill == Fill::Error {
            let [before, found, expected] = times();
            return Err(ForecastError::Gap {
                place: place(),
                series: series(),
                before,
                found,
                expected,
                missing,
                frequency,
            });
        }
        let Some(room) = self.room.get().checked_sub(steps - 1) else {
            let [before, found, _] = times();
            return Err(ForecastError::LongGap {
                place: place(),
                series: series(),
                before,
                found,
                missing,
                frequency,
            });
        };
        self.room.set(room);
        Ok(steps)
    }

    /// The values of a column at these positions, what lies between them filled.
    fn values(
        &self,
        id: &str,
        rows: &[u32],
        positions: &[usize],
        column: &Column,
    ) -> Result<Vec<f32>, ForecastError> {
        let length = positions.last().map_or(0, |last| last + 1);
        let mut values = vec![f32::NAN; length];
        let mut known = 0;
        for (&row, &at) in rows.iter().zip(positions) {
            let value = column.get(self.table, row as usize)?;
            known += usize::from(!value.is_nan());
            values[at] = value;
        }
        let place = |row: usize| Box::new(self.table.place(row, column.name));
        if known == 0 {
            let row = rows.first().copied().unwrap_or_default() as usize;
            return Err(ForecastError::NothingKnown { place: place(row), series: id.into() });
        }
        if known < length {
            let without = rows.iter().find(|&&row| !column.is_known(row as usize));
            if let Some(&row) = without.filter(|_| self.fill == Fill::Error) {
                let (place, time) =
                    (place(row as usize), self.written(self.axis.time(row as usize)));
                return Err(ForecastError::NoValue { place, series: id.into(), time });
            }
            self.fill.apply(&mut values);
        }
        let size = |(low, high): (f64, f64)| low.abs().max(high.abs());
        let range = range_of(values.iter().map(|x| f64::from(*x)));
        if range.1 - range.0 < 64.0 * f64::from(f32::EPSILON) * size(range) {
            // As good as equal they may be, since what was computed is never quite equal.
            let exact = range_of(rows.iter().map(|&row| column.values[row as usize]));
            let row = rows.iter().find(|&&row| column.is_rounded(row as usize));
            if let Some(&row) = row.filter(|_| exact.1 - exact.0 > EQUAL * size(exact)) {
                let value = column.values[row as usize];
                let (place, series) = (place(row as usize), id.into());
                return Err(ForecastError::Coarse { place, series, value, rounded: value as f32 });
            }
        }
        Ok(values)
    }
}

/// The smallest and the largest of numbers that are no NaN.
fn range_of(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    numbers.fold(start, |(low, high), x| (low.min(x), high.max(x)))
}

/// Rows by the series they belong to, each in the order of time.
pub(super) struct Groups {
    /// Rows of the first series, then those of the next.
    order: Vec<u32>,
    /// Where each series ends.
    ends: Vec<usize>,
}

impl Groups {
    /// Sorts rows, given the series of each, by time. Two rows at one time are an error, which names the
    /// series by `id`.
    pub(super) fn new(
        table: &Table,
        axis: &Axis,
        time_column: &str,
        series_of: &[u32],
        ids: &[&str],
    ) -> Result<Groups, ForecastError> {
        let count = u32::try_from(table.rows());
        let count = count.map_err(|_| ForecastError::TooManyRows { file: table.file().into() })?;
        let mut ends = vec![0; ids.len()];
        series_of.iter().for_each(|&series| ends[series as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            (total, *end) = (total + *end, total);
        }
        let mut order = vec![0; table.rows()];
        for row in 0..count {
            let place = &mut ends[series_of[row as usize] as usize];
            order[*place] = row;
            *place += 1;
        }
        let mut start = 0;
        for (&end, id) in ends.iter().zip(ids) {
            let rows = &mut order[start..end];
            start = end;
            if rows.windows(2).all(|pair| axis.tick(pair[0] as usize) < axis.tick(pair[1] as usize))
            {
                continue;
            }
            rows.sort_by_key(|&row| axis.tick(row as usize));
            let same = |pair: &&[u32]| axis.tick(pair[0] as usize) == axis.tick(pair[1] as usize);
            if let Some(pair) = rows.windows(2).find(same) {
                let (first, second) = (pair[0] as usize, pair[1] as usize);
                return Err(ForecastError::DuplicateTime {
                    place: Box::new(table.place(second, time_column)),
                    series: id.to_string(),
                    time: axis.written(first),
                    first: table.position(first),
                });
            }
        }
        Ok(Groups { order, ends })
    }

    /// The rows of each series.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.order[start..end])
    }
}
