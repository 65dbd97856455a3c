//! Wide format: a column of times, and a column for each series.

use super::Reader;
use super::axis::Axis;
use super::rows::{Column, Groups, Rows};
use super::source::{Source, numbers};
use crate::{Columns, ForecastError, Panel};
use whimbrel_data::csv::Request;

/// Reads a panel. A series begins with the first value of its column and ends with the last.
pub(super) fn read(reader: &Reader, source: Source) -> Result<Panel, ForecastError> {
    let header = source.header()?;
    let asked = &reader.columns.time;
    let by_name = header.contains(asked) || *asked != Columns::default().time;
    let time = if by_name { asked } else { header.first().unwrap_or(asked) };
    let series: Vec<&String> =
        header.iter().filter(|name| *name != time && !name.is_empty()).collect();
    let refuse = |reason: &str| {
        Err(ForecastError::Format { file: source.name().into(), reason: reason.into() })
    };
    if let Some(name) = reader.hist_exog_list.iter().chain(&reader.futr_exog_list).next() {
        return Err(ForecastError::Format {
            file: source.name().into(),
            reason: format!("exogenous columns (\"{name}\") need a file in long format"),
        });
    }
    // A first column without a name holds the numbers of rows, as pandas writes them.
    if let Some(at) = (1..header.len()).find(|&at| header[at].is_empty()) {
        let reason = format!("column {} has no name; name its series, or remove it", at + 1);
        return Err(ForecastError::Format { file: source.name().into(), reason });
    }
    if time.is_empty() {
        return refuse("the first column, that of the times, has no name; give it one");
    }
    if series.is_empty() {
        return refuse("has no column beside that of the times; every series is a column");
    }
    let mut requests = vec![Request::axis(time).required()];
    requests.extend(series.iter().map(|name| numbers(name)));
    let table = source.table(&requests)?;
    let (frequency, days) = (reader.frequency_of_times(), reader.may_be_days());
    let axis = Axis::of(&table, time, frequency, reader.date_order, days)?;
    let groups = Groups::new(&table, &axis, time, &vec![0; table.rows()], &["all"])?;
    let rows = Rows::new(&table, axis, time, reader, &groups)?;
    let order = groups.iter().next().unwrap_or_default();
    let mut panel = rows.panel(Vec::with_capacity(series.len()));
    for id in series {
        let column = Column::of(&table, id)?;
        let known = |row: &u32| column.is_known(*row as usize);
        let first = order.iter().position(known).unwrap_or(0);
        let last = order.iter().rposition(known).unwrap_or(0);
        panel.series.push(rows.series(id, &order[first..=last], &column, &[], &[])?);
    }
    panel.series.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(panel)
}
