//! A forecast as a table: `unique_id, ds`, of a cross-validation `cutoff`, and a column of values per
//! model. `table.rs` prints it.

mod table;

use crate::column::Part;
use crate::time::Clock;
use crate::{ForecastError, Panel, Series, Time};
use std::io::{self, Write};
use std::ops::Range;
use whimbrel_data::csv::Writer;

/// The column of the right values.
const ACTUAL: &str = "y";

/// Forecasts side by side. Rows are ordered by series, then by cutoff, then by time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The series that rows belong to, one run after another, and where each run ends. Neighbours differ.
    series: Vec<(String, usize)>,
    times: Vec<Time>,
    /// The last time each forecast knew of; empty where the frame does not say.
    cutoffs: Vec<Time>,
    clock: Clock,
    columns: Vec<(String, Vec<f32>)>,
}

impl Frame {
    pub(crate) fn new(clock: Clock) -> Frame {
        Frame {
            series: Vec::new(),
            times: Vec::new(),
            cutoffs: Vec::new(),
            clock,
            columns: Vec::new(),
        }
    }

    pub(crate) fn push_row(&mut self, id: &str, time: Time) {
        self.times.push(time);
        self.push_run(id, 1);
    }

    /// Says which series the next rows belong to.
    fn push_run(&mut self, id: &str, rows: usize) {
        let end = self.series.last().map_or(0, |(_, end)| *end) + rows;
        match self.series.last_mut() {
            Some((last, known)) if last == id => *known = end,
            _ => self.series.push((id.into(), end)),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.times.len()
    }

    /// The series of a row; empty past the last one.
    pub fn id(&self, row: usize) -> &str {
        let at = self.series.partition_point(|(_, end)| *end <= row);
        self.series.get(at).map_or("", |(id, _)| id)
    }

    /// The series of each row.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.series().flat_map(|(id, rows)| rows.map(move |_| id))
    }

    /// The series, and the rows of each.
    pub fn series(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.series.iter().map(|(_, end)| *end));
        self.series.iter().zip(starts).map(|((id, end), start)| (id.as_str(), start..*end))
    }

    /// The time of each row.
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// A time as the frame writes it: with the time of day and the zone, if its times have them.
    pub fn time_text(&self, time: Time) -> String {
        time.to_text(self.clock)
    }

    /// How its times are written.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The last time the forecast of each row knew of; none where the frame is no cross-validation.
    pub fn cutoffs(&self) -> Option<&[Time]> {
        (!self.cutoffs.is_empty()).then_some(&self.cutoffs)
    }

    /// The right values, one per row, of a frame that has them.
    pub fn actual(&self) -> Option<&[f32]> {
        self.column(ACTUAL)
    }

    /// The names of all columns of values.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The models that have forecasts here, each once, whatever number of columns it has.
    pub fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        for model in self.columns().filter(|name| *name != ACTUAL).map(|name| Part::split(name).0) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
        models
    }

    /// The forecast of a model to compare others with: its own column, or else its median.
    pub fn point(&self, model: &str) -> Option<&[f32]> {
        self.column(model).or_else(|| self.column(&Part::Median.of(model)))
    }

    /// The rows of one series, of one cutoff where there are cutoffs, range after range.
    pub(crate) fn windows(&self) -> Vec<Range<usize>> {
        self.windows_by_series().into_iter().flatten().collect()
    }

    /// The same, apart for each series.
    pub(crate) fn windows_by_series(&self) -> Vec<Vec<Range<usize>>> {
        let windows = |(_, rows): (&str, Range<usize>)| {
            let mut windows: Vec<Range<usize>> = Vec::new();
            for row in rows {
                match windows.last_mut() {
                    Some(window) if self.cutoffs.get(window.start) == self.cutoffs.get(row) => {
                        window.end = row + 1;
                    }
                    _ => windows.push(row..row + 1),
                }
            }
            windows
        };
        self.series().map(windows).collect()
    }

    /// The window of each row, counted from 0 within its series.
    pub(crate) fn numbers_of_windows(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.rows()];
        for windows in self.windows_by_series() {
            for (number, rows) in windows.iter().enumerate() {
                numbers[rows.clone()].fill(number);
            }
        }
        numbers
    }

    /// A model's forecasts, one per row.
    pub fn column(&self, model: &str) -> Option<&[f32]> {
        self.columns.iter().find(|(name, _)| name == model).map(|(_, values)| &values[..])
    }

    /// The lower and the upper edge of a model's interval that holds so many per cent, one per row.
    pub fn interval(&self, model: &str, level: f32) -> Option<(&[f32], &[f32])> {
        let edge = |part: Part| self.column(&part.of(model));
        Some((edge(Part::Low(level))?, edge(Part::High(level))?))
    }

    /// The levels of a model's intervals in per cent, the widest first.
    pub fn levels(&self, model: &str) -> Vec<f32> {
        let low = |name| match Part::split(name) {
            (of, Part::Low(level)) if of == model => Some(level),
            _ => None,
        };
        let mut levels: Vec<f32> = self.columns().filter_map(low).collect();
        levels.sort_by(|a, b| b.total_cmp(a));
        levels
    }

    /// Adds a model's forecasts; rows beyond its end stay empty (NaN), values beyond the last row are
    /// dropped.
    pub fn with_column(mut self, model: &str, mut values: Vec<f32>) -> Frame {
        values.resize(self.rows(), f32::NAN);
        self.columns.push((model.into(), values));
        self
    }

    /// Its first rows.
    pub fn head(&self, rows: usize) -> Frame {
        let mut frame = self.clone();
        frame.series.truncate(self.series().take_while(|(_, own)| own.start < rows).count());
        frame.series.iter_mut().for_each(|(_, end)| *end = rows.min(*end));
        frame.times.truncate(rows);
        frame.cutoffs.truncate(rows);
        frame.columns.iter_mut().for_each(|(_, values)| values.truncate(rows));
        frame
    }

    /// The frame with the columns of these models alone, and the right values.
    pub fn only(&self, models: &[&str]) -> Frame {
        let mut frame = self.clone();
        let wanted = |name: &str| name == ACTUAL || models.contains(&Part::split(name).0);
        frame.columns.retain(|(name, _)| wanted(name));
        frame
    }

    /// Adds a part of a model's forecast right after what is there of it.
    pub(crate) fn with_part(mut self, model: &str, part: Part, mut values: Vec<f32>) -> Frame {
        values.resize(self.rows(), f32::NAN);
        let name = part.of(model);
        self.columns.retain(|(known, _)| *known != name);
        let last = self.columns.iter().rposition(|(name, _)| Part::split(name).0 == model);
        self.columns.insert(last.map_or(self.columns.len(), |last| last + 1), (name, values));
        self
    }

    /// The frame with the right values, `unique_id, ds, .., y`.
    pub(crate) fn with_actual(self, values: Vec<f32>) -> Frame {
        let columns = self.columns.into_iter().filter(|(name, _)| name != ACTUAL).collect();
        Frame { columns, ..self }.with_column(ACTUAL, values)
    }

    /// The frame with the last time that each row's forecast knew of, one per row.
    pub(crate) fn with_cutoffs(self, cutoffs: Vec<Time>) -> Frame {
        Frame { cutoffs, ..self }
    }

    /// The rows of frames that have the same columns, in order of series, cutoff and time.
    pub(crate) fn stacked(frames: impl IntoIterator<Item = Frame>) -> Option<Frame> {
        let mut frames = frames.into_iter();
        let mut all = frames.next()?;
        for frame in frames {
            all.clock = all.clock.with(frame.clock);
            frame.series().for_each(|(id, rows)| all.push_run(id, rows.len()));
            all.times.extend(frame.times);
            all.cutoffs.extend(frame.cutoffs);
            for ((_, all), (_, more)) in all.columns.iter_mut().zip(frame.columns) {
                all.extend(more);
            }
        }
        Some(all.ordered())
    }

    /// The rows in order of series, cutoff and time.
    pub(crate) fn ordered(mut self) -> Frame {
        let ids: Vec<&str> = self.ids().collect();
        let key = |row: usize| (ids[row], self.cutoffs.get(row), self.times[row]);
        if (1..self.rows()).all(|row| key(row - 1) <= key(row)) {
            return self;
        }
        let mut order: Vec<usize> = (0..self.rows()).collect();
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let mut sorted = Frame::new(self.clock);
        order.iter().for_each(|&row| sorted.push_run(ids[row], 1));
        self.series = sorted.series;
        self.times = order.iter().map(|&row| self.times[row]).collect();
        if !self.cutoffs.is_empty() {
            self.cutoffs = order.iter().map(|&row| self.cutoffs[row]).collect();
        }
        for (_, values) in &mut self.columns {
            *values = order.iter().map(|&row| values[row]).collect();
        }
        self
    }

    /// Adds the columns of a frame of the same rows; a model whose name is taken gets a number after it, in all of
    /// its columns.
    pub fn beside(self, other: Frame) -> Frame {
        let taken = self.models();
        let numbered = |model: &str| {
            let mut names = (1..).map(|number| format!("{model}{number}"));
            names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
        };
        let names: Vec<String> = other
            .columns()
            .map(|name| match Part::split(name) {
                (model, part) if taken.contains(&model) => part.of(&numbered(model)),
                _ => name.into(),
            })
            .collect();
        let columns = names.iter().zip(other.columns);
        columns.fold(self, |frame, (name, (_, values))| frame.with_column(name, values))
    }

    /// The series of a panel that a name means here: where both have one series, and the panel's has no name of its
    /// own, that one.
    pub fn series_of<'p>(&self, panel: &'p Panel, id: &str) -> Option<&'p Series> {
        let only = || match (panel.series(), self.series.len()) {
            ([series], 1) if !panel.named => Some(series),
            _ => None,
        };
        panel.find(id).or_else(only)
    }

    /// Refuses a frame with a model that lacks an interval of `level`; `remedy` says how it would have it.
    pub fn expect_intervals(
        &self,
        level: &[f32],
        remedy: &'static str,
    ) -> Result<(), ForecastError> {
        for (model, &level) in self.models().iter().flat_map(|m| level.iter().map(move |l| (m, l)))
        {
            if self.column(&Part::Low(level).of(model)).is_none() {
                return Err(ForecastError::NoIntervals { model: model.to_string(), level, remedy });
            }
        }
        Ok(())
    }

    /// Writes the frame as CSV, values with all the digits an f32 has.
    pub fn write_csv(&self, output: impl Write) -> io::Result<()> {
        let mut writer = Writer::new(output);
        let cutoff = self.cutoffs().map(|_| "cutoff");
        writer.record(["unique_id", "ds"].into_iter().chain(cutoff).chain(self.columns()))?;
        for (row, (id, time)) in self.ids().zip(&self.times).enumerate() {
            let values: Vec<String> = self.columns.iter().map(|(_, v)| exact(v[row])).collect();
            let time = time.to_text(self.clock);
            let cutoff = self.cutoffs.get(row).map(|time| time.to_text(self.clock));
            let fields = [id, time.as_str()].into_iter().chain(cutoff.as_deref());
            writer.record(fields.chain(values.iter().map(String::as_str)))?;
        }
        writer.finish().map(drop)
    }
}

fn exact(value: f32) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let mut frame = Frame::new(Clock::default());
        frame.push_row("north\nsouth", Time::Integer(9));
        frame.push_row("west", Time::Integer(10));
        frame.with_column("Naive", vec![-0.0001, 432.0]).with_column("Short", vec![1.5e-3])
    }

    #[test]
    fn tables_are_aligned() {
        let expected = "\
unique_id     ds   Naive      Short
north\\nsouth  9     0.00  0.0015000
west          10  432.00
";
        assert_eq!(frame().to_string(), expected);
    }

    #[test]
    fn ids_are_kept_once_for_a_series_whatever_the_order_of_rows() {
        let mut mixed = Frame::new(Clock::default());
        for (id, time) in [("b", 2), ("a", 1), ("b", 1), ("a", 2), ("b", 3)] {
            mixed.push_row(id, Time::Integer(time));
        }
        let ordered = mixed.with_column("Naive", vec![2.0, 1.0, 1.0, 2.0, 3.0]).ordered();
        assert_eq!(ordered.series().collect::<Vec<_>>(), [("a", 0..2), ("b", 2..5)]);
        assert_eq!(ordered.ids().collect::<String>(), "aabbb");
        assert_eq!(ordered.column("Naive"), Some(&[1.0, 2.0, 1.0, 2.0, 3.0][..]));
        assert_eq!((ordered.id(1), ordered.id(2), ordered.id(5)), ("a", "b", ""));
        assert_eq!(ordered.head(2).series().collect::<Vec<_>>(), [("a", 0..2)]);
        assert_eq!(ordered.head(3).ids().collect::<String>(), "aab");
        assert_eq!(ordered.head(0).series().count(), 0);
        let twice = Frame::stacked([ordered.clone(), ordered.clone()]).unwrap();
        assert_eq!(twice.series().collect::<Vec<_>>(), [("a", 0..4), ("b", 4..10)]);
    }

    #[test]
    fn a_column_of_a_taken_name_gets_a_number() {
        let both = frame().beside(frame()).beside(frame());
        let names: Vec<_> = both.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Naive", "Short", "Naive1", "Short1", "Naive2", "Short2"]);
    }

    #[test]
    fn all_columns_of_a_model_get_its_number() {
        let column = || vec![0.0; frame().rows()];
        let parts = ["N-lo-90", "N-median", "N-hi-90"];
        let model = || parts.iter().fold(frame(), |frame, name| frame.with_column(name, column()));
        let both = model().beside(model());
        assert_eq!(both.models(), ["Naive", "Short", "N", "Naive1", "Short1", "N1"]);
        assert!(["N1-lo-90", "N1-median"].iter().all(|name| both.column(name).is_some()));
    }

    #[test]
    fn csv_keeps_every_digit_and_quotes_odd_names() {
        let mut csv = Vec::new();
        frame().write_csv(&mut csv).unwrap();
        let expected =
            "unique_id,ds,Naive,Short\n\"north\nsouth\",9,-0.0001,0.0015\nwest,10,432,\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}
