//! Windows: every place from which a look-back and what follows it can be taken, as a range of numbers.
//!
//! A window may begin before a series does and end after it, if it holds at least one known value on
//! each side of now; what is not known is masked. No window is stored: its place follows from its number.

use crate::{ForecastError, Panel};

/// Where one window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The series, by its place in the panel.
    pub series: usize,
    /// The first value of the look-back; negative before the series begins.
    pub start: isize,
}

/// A range of windows of every series.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub input_size: usize,
    pub horizon: usize,
    /// The first start of each series.
    first: Vec<isize>,
    /// Windows of all series up to each one, itself included.
    counts: Vec<usize>,
}

impl Windows {
    /// All windows to learn from, when the last `held_out` values of each series are not looked at.
    ///
    /// Windows of the longest series begin within it, as far as it has room for one. Shorter series are
    /// taken to begin unknown, as in NeuralForecast.
    pub(crate) fn to_learn(
        panel: &Panel,
        input_size: usize,
        horizon: usize,
        held_out: usize,
    ) -> Result<Windows, ForecastError> {
        let length = |values: &[f32]| values.len().saturating_sub(held_out);
        let longest = panel.series().iter().max_by_key(|series| series.values().len());
        let longest_rows = longest.map_or(0, |series| length(series.values()));
        let windows = Windows::of(panel, input_size, horizon, |rows| {
            let rows = rows.saturating_sub(held_out);
            let missing = longest_rows.max(input_size + horizon) - rows;
            // At least one known value in the look-back, and one after it.
            let first = -(missing.min(input_size.saturating_sub(1)) as isize);
            (first, rows as isize - input_size as isize)
        });
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
        Windows::of(panel, input_size, horizon, |rows| match rows > size {
            true => {
                let first = rows as isize - (size + input_size) as isize;
                (first, first + (size + 1) as isize - horizon as isize)
            }
            false => (0, 0),
        })
    }

    /// One window for each series: the look-back of what comes next.
    pub(crate) fn to_predict(panel: &Panel, input_size: usize, horizon: usize) -> Windows {
        Windows::of(panel, input_size, horizon, |rows| {
            let start = rows as isize - input_size as isize;
            (start, start + 1)
        })
    }

    /// The windows from the first to before the last start that `range` gives for a number of rows.
    fn of(
        panel: &Panel,
        input_size: usize,
        horizon: usize,
        range: impl Fn(usize) -> (isize, isize),
    ) -> Windows {
        let (mut first, mut counts, mut total) = (Vec::new(), Vec::new(), 0);
        for series in panel.series() {
            let (start, end) = range(series.values().len());
            total += (end - start).max(0) as usize;
            first.push(start);
            counts.push(total);
        }
        Windows { input_size, horizon, first, counts }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.counts.last().copied().unwrap_or(0)
    }

    /// Where window `number` is, which is below [`Windows::len`].
    pub(crate) fn place(&self, number: usize) -> Place {
        let series = self.counts.partition_point(|&count| count <= number);
        let before = series.checked_sub(1).map_or(0, |series| self.counts[series]);
        Place { series, start: self.first[series] + (number - before) as isize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns;

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
        let windows = Windows::to_learn(&panel(&[6, 3, 1]), 3, 2, 0).unwrap();
        let longest = [(0, 0), (0, 1), (0, 2)];
        let shorter = [(1, -2), (1, -1)];
        assert_eq!(places(&windows), [&longest[..], &shorter].concat());
    }

    #[test]
    fn held_out_values_are_validated_and_not_learned_from() {
        let panel = panel(&[8, 2]);
        let learn = Windows::to_learn(&panel, 3, 2, 3).unwrap();
        assert_eq!(places(&learn), [(0, 0), (0, 1)]);
        let validate = Windows::to_validate(&panel, 3, 2, 3);
        assert_eq!(places(&validate), [(0, 2), (0, 3)]);
        let predict = Windows::to_predict(&panel, 3, 2);
        assert_eq!(places(&predict), [(0, 5), (1, -1)]);
    }

    #[test]
    fn a_short_series_begins_unknown_and_one_row_is_not_enough() {
        let windows = Windows::to_learn(&panel(&[2, 3]), 3, 1, 1);
        assert_eq!(places(&windows.unwrap()), [(1, -2)]);
        let none = Windows::to_learn(&panel(&[2, 3]), 3, 1, 2).unwrap_err();
        assert!(
            matches!(none, ForecastError::NoWindows { ref series, rows: 3, .. } if series == "s1")
        );
    }
}
