//! A picture of one series: its past, and what models forecast.

use crate::{ForecastError, Frame, Panel, Series, Time};
use std::ops::Range;
use whimbrel_chart::{Chart, Line};

/// Values of the past that are shown, in lengths of the forecast, and at least.
const PAST: usize = 6;
const LEAST_PAST: usize = 48;

impl Frame {
    /// The forecasts of a series by these models, all without any, after the end of its `past`. Intervals
    /// are shaded; right values, where the frame has them, are a line of their own.
    ///
    /// # Errors
    /// If there is no such series, or no such model.
    pub fn chart(
        &self,
        id: &str,
        models: &[&str],
        past: Option<&Panel>,
    ) -> Result<Chart, ForecastError> {
        let mut windows = self.windows();
        windows.retain(|rows| self.id(rows.start) == id);
        let rows: Vec<Option<usize>> =
            windows.iter().cloned().flat_map(|rows| rows.map(Some).chain([None])).collect();
        if rows.is_empty() {
            return Err(ForecastError::NoSeries { series: id.into() });
        }
        let past = past.and_then(|panel| Some((panel, self.series_of(panel, id)?)));
        let joint = past.and_then(|(panel, series)| self.joint(&windows, panel, series));
        // Windows of a cross-validation are lines of their own: what is not a number interrupts one.
        let points = |column: &[f32]| -> Vec<(f64, f64)> {
            let at = |row: &Option<usize>| match *row {
                Some(row) => (place(self.times()[row]), f64::from(column[row])),
                None => (f64::NAN, f64::NAN),
            };
            let mut points: Vec<(f64, f64)> = rows.iter().map(at).collect();
            if let Some((before, last)) = joint {
                points.insert(before, last);
            }
            points
        };
        let mut chart = Chart::new(id);
        if self.times().first().is_some_and(|time| matches!(time, Time::Calendar(_))) {
            chart = chart.dates();
        }
        if let Some((panel, series)) = past {
            let values = series.values();
            let shown = LEAST_PAST.max(PAST * (rows.len() - 1));
            let steps = values.len().saturating_sub(shown)..values.len();
            let time = |step: usize| panel.frequency().after(series.start(), step as i64);
            let point = |step| Some((place(time(step)?), f64::from(values[step])));
            chart = chart.line(Line::new("y", steps.filter_map(point)));
        } else if let Some(actual) = self.actual() {
            chart = chart.line(Line::new("y", self.came(&windows, actual)));
        }
        let known = self.models();
        let models = if models.is_empty() { &known[..] } else { models };
        for model in models {
            let Some(point) = self.point(model) else {
                return Err(ForecastError::NoModel { model: (*model).into() });
            };
            let mut line = Line::new(model, points(point));
            for (level, low, high) in self.bands(model) {
                let edges = points(low).into_iter().zip(points(high));
                let edges = edges.map(|((x, low), (_, high))| (x, low, high));
                line = line.band(&format!("{level} %"), edges);
            }
            chart = chart.line(line);
        }
        Ok(chart)
    }

    /// Where the lines of forecasts go on from the last value of a past: before which of their points, and where that
    /// value lies; none where no window follows right after it.
    fn joint(
        &self,
        windows: &[Range<usize>],
        panel: &Panel,
        series: &Series,
    ) -> Option<(usize, (f64, f64))> {
        let (end, frequency) = (series.values().len(), panel.frequency());
        let after = frequency.after(series.start(), end as i64)?;
        let number = windows.iter().position(|rows| self.times()[rows.start] == after)?;
        let before = windows[..number].iter().map(|rows| rows.len() + 1).sum();
        let last = f64::from(*series.values().last()?);
        Some((before, (place(frequency.after(series.start(), end as i64 - 1)?), last)))
    }

    /// The right values of some windows in the order of time, each once; interrupted where windows leave
    /// out more than lies between two of their rows.
    fn came(&self, windows: &[Range<usize>], actual: &[f32]) -> Vec<(f64, f64)> {
        let x = |row: usize| place(self.times()[row]);
        let rows = windows.iter().cloned().flatten();
        let mut points: Vec<(f64, f64)> =
            rows.map(|row| (x(row), f64::from(actual[row]))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        let within = windows.iter().flat_map(|rows| rows.clone().skip(1));
        let widest =
            within.map(|row| x(row) - x(row - 1)).reduce(f64::max).unwrap_or(f64::INFINITY);
        let mut line: Vec<(f64, f64)> = Vec::with_capacity(points.len());
        for point in points {
            if line.last().is_some_and(|before| point.0 - before.0 > widest) {
                line.push((f64::NAN, f64::NAN));
            }
            line.push(point);
        }
        line
    }

    /// The intervals of a model with their edges, the widest first.
    fn bands(&self, model: &str) -> Vec<(f32, &[f32], &[f32])> {
        let band = |level| {
            let (low, high) = self.interval(model, level)?;
            Some((level, low, high))
        };
        self.levels(model).into_iter().filter_map(band).collect()
    }
}

/// Where a time lies on an axis: seconds since 1970, or the count.
fn place(time: Time) -> f64 {
    match time {
        Time::Integer(count) => count as f64,
        Time::Calendar(_) => time.ticks() as f64 / 1e6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Baseline, Columns, CrossValidation};

    fn panel() -> Panel {
        let rows: String =
            (1..=28).map(|day| format!("tide,2024-02-{day:02},{}\n", day % 7)).collect();
        let csv = format!("unique_id,ds,y\n{rows}");
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    #[test]
    fn past_forecast_and_intervals_are_drawn() {
        let panel = panel();
        let frame = panel.future(3).unwrap().with_column("A", vec![1.0, 2.0, 3.0]);
        let frame = frame.with_column("A-lo-90", vec![0.0, 1.0, 2.0]);
        let frame = frame.with_column("A-hi-90", vec![2.0, 3.0, 4.0]);
        let svg = frame.chart("tide", &["A"], Some(&panel)).unwrap().svg();
        for word in ["tide", ">y<", ">A<", "90 %", "2024"] {
            assert!(svg.contains(word), "{word}");
        }
        assert!(frame.chart("ebb", &[], None).is_err());
        assert!(frame.chart("tide", &["B"], None).is_err());
    }

    #[test]
    fn forecasts_go_on_from_the_last_value_of_the_past() {
        let panel = panel();
        let (series, day) = (&panel.series()[0], 86_400.0);
        let last = |frame: &Frame| frame.joint(&frame.windows(), &panel, series);
        let frame = panel.future(3).unwrap().with_column("A", vec![1.0; 3]);
        let (before, (x, y)) = last(&frame).unwrap();
        assert_eq!((before, x, y), (0, place(frame.times()[0]) - day, 0.0));
        let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(3) };
        assert_eq!(last(&cv.run(&[Baseline::Naive.into()], &panel).unwrap()), None);
    }

    #[test]
    fn windows_of_a_cross_validation_are_apart() {
        let panel = panel();
        let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(3) };
        let frame = cv.run(&[Baseline::Naive.into()], &panel).unwrap();
        let svg = frame.chart("tide", &[], None).unwrap().svg();
        assert!(svg.contains(">y<") && svg.contains(">Naive<"));
    }

    #[test]
    fn right_values_of_windows_that_meet_are_one_line() {
        let gaps = |n_windows, step_size| {
            let cv = CrossValidation { n_windows, step_size, ..CrossValidation::new(3) };
            let frame = cv.run(&[Baseline::Naive.into()], &panel()).unwrap();
            let line = frame.came(&frame.windows(), frame.actual().unwrap());
            let gaps = line.iter().filter(|point| point.0.is_nan()).count();
            (line.len() - gaps, gaps)
        };
        assert_eq!(gaps(3, 3), (9, 0));
        assert_eq!(gaps(3, 1), (5, 0));
        assert_eq!(gaps(3, 5), (9, 2));
    }
}
