//! Long format: one row per series and time, in any order.

use super::Reader;
use super::axis::{Axis, empty};
use super::rows::{Column, Groups, Rows};
use super::source::{Source, numbers};
use crate::{Columns, ForecastError, Panel};
use std::borrow::Cow;
use std::collections::HashMap;
use whimbrel_data::csv::Request;
use whimbrel_data::{Kind, Table, Text, Values, time};

/// Reads a panel.
pub(super) fn read(reader: &Reader, source: Source) -> Result<Panel, ForecastError> {
    let Columns { id, time: when, target } = &reader.columns;
    let header = source.header()?;
    let beside = || reader.hist_exog_list.iter().chain(&reader.futr_exog_list);
    if let Some(name) = beside().find(|name| [id, when, target].contains(name)) {
        let reason = format!(
            "column \"{name}\" is read as series, time or target, and cannot be an exogenous one too"
        );
        return Err(ForecastError::Format { file: source.name().into(), reason });
    }
    let has = |name: &String| header.contains(name);
    // A file of one series need not name it.
    let alone = !has(id) && *id == Columns::default().id && has(when) && has(target);
    let mut requests = vec![Request::axis(when).required(), numbers(target)];
    requests.extend(beside().map(|name| numbers(name)));
    if !alone {
        requests.insert(0, Request::of(id, Kind::Text).required());
    }
    let table = source.table(&requests)?;
    let ids = if alone { None } else { Some(texts(&table, id)?) };
    let stem = source.stem();
    let (names, series_of) = number(&table, ids.as_deref(), &stem);
    let (frequency, days) = (reader.frequency_of_times(), reader.may_be_days());
    let axis = Axis::of(&table, when, frequency, reader.date_order, days)?;
    let groups = Groups::new(&table, &axis, when, &series_of, &names)?;
    drop(series_of);
    let rows = Rows::new(&table, axis, when, reader, &groups)?;
    let target = Column::of(&table, target)?;
    let historic = Column::all(&table, &reader.hist_exog_list)?;
    let future = Column::all(&table, &reader.futr_exog_list)?;
    let mut series = Vec::with_capacity(names.len());
    for (id, group) in names.iter().zip(groups.iter()) {
        series.push(rows.series(id, group, &target, &historic, &future)?);
    }
    series.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(Panel {
        hist_exog_list: reader.hist_exog_list.clone(),
        futr_exog_list: reader.futr_exog_list.clone(),
        named: !alone,
        ..rows.panel(series)
    })
}

/// The fields of a column as text; numbers and times are written out.
pub(crate) fn texts<'a>(table: &'a Table, column: &str) -> Result<Cow<'a, Text>, ForecastError> {
    let ids = table.column(column)?;
    if let Some(&row) = ids.missing().first() {
        return Err(empty(table, row, column));
    }
    let written: Vec<String> = match ids.values() {
        Values::Text(text) => return Ok(Cow::Borrowed(text)),
        Values::Integer(numbers) => numbers.iter().map(i64::to_string).collect(),
        Values::Float(numbers) => numbers.iter().map(f64::to_string).collect(),
        Values::Time(times) => {
            let ahead_micros = i64::from(ids.zone().unwrap_or(0)) * 1_000_000;
            times.iter().map(|at| time::format(at.saturating_add(ahead_micros))).collect()
        }
    };
    Ok(Cow::Owned(written.iter().map(String::as_str).collect()))
}

/// The names of all series, and the number of each row's.
pub(super) fn number<'a>(
    table: &Table,
    ids: Option<&'a Text>,
    alone: &'a str,
) -> (Vec<&'a str>, Vec<u32>) {
    let Some(ids) = ids else { return (vec![alone], vec![0; table.rows()]) };
    let (mut names, mut numbers): (Vec<&str>, HashMap<&str, u32>) = Default::default();
    let mut series_of = Vec::with_capacity(ids.len());
    for (id, rows) in ids.runs() {
        let number = *numbers.entry(id).or_insert_with(|| {
            names.push(id);
            (names.len() - 1) as u32
        });
        series_of.extend(std::iter::repeat_n(number, rows.len()));
    }
    (names, series_of)
}
