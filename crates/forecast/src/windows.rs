//! Windows: every place from which a look-back and what follows it can be taken, as a range of numbers.
//!
//! A window may begin before a series does and end after it, if it holds at least one known value on
//! each side of now; what is not known is masked. No window is stored: its place follows from its number.

use crate::{ForecastError, Model, Panel, Series};
use std::ops::Range;

/// Where one window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The series, by its place in the panel.
    pub series: usize,
    /// The first value of the look-back; negative before the series begins.
    pub start: isize,
}

/// Windows that begin one after another in one series.
#[derive(Clone, Copy, Debug)]
struct Run {
    series: usize,
    first: isize,
    /// Windows of all runs up to this one, itself included.
    count: usize,
}

/// Windows of every series.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub input_size: usize,
    pub horizon: usize,
    runs: Vec<Run>,
}

impl Windows {
    /// All windows that a model learns from; what it validates with is not looked at.
    ///
    /// Windows of the longest series begin within it, as far as it has room for one. Shorter series are
    /// taken to begin unknown, as in NeuralForecast.
    pub(crate) fn to_learn(panel: &Panel, model: &Model) -> Result<Windows, ForecastError> {
        let Model { input_size, horizon, val_size: held_out, .. } = *model;
        let least = model.least_known();
        let length = |series: &Series| series.values().len().saturating_sub(held_out);
        let longest = panel.series().iter().max_by_key(|series| series.values().len());
        let longest_rows = longest.map_or(0, length);
        let mut windows = Windows { input_size, horizon, runs: Vec::new() };
        for (number, series) in panel.series().iter().enumerate() {
            let rows = length(series);
            let missing = longest_rows.max(input_size + horizon) - rows;
            let first = -(missing.min(input_size.saturating_sub(least[0])) as isize);
            let end = rows as isize + 1 - (input_size + least[1]) as isize;
            windows.push_known(number, &series.values()[..rows], first..end, least);
        }
        match windows.len() {
            0 => Err(ForecastError::NoWindows {
                series: longest.map_or_else(String::new, |series| series.id().into()),
                rows: longest_rows + held_out.min(longest.map_or(0, |s| s.values().len())),
                held_out,
            }),
            _ => Ok(windows),
        }
    }

    /// The windows whose horizon lies within the last `size` values of each series. Series too short
    /// for one have none.
    pub(crate) fn to_validate(
        panel: &Panel,
        input_size: usize,
        horizon: usize,
        size: usize,
    ) -> Windows {
        let mut windows = Windows { input_size, horizon, runs: Vec::new() };
        for (number, series) in panel.series().iter().enumerate() {
            let rows = series.values().len();
            if rows > size {
                let first = rows as isize - (size + input_size) as isize;
                let end = first + (size + 1) as isize - horizon as isize;
                windows.push_known(number, series.values(), first..end, [1, 1]);
            }
        }
        windows
    }

    /// One window for each series: the look-back of what comes next.
    pub(crate) fn to_predict(panel: &Panel, input_size: usize, horizon: usize) -> Windows {
        let mut windows = Windows { input_size, horizon, runs: Vec::new() };
        for (number, series) in panel.series().iter().enumerate() {
            let start = series.values().len() as isize - input_size as isize;
            windows.push(number, start, start + 1);
        }
        windows
    }

    /// Adds the windows of a series that begin from `first` to before `end`.
    fn push(&mut self, series: usize, first: isize, end: isize) {
        if end > first {
            let count = self.len() + (end - first) as usize;
            self.runs.push(Run { series, first, count });
        }
    }

    /// Adds those that begin within `starts` and have so many known values on each side of now. Where no
    /// value of the series is missing, the ends that are given see to that.
    fn push_known(
        &mut self,
        series: usize,
        values: &[f32],
        starts: Range<isize>,
        least: [usize; 2],
    ) {
        if !values.iter().any(|x| x.is_nan()) {
            return self.push(series, starts.start, starts.end);
        }
        let mut known = vec![0u32; values.len() + 1];
        for (at, value) in values.iter().enumerate() {
            known[at + 1] = known[at] + u32::from(!value.is_nan());
        }
        let upto = |at: isize| known[at.clamp(0, values.len() as isize) as usize] as usize;
        let usable = |start: isize| {
            let now = start + self.input_size as isize;
            let end = now + self.horizon as isize;
            upto(now) - upto(start) >= least[0] && upto(end) - upto(now) >= least[1]
        };
        let mut start = starts.start;
        let usable: Vec<bool> = starts.map(usable).collect();
        for run in usable.chunk_by(|a, b| a == b) {
            let end = start + run.len() as isize;
            if run[0] {
                self.push(series, start, end);
            }
            start = end;
        }
    }

    /// The numbers of the windows of each series that has any.
    pub(crate) fn of_series(&self) -> impl Iterator<Item = Range<usize>> {
        let mut first = 0;
        self.runs.chunk_by(|a, b| a.series == b.series).map(move |runs| {
            let end = runs.last().map_or(first, |run| run.count);
            std::mem::replace(&mut first, end)..end
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.count)
    }

    /// Where some of them are.
    pub(crate) fn places(&self, numbers: Range<usize>) -> Vec<Place> {
        numbers.map(|number| self.place(number)).collect()
    }

    /// Where window `number` is, which is below [`Windows::len`].
    pub(crate) fn place(&self, number: usize) -> Place {
        let at = self.runs.partition_point(|run| run.count <= number);
        let before = at.checked_sub(1).map_or(0, |before| self.runs[before].count);
        let Run { series, first, .. } = self.runs[at];
        Place { series, start: first + (number - before) as isize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::NLinear;
    use crate::{Columns, Fill, Reader};

    fn model(input_size: usize, horizon: usize, val_size: usize) -> Model {
        Model { input_size, val_size, ..Model::new(NLinear {}, horizon) }
    }

    fn panel(lengths: &[usize]) -> Panel {
        let mut csv = String::from("unique_id,ds,y\n");
        for (series, &length) in lengths.iter().enumerate() {
            for t in 0..length {
                csv += &format!("s{series},{t},{}\n", 100 * series + t);
            }
        }
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    fn places(windows: &Windows) -> Vec<(usize, isize)> {
        (0..windows.len()).map(|i| windows.place(i)).map(|p| (p.series, p.start)).collect()
    }

    #[test]
    fn windows_to_learn_from_have_a_known_value_on_both_sides() {
        let windows = Windows::to_learn(&panel(&[6, 3, 1]), &model(3, 2, 0)).unwrap();
        let longest = [(0, 0), (0, 1), (0, 2)];
        let shorter = [(1, -2), (1, -1)];
        assert_eq!(places(&windows), [&longest[..], &shorter].concat());
    }

    #[test]
    fn windows_around_holes_have_a_known_value_on_both_sides() {
        let csv = b"unique_id,ds,y\na,1,1\na,2,1\na,3,\na,4,\na,5,\na,6,6\na,7,7\n";
        let panel = Reader { fill: Fill::Mask, ..Reader::default() }.read_bytes("t", csv).unwrap();
        // From 0 nothing is known ahead, from 2 and 3 nothing behind.
        let learn = Windows::to_learn(&panel, &model(2, 3, 0)).unwrap();
        assert_eq!(places(&learn), [(0, 1), (0, 4)]);
        assert!(learn.of_series().eq(std::iter::once(0..2)));
        let predict = Windows::to_predict(&panel, 2, 2);
        assert_eq!(places(&predict), [(0, 5)]);
    }

    #[test]
    fn windows_have_as_many_known_values_as_are_asked_for() {
        let with = |training_data_availability_threshold| Model {
            training_data_availability_threshold,
            ..model(4, 2, 0)
        };
        let whole = Windows::to_learn(&panel(&[8, 5, 3]), &with([1.0, 1.0])).unwrap();
        assert_eq!(places(&whole), [(0, 0), (0, 1), (0, 2)]);
        assert!(whole.of_series().eq(std::iter::once(0..3)));
        let half = Windows::to_learn(&panel(&[8, 5, 3]), &with([0.5, 0.0])).unwrap();
        let shorter = [(1, -2), (1, -1), (1, 0), (2, -2)];
        assert_eq!(places(&half), [&[(0, 0), (0, 1), (0, 2), (0, 3)][..], &shorter].concat());
        let csv = b"unique_id,ds,y\na,1,1\na,2,1\na,3,\na,4,4\na,5,5\na,6,6\na,7,7\na,8,8\na,9,9\n";
        let holes = Reader { fill: Fill::Mask, ..Reader::default() }.read_bytes("t", csv).unwrap();
        let whole = Windows::to_learn(&holes, &with([1.0, 1.0])).unwrap();
        assert_eq!(places(&whole), [(0, 3)]);
    }

    #[test]
    fn held_out_values_are_validated_and_not_learned_from() {
        let panel = panel(&[8, 2]);
        let learn = Windows::to_learn(&panel, &model(3, 2, 3)).unwrap();
        assert_eq!(places(&learn), [(0, 0), (0, 1)]);
        let validate = Windows::to_validate(&panel, 3, 2, 3);
        assert_eq!(places(&validate), [(0, 2), (0, 3)]);
        let predict = Windows::to_predict(&panel, 3, 2);
        assert_eq!(places(&predict), [(0, 5), (1, -1)]);
    }

    #[test]
    fn a_short_series_begins_unknown_and_one_row_is_not_enough() {
        let windows = Windows::to_learn(&panel(&[2, 3]), &model(3, 1, 1));
        assert_eq!(places(&windows.unwrap()), [(1, -2)]);
        let none = Windows::to_learn(&panel(&[2, 3]), &model(3, 1, 2)).unwrap_err();
        assert!(
            matches!(none, ForecastError::NoWindows { ref series, rows: 3, .. } if series == "s1")
        );
    }
}
