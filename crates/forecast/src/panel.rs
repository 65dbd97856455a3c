//! A panel: several series on one regular time axis.
//!
//! Invariant: every series has at least one value, all values are finite, and its times are
//! `start, start + 1 step, ...` without gaps; series are sorted by id.

use crate::{ForecastError, Frame, Frequency, Time};
use std::collections::HashMap;
use whimbrel_data::Place;

/// One series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    id: String,
    start: Time,
    values: Vec<f32>,
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

    /// Its values in the order of time.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// Series on one regular time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    series: Vec<Series>,
    frequency: Frequency,
    /// Whether times are written with their time of day.
    clock: bool,
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

    /// Values of all series together.
    pub fn rows(&self) -> usize {
        self.series.iter().map(|s| s.values.len()).sum()
    }

    /// The first and the last time of all series; none of an empty panel.
    pub fn span(&self) -> Option<(Time, Time)> {
        let first = self.series.iter().map(|s| s.start).min()?;
        let last = self.series.iter().filter_map(|s| self.last(s)).max()?;
        Some((first, last))
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

    /// The time of a series' last value.
    pub(crate) fn last(&self, series: &Series) -> Option<Time> {
        self.frequency.after(series.start, series.values.len() as i64 - 1)
    }

    /// The time of a series' value `step`, also past its end, as a file has it; empty past the end of time.
    pub(crate) fn time_text(&self, series: &Series, step: usize) -> String {
        let time = self.frequency.after(series.start, step as i64);
        time.map_or_else(String::new, |time| time.to_text(self.clock))
    }

    /// The `horizon` times that follow each series, as a frame without forecasts yet.
    pub fn future(&self, horizon: usize) -> Result<Frame, ForecastError> {
        let mut frame = Frame::new(self.clock);
        for series in &self.series {
            let length = series.values.len();
            for step in length..length + horizon {
                let time = self.frequency.after(series.start, step as i64).ok_or_else(|| {
                    let last = self.last(series).unwrap_or(series.start);
                    ForecastError::EndOfTime { series: series.id.clone(), last }
                })?;
                frame.push_row(&series.id, time);
            }
        }
        Ok(frame)
    }

    /// The panel with other values, given for each series; where there are fewer, those before are left
    /// out and the series begins later.
    pub(crate) fn with_values(&self, columns: Vec<Vec<f32>>) -> Result<Panel, ForecastError> {
        let series = self.series.iter().zip(columns).map(|(series, values)| {
            let later = series.values.len().saturating_sub(values.len());
            let start = self.frequency.after(series.start, later as i64);
            let start = start.ok_or_else(|| ForecastError::EndOfTime {
                series: series.id.clone(),
                last: series.start,
            })?;
            Ok(Series { id: series.id.clone(), start, values })
        });
        let series = series.collect::<Result<_, ForecastError>>()?;
        Ok(Panel { series, frequency: self.frequency, clock: self.clock })
    }

    /// The panel without the last `rows` values of each series, and those values, series by series.
    /// Series with no more values than that are left out of both.
    pub fn hold_out(&self, rows: usize) -> (Panel, Vec<Vec<f32>>) {
        let long = self.series.iter().filter(|s| s.values.len() > rows);
        let (series, held) = long
            .map(|s| {
                let (kept, held) = s.values.split_at(s.values.len() - rows);
                let kept = Series { id: s.id.clone(), start: s.start, values: kept.to_vec() };
                (kept, held.to_vec())
            })
            .unzip();
        (Panel { series, frequency: self.frequency, clock: self.clock }, held)
    }
}

/// One row on its way into a panel.
#[derive(Clone, Copy, Debug)]
struct Row {
    time: Time,
    value: f32,
    line: u64,
}

/// Rows in any order, becoming a panel.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    ids: HashMap<String, usize>,
    series: Vec<(String, Vec<Row>)>,
    /// The series of the row before: rows of one series mostly follow each other.
    latest: usize,
}

impl Rows {
    /// Adds a row; its line is for errors.
    pub(crate) fn push(&mut self, id: &str, time: Time, value: f32, line: u64) {
        if self.series.get(self.latest).is_none_or(|(latest, _)| latest != id) {
            self.latest = match self.ids.get(id) {
                Some(&known) => known,
                None => {
                    self.ids.insert(id.into(), self.series.len());
                    self.series.push((id.into(), Vec::new()));
                    self.series.len() - 1
                }
            };
        }
        self.series[self.latest].1.push(Row { time, value, line });
    }

    /// Any of the times.
    pub(crate) fn first_time(&self) -> Option<Time> {
        self.series.first().and_then(|(_, rows)| rows.first()).map(|row| row.time)
    }

    /// Sorts the rows, finds the frequency unless it is given, and checks that no time is missing or
    /// there twice. Errors speak of `file` and its `column` of times.
    pub(crate) fn into_panel(
        mut self,
        file: &str,
        column: &str,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        let place = |line: u64| Place {
            file: file.into(),
            line: Some(line),
            column: Some(format!("\"{column}\"")),
        };
        self.series.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (id, rows) in &mut self.series {
            rows.sort_by_key(|row| row.time);
            if let Some(pair) = rows.windows(2).find(|pair| pair[0].time == pair[1].time) {
                return Err(ForecastError::DuplicateTime {
                    place: place(pair[1].line),
                    series: id.clone(),
                    time: pair[0].time,
                    first: pair[0].line,
                });
            }
        }
        let times: Vec<Vec<Time>> =
            self.series.iter().map(|(_, rows)| rows.iter().map(|r| r.time).collect()).collect();
        let frequency = match frequency {
            Some(frequency) => frequency,
            None => Frequency::detect(times.iter().map(Vec::as_slice))
                .ok_or_else(|| ForecastError::UnknownFrequency { file: file.into() })?,
        };
        if let Some(time) = self.first_time().filter(|&time| !frequency.fits(time)) {
            return Err(ForecastError::FrequencyKind { frequency, times: time.kind() });
        }
        let clock = frequency.has_clock() || times.iter().flatten().any(|time| time.has_clock());
        let mut series = Vec::with_capacity(self.series.len());
        for (id, rows) in self.series {
            let Some(start) = rows.first().map(|row| row.time) else { continue };
            for (i, pair) in rows.windows(2).enumerate() {
                let expected = frequency.after(start, i as i64 + 1);
                if expected != Some(pair[1].time) {
                    return Err(ForecastError::Gap {
                        place: Box::new(place(pair[1].line)),
                        series: id,
                        before: pair[0].time,
                        found: pair[1].time,
                        expected: expected.unwrap_or(pair[0].time),
                        frequency,
                    });
                }
            }
            series.push(Series { id, start, values: rows.iter().map(|r| r.value).collect() });
        }
        Ok(Panel { series, frequency, clock })
    }
}
