//! The size of errors to be expected of a series: from its errors in windows that share no values with
//! the one in question, and from how much it changes from season to season.
//!
//! Changes become errors by the ratio of the two that is usual over all windows. They count as much as
//! one window does, so that the more windows a series has, the less they say.

use crate::evaluate::naive_errors;
use crate::{Frame, Panel};
use std::collections::BTreeMap;
use std::ops::Range;

/// Windows that the changes of a series count as.
const WORTH: f64 = 1.0;
/// Series from which on their changes are compared with their errors.
const ENOUGH_SERIES: usize = 10;

/// What is known of the series beside their errors; nothing if there is no past or there are few series.
#[derive(Default)]
pub(super) struct Expected {
    /// The errors that the changes before each window let one expect, by its first row.
    of_window: BTreeMap<usize, f64>,
    /// The same of all changes of each series.
    to_come: BTreeMap<String, f64>,
}

impl Expected {
    /// `errors` of the rows of a cross-validation, whose `windows` are given series by series.
    pub(super) fn of(
        frame: &Frame,
        errors: &[f32],
        windows: &[Vec<Range<usize>>],
        panel: Option<(&Panel, usize)>,
    ) -> Expected {
        let Some((panel, season)) = panel.filter(|_| windows.len() >= ENOUGH_SERIES) else {
            return Expected::default();
        };
        let mut of_window = BTreeMap::new();
        let mut ratios = Vec::new();
        for rows in windows.iter().flatten() {
            let past = frame.history(panel, rows).unwrap_or_default();
            if let Some(change) = change(past, season) {
                of_window.insert(rows.start, change);
                ratios.extend(mean(&errors[rows.clone()]).map(|error| error / change));
            }
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let Some(&usual) = ratios.get(ratios.len() / 2) else { return Expected::default() };
        of_window.values_mut().for_each(|change| *change *= usual);
        let all = panel.series().iter();
        let to_come = all
            .filter_map(|one| Some((one.id().to_owned(), usual * change(one.values(), season)?)));
        Expected { of_window, to_come: to_come.collect() }
    }

    /// The size of errors to be expected in one of the `windows` of a series, of which the mean errors are
    /// given; none if nothing but the window itself tells it.
    pub(super) fn size(
        &self,
        frame: &Frame,
        windows: &[Range<usize>],
        means: &[Option<f64>],
        number: usize,
    ) -> Option<f64> {
        let window = &windows[number];
        let known = || {
            let known = windows.iter().zip(means).enumerate();
            known.filter_map(|(other, (rows, mean))| Some((other, rows, (*mean)?)))
        };
        let expected = self.of_window.get(&window.start).copied();
        let (mut errors, mut disjoint, mut last) = (Vec::new(), 0.0, None);
        // Where something else tells the size, only windows before this one do, as before the forecast.
        let apart = known().filter(|(other, rows, _)| {
            !overlap(frame, window, rows) && (expected.is_none() || *other < number)
        });
        for (_, rows, mean) in apart {
            errors.push(mean);
            if last.is_none_or(|last| !overlap(frame, last, rows)) {
                (disjoint, last) = (disjoint + 1.0, Some(rows));
            }
        }
        if errors.is_empty() && expected.is_none() {
            // Windows that overlap this one are better than nothing.
            errors = known().filter(|(other, ..)| *other != number).map(|one| one.2).collect();
        }
        blend(&errors, disjoint, expected)
    }

    /// The size of the errors to come of a series that has these windows.
    pub(super) fn size_to_come(
        &self,
        frame: &Frame,
        id: &str,
        windows: &[Range<usize>],
        means: &[Option<f64>],
    ) -> Option<f64> {
        let expected = self.to_come.get(id).copied();
        if expected.is_none() && windows.len() < 2 {
            return None;
        }
        let (mut disjoint, mut last) = (0.0, None);
        for rows in windows {
            if last.is_none_or(|last| !overlap(frame, last, rows)) {
                (disjoint, last) = (disjoint + 1.0, Some(rows));
            }
        }
        blend(&means.iter().copied().flatten().collect::<Vec<f64>>(), disjoint, expected)
    }

    /// Series that are not among `known`, which is sorted, and the size of their errors to come.
    pub(super) fn without_windows<'a>(
        &'a self,
        known: &[super::Size],
    ) -> impl Iterator<Item = (String, f64)> + use<'a> {
        let known: Vec<String> = known.iter().map(|size| size.id.clone()).collect();
        let others = self.to_come.iter();
        let others = others.filter(move |(id, _)| known.binary_search(id).is_err());
        others.map(|(id, size)| (id.clone(), *size))
    }
}

/// The mean of errors that count as so many windows, and of what is expected otherwise.
fn blend(errors: &[f64], windows: f64, expected: Option<f64>) -> Option<f64> {
    let own = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    match expected {
        _ if errors.is_empty() => expected,
        None => Some(own),
        Some(expected) => Some((windows * own + WORTH * expected) / (windows + WORTH)),
    }
}

/// How much values change from season to season, or from step to step if there are too few; none if they
/// do not.
fn change(past: &[f32], season: usize) -> Option<f64> {
    let seasons = if past.len() > 2 * season { season.max(1) } else { 1 };
    let [change, _] = naive_errors(past, seasons);
    (change.is_finite() && change > 0.0).then_some(change)
}

/// Whether two windows of a series have a time in common.
fn overlap(frame: &Frame, a: &Range<usize>, b: &Range<usize>) -> bool {
    let ends = |rows: &Range<usize>| {
        let times = &frame.times()[rows.clone()];
        Some((*times.first()?, *times.last()?))
    };
    match (ends(a), ends(b)) {
        (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
        _ => false,
    }
}

/// The mean of those that are known; none of none.
fn mean(errors: &[f32]) -> Option<f64> {
    super::mean(errors.iter())
}
