//! What is known beside the series: columns known ahead, and numbers that never change.

use super::axis::Axis;
use super::long::{number, texts};
use super::rows::{Column, Groups, room_to_fill};
use super::source::{Source, numbers};
use super::{Reader, with_source};
use crate::panel::{Beside, Series};
use crate::{Columns, ForecastError, Panel, Time};
use std::path::Path;
use whimbrel_data::csv::Request;
use whimbrel_data::{Kind, Place, Table};

/// Series without numbers that an error names.
const NAMED: usize = 3;

impl Reader {
    /// The columns of a file that can be known ahead: all but those of series, time and target.
    pub fn future_columns(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ForecastError> {
        with_source(path.as_ref(), |source| self.known_ahead(source))
    }

    /// The same of a file that is in memory; errors call it `name`.
    pub fn future_columns_bytes(
        &self,
        name: &str,
        bytes: &[u8],
    ) -> Result<Vec<String>, ForecastError> {
        self.known_ahead(Source::Memory(name, bytes))
    }

    /// Reads how the columns of `futr_exog_list` go on after the end of each series of a panel. Rows of
    /// other times and of other series are passed over; whether all are there is checked when they are
    /// needed.
    pub fn read_future(
        &self,
        panel: &mut Panel,
        path: impl AsRef<Path>,
    ) -> Result<(), ForecastError> {
        with_source(path.as_ref(), |source| self.future(panel, source))
    }

    /// The same from a file that is in memory; errors call it `name`.
    pub fn read_future_bytes(
        &self,
        panel: &mut Panel,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), ForecastError> {
        self.future(panel, Source::Memory(name, bytes))
    }

    /// Reads a row of numbers for each series of a panel: the columns of `stat_exog_list`, or all.
    pub fn read_static(
        &self,
        panel: &mut Panel,
        path: impl AsRef<Path>,
    ) -> Result<(), ForecastError> {
        with_source(path.as_ref(), |source| self.fixed(panel, source))
    }

    fn known_ahead(&self, source: Source) -> Result<Vec<String>, ForecastError> {
        let Columns { id, time, target } = &self.columns;
        let mut header = source.header()?;
        header.retain(|name| ![id, time, target].contains(&name) && !name.is_empty());
        Ok(header)
    }

    fn future(&self, panel: &mut Panel, source: Source) -> Result<(), ForecastError> {
        let Columns { id, time, .. } = &self.columns;
        let alone = panel.series.len() == 1 && !source.header()?.contains(id);
        let mut requests = vec![Request::axis(time).required()];
        requests.extend(panel.futr_exog_list.iter().map(|name| numbers(name).required()));
        if !alone {
            requests.insert(0, Request::of(id, Kind::Text).required());
        }
        let table = source.table(&requests)?;
        let ids = if alone { None } else { Some(texts(&table, id)?) };
        let only = panel.series.first().map(|series| series.id.clone()).unwrap_or_default();
        let (names, series_of) = number(&table, ids.as_deref(), &only);
        let days = panel.clock.zone.is_none();
        let axis = Axis::of(&table, time, Some(panel.frequency), self.date_order, days)?;
        axis.expect_like(&source.name(), panel.clock, "the series")?;
        let groups = Groups::new(&table, &axis, time, &series_of, &names)?;
        let names_of_columns = panel.futr_exog_list.clone();
        let columns: Vec<Column> =
            names_of_columns.iter().map(|name| whole(&table, name)).collect::<Result<_, _>>()?;
        panel.future_file = Some(source.name().into());
        let mut room = room_to_fill(table.rows());
        for (name, rows) in names.iter().zip(groups.iter()) {
            let found = panel.series.binary_search_by(|series| series.id.as_str().cmp(name));
            let Ok(found) = found else { continue };
            for &row in rows {
                let row = row as usize;
                let place = Box::new(table.place(row, time));
                let (at, used) = place_of(panel, found, axis.time(row), room, place)?;
                room -= used;
                let series = &mut panel.series[found];
                if at < series.values.len() {
                    continue;
                }
                for (known, column) in beside(series).future.iter_mut().zip(&columns) {
                    known.resize(known.len().max(at + 1), f32::NAN);
                    known[at] = column.get(&table, row)?;
                }
            }
        }
        Ok(())
    }

    fn fixed(&self, panel: &mut Panel, source: Source) -> Result<(), ForecastError> {
        let id = &self.columns.id;
        let mut names = self.stat_exog_list.clone();
        if names.is_empty() {
            names = source.header()?;
            names.retain(|name| name != id && !name.is_empty());
        }
        let mut requests = vec![Request::of(id, Kind::Text).required()];
        requests.extend(names.iter().map(|name| numbers(name).required()));
        let table = source.table(&requests)?;
        let ids = texts(&table, id)?;
        let columns: Vec<Column> =
            names.iter().map(|name| whole(&table, name)).collect::<Result<_, _>>()?;
        let mut row_of: Vec<Option<usize>> = vec![None; panel.series.len()];
        for (row, name) in ids.iter().enumerate() {
            let found = panel.series.binary_search_by(|series| series.id.as_str().cmp(name));
            let Ok(found) = found else { continue };
            if let Some(first) = row_of[found].replace(row) {
                return Err(ForecastError::StaticTwice {
                    place: Box::new(table.place(row, id)),
                    series: name.into(),
                    first: table.position(first),
                });
            }
        }
        let without = || panel.series.iter().zip(&row_of).filter(|(_, row)| row.is_none());
        if without().next().is_some() {
            return Err(ForecastError::NoStatic {
                file: source.name().into(),
                series: without().take(NAMED).map(|(series, _)| series.id.clone()).collect(),
                count: without().count(),
            });
        }
        for (series, row) in panel.series.iter_mut().zip(row_of) {
            let numbers = row.iter().flat_map(|&row| columns.iter().map(move |c| (c, row)));
            let numbers = numbers.map(|(column, row)| column.get(&table, row));
            beside(series).fixed = numbers.collect::<Result<_, _>>()?;
        }
        panel.stat_exog_list = names;
        Ok(())
    }
}

/// How many steps after the start of a series a time is, and how many of `room` it takes to reach it; 0 of
/// times before it.
fn place_of(
    panel: &Panel,
    series: usize,
    found: Time,
    room: usize,
    place: Box<Place>,
) -> Result<(usize, usize), ForecastError> {
    let (series, frequency) = (&panel.series[series], panel.frequency);
    let known = series.values.len().max(series.future(0).len());
    let before = frequency.after(series.start, known as i64 - 1).unwrap_or(series.start);
    let id = || series.id.clone();
    match frequency.steps_between(series.start, found) {
        Some(steps) if steps < known as i64 => Ok((steps.max(0) as usize, 0)),
        Some(steps) => {
            let (at, missing) = (steps as usize, steps as usize - known);
            match missing < room {
                true => Ok((at, missing)),
                false => {
                    let (series, missing) = (id(), missing as u64);
                    let [before, found] = [before, found].map(|time| panel.written(time));
                    Err(ForecastError::LongGap { place, series, before, found, missing, frequency })
                }
            }
        }
        // Rows of the past may lie anywhere.
        None if frequency.fits(found) && found < before => Ok((0, 0)),
        None => {
            let expected = frequency.after(series.start, known as i64).unwrap_or(before);
            let series = id();
            let [before, found, expected] =
                [before, found, expected].map(|time| panel.written(time));
            Err(ForecastError::OffAxis { place, series, before, found, expected, frequency })
        }
    }
}

/// A column with a number in every row.
fn whole<'a>(table: &'a Table, name: &'a str) -> Result<Column<'a>, ForecastError> {
    let column = Column::of(table, name)?;
    match (0..table.rows()).find(|&row| !column.is_known(row)) {
        Some(row) => Err(super::axis::empty(table, row, name)),
        None => Ok(column),
    }
}

fn beside(series: &mut Series) -> &mut Beside {
    series.beside.get_or_insert_default()
}
