//! A panel: several series on one regular time axis, with what is known beside them.
//!
//! Invariant: every series has at least one known value; values are within [`LARGEST`], or NaN where they are
//! not known; times are `start, start + 1 step, ...` without gaps; series are sorted by id.

use crate::time::Clock;
use crate::{Fill, ForecastError, Frame, Frequency, Time, WrittenTime};
use std::borrow::Cow;

/// The largest number that is computed with: sums and differences of many stay within single precision.
pub(crate) const LARGEST: f32 = 1e30;

/// One series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub(crate) id: String,
    pub(crate) start: Time,
    pub(crate) values: Vec<f32>,
    /// Boxed, since most series have none.
    pub(crate) beside: Option<Box<Beside>>,
}

/// The exogenous columns of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Beside {
    /// No longer than the series.
    pub(crate) historic: Vec<Vec<f32>>,
    /// As far as they are known.
    pub(crate) future: Vec<Vec<f32>>,
    pub(crate) fixed: Vec<f32>,
}

impl Series {
    /// Its `unique_id`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The time of its first value.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Its values in the order of time; NaN where a value is not known.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Its values, those that are not known replaced by the last known one before them, or by the first
    /// there is: what the rules forecast from.
    pub fn filled(&self) -> Cow<'_, [f32]> {
        let mut values = Cow::Borrowed(&self.values[..]);
        if values.iter().any(|x| x.is_nan()) {
            Fill::Forward.apply(values.to_mut());
        }
        values
    }

    /// A column known up to now, beside the values; empty where there is no such column.
    pub fn historic(&self, column: usize) -> &[f32] {
        self.beside.as_ref().and_then(|beside| beside.historic.get(column)).map_or(&[], |c| c)
    }

    /// A column known ahead: beside the values, and so far beyond them as it is known.
    pub fn future(&self, column: usize) -> &[f32] {
        self.beside.as_ref().and_then(|beside| beside.future.get(column)).map_or(&[], |c| c)
    }

    /// Numbers that never change.
    pub fn fixed(&self) -> &[f32] {
        self.beside.as_ref().map_or(&[], |beside| &beside.fixed)
    }
}

/// Series on one regular time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub(crate) series: Vec<Series>,
    pub(crate) frequency: Frequency,
    /// How times are written.
    pub(crate) clock: Clock,
    pub(crate) futr_exog_list: Vec<String>,
    pub(crate) hist_exog_list: Vec<String>,
    pub(crate) stat_exog_list: Vec<String>,
    /// Whether the data name the series; one that they do not name is called like its file.
    pub(crate) named: bool,
    /// The file that columns known ahead go on in.
    pub(crate) future_file: Option<String>,
}

impl Panel {
    /// The series, sorted by id.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The step of the time axis.
    pub fn frequency(&self) -> Frequency {
        self.frequency
    }

    /// Names of the columns known ahead.
    pub fn futr_exog_list(&self) -> &[String] {
        &self.futr_exog_list
    }

    /// Names of the columns known up to now.
    pub fn hist_exog_list(&self) -> &[String] {
        &self.hist_exog_list
    }

    /// Names of the numbers that never change.
    pub fn stat_exog_list(&self) -> &[String] {
        &self.stat_exog_list
    }

    /// Values of all series together, known or not.
    pub fn rows(&self) -> usize {
        self.series.iter().map(|s| s.values.len()).sum()
    }

    /// The first and the last time of all series; none of an empty panel.
    pub fn span(&self) -> Option<(Time, Time)> {
        let first = self.series.iter().map(|s| s.start).min()?;
        let last = self.series.iter().filter_map(|s| self.last(s)).max()?;
        Some((first, last))
    }

    /// A time as the file of the series writes it.
    pub fn written(&self, time: Time) -> WrittenTime {
        WrittenTime::new(time, self.clock)
    }

    /// The series of an id.
    pub(crate) fn find(&self, id: &str) -> Option<&Series> {
        let place = self.series.binary_search_by(|series| series.id.as_str().cmp(id)).ok()?;
        self.series.get(place)
    }

    /// How many values of a series, from its first on, are at times that `known` accepts, which are the
    /// earlier ones.
    pub(crate) fn known_until(&self, series: &Series, known: impl Fn(Time) -> bool) -> usize {
        let (mut low, mut high) = (0, series.values.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.frequency.after(series.start, middle as i64).is_some_and(&known) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The panel with more values after the end of each series, as many for each.
    pub(crate) fn continued(&self, ahead: &[f32]) -> Panel {
        let steps = ahead.len() / self.series.len().max(1);
        let mut panel = self.clone();
        for (series, ahead) in panel.series.iter_mut().zip(ahead.chunks(steps.max(1))) {
            series.values.extend_from_slice(ahead);
        }
        panel
    }

    /// The panel of no more than so many of its series, the first ones.
    pub fn first(&self, count: usize) -> Cow<'_, Panel> {
        match self.series.get(..count) {
            Some(series) => Cow::Owned(Panel { series: series.to_vec(), ..self.without_series() }),
            None => Cow::Borrowed(self),
        }
    }

    /// The time of a series' last value.
    pub(crate) fn last(&self, series: &Series) -> Option<Time> {
        self.frequency.after(series.start, series.values.len() as i64 - 1)
    }

    /// The time of a series' value `step`, also past its end, as a file has it; empty past the end of time.
    pub fn time_text(&self, series: &Series, step: usize) -> String {
        let time = self.frequency.after(series.start, step as i64);
        time.map_or_else(String::new, |time| time.to_text(self.clock))
    }

    /// The `horizon` times that follow each series, as a frame without forecasts yet.
    pub fn future(&self, horizon: usize) -> Result<Frame, ForecastError> {
        let mut frame = Frame::new(self.clock);
        for series in &self.series {
            let length = series.values.len();
            for step in length..length + horizon {
                frame.push_row(&series.id, self.time(series, step)?);
            }
        }
        Ok(frame)
    }

    /// The time of a step of a series, counted from its start.
    pub(crate) fn time(&self, series: &Series, step: usize) -> Result<Time, ForecastError> {
        self.frequency.after(series.start, step as i64).ok_or_else(|| {
            let last = self.last(series).unwrap_or(series.start);
            ForecastError::EndOfTime { series: series.id.clone(), last: self.written(last) }
        })
    }

    /// The panel with other values, given for each series; where there are fewer, those before are left
    /// out and the series begins later.
    pub(crate) fn with_values(&self, columns: Vec<Vec<f32>>) -> Result<Panel, ForecastError> {
        let series = self.series.iter().zip(columns).map(|(series, values)| {
            let later = series.values.len().saturating_sub(values.len());
            let start = self.frequency.after(series.start, later as i64);
            let start = start.ok_or_else(|| ForecastError::EndOfTime {
                series: series.id.clone(),
                last: self.written(series.start),
            })?;
            let beside = series.beside.as_ref().map(|beside| {
                let mut beside = beside.clone();
                let columns = beside.historic.iter_mut().chain(&mut beside.future);
                columns.for_each(|column| drop(column.drain(..later.min(column.len()))));
                beside
            });
            Ok(Series { id: series.id.clone(), start, values, beside })
        });
        let series = series.collect::<Result<_, ForecastError>>()?;
        Ok(Panel { series, ..self.without_series() })
    }

    /// The panel without the last `rows` values of each series, and those values, series by series.
    /// Columns known ahead stay whole. Series that keep no known value are left out of both.
    pub fn hold_out(&self, rows: usize) -> (Panel, Vec<Vec<f32>>) {
        let mut panel =
            Panel { series: Vec::with_capacity(self.series.len()), ..self.without_series() };
        let mut held_out = Vec::with_capacity(self.series.len());
        for series in &self.series {
            let kept = series.values.len().saturating_sub(rows);
            let (kept, held) = series.values.split_at(kept);
            if kept.iter().all(|x| x.is_nan()) {
                continue;
            }
            let beside = series.beside.as_ref().map(|beside| {
                let mut beside = beside.clone();
                beside.historic.iter_mut().for_each(|column| column.truncate(kept.len()));
                beside
            });
            let (id, start, values) = (series.id.clone(), series.start, kept.to_vec());
            panel.series.push(Series { id, start, values, beside });
            held_out.push(held.to_vec());
        }
        (panel, held_out)
    }

    /// All of the panel but its series.
    fn without_series(&self) -> Panel {
        Panel {
            series: Vec::new(),
            frequency: self.frequency,
            clock: self.clock,
            futr_exog_list: self.futr_exog_list.clone(),
            hist_exog_list: self.hist_exog_list.clone(),
            stat_exog_list: self.stat_exog_list.clone(),
            named: self.named,
            future_file: self.future_file.clone(),
        }
    }
}
