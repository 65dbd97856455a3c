//! The windows of a panel: each start from which a look-back and the horizon after it lie inside a
//! series.

use crate::scale::Standard;
use crate::{ForecastError, Panel};

/// Values the two tables of windows may hold together; beyond it windows are left out evenly.
const MOST_VALUES: usize = 1 << 26;

/// Where one window starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The series, by its place in the panel.
    pub series: usize,
    /// The first value of the look-back.
    pub at: usize,
}

/// All windows of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub input_size: usize,
    pub horizon: usize,
    pub starts: Vec<Start>,
}

impl Windows {
    /// Every window of every series; an error if there is none, or a series is too short to be
    /// forecast at all.
    pub(crate) fn of(
        panel: &Panel,
        input_size: usize,
        horizon: usize,
    ) -> Result<Windows, ForecastError> {
        for series in panel.series() {
            let (rows, series) = (series.values().len(), series.id().to_string());
            if rows < input_size {
                return Err(ForecastError::TooShort { series, rows, input_size });
            }
        }
        let length = input_size + horizon;
        let count = |rows: usize| (rows + 1).saturating_sub(length);
        let total: usize = panel.series().iter().map(|s| count(s.values().len())).sum();
        if total == 0 {
            let longest = panel.series().iter().max_by_key(|s| s.values().len());
            let (series, rows) =
                longest.map_or((String::new(), 0), |s| (s.id().into(), s.values().len()));
            return Err(ForecastError::NoWindows { series, rows, input_size, horizon });
        }
        let stride = total.div_ceil((MOST_VALUES / length).max(1));
        let all = panel.series().iter().enumerate().flat_map(|(series, s)| {
            (0..count(s.values().len())).map(move |at| Start { series, at })
        });
        Ok(Windows { input_size, horizon, starts: all.step_by(stride).collect() })
    }

    /// The scaled windows, a row each: look-backs `[windows, input_size]` and what follows them
    /// `[windows, horizon]`.
    pub(crate) fn tables(&self, panel: &Panel) -> (Vec<f32>, Vec<f32>) {
        let scaled: Vec<Vec<f32>> = panel
            .series()
            .iter()
            .map(|series| {
                let scale = Standard::of(series.values());
                series.values().iter().map(|&x| scale.scale(x)).collect()
            })
            .collect();
        let mut inputs = Vec::with_capacity(self.starts.len() * self.input_size);
        let mut targets = Vec::with_capacity(self.starts.len() * self.horizon);
        for start in &self.starts {
            let window = &scaled[start.series][start.at..][..self.input_size + self.horizon];
            let (input, target) = window.split_at(self.input_size);
            inputs.extend_from_slice(input);
            targets.extend_from_slice(target);
        }
        (inputs, targets)
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

    #[test]
    fn windows_start_wherever_look_back_and_horizon_fit() {
        let windows = Windows::of(&panel(&[5, 3, 6]), 3, 2).unwrap();
        let starts: Vec<_> = windows.starts.iter().map(|s| (s.series, s.at)).collect();
        assert_eq!(starts, [(0, 0), (2, 0), (2, 1)]);
    }

    #[test]
    fn tables_hold_the_scaled_values_of_each_window() {
        let panel = panel(&[4]);
        let (inputs, targets) = Windows::of(&panel, 2, 1).unwrap().tables(&panel);
        let scale = Standard::of(&[0.0, 1.0, 2.0, 3.0]);
        assert_eq!(inputs, [0.0, 1.0, 1.0, 2.0].map(|x| scale.scale(x)));
        assert_eq!(targets, [2.0, 3.0].map(|x| scale.scale(x)));
    }

    #[test]
    fn short_series_are_named() {
        let short = Windows::of(&panel(&[5, 2]), 3, 1).unwrap_err();
        assert!(
            matches!(short, ForecastError::TooShort { ref series, rows: 2, .. } if series == "s1")
        );
        let none = Windows::of(&panel(&[5, 6]), 4, 3).unwrap_err();
        assert!(
            matches!(none, ForecastError::NoWindows { ref series, rows: 6, .. } if series == "s1")
        );
    }
}
