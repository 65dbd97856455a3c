//! The series of a page: as many as a browser opens at once, and as much of their past.
//!
//! Pasts are cut before series are left out. Times are written once for all series that share them.

use super::{Page, Parts};
use crate::{Frame, Series};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::ops::Range;

/// What a page shows at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub series: usize,
    /// Bytes of all series together; a page has one series, whatever it takes.
    pub bytes: usize,
    /// Values of a past, where all fit; four horizons if those are more.
    pub past: usize,
    /// Values a past is cut to before series are left out; the horizon if that is more.
    pub least_past: usize,
}

/// What opens at once.
pub(super) const MOST: Most = Most { series: 2000, bytes: 12 << 20, past: 600, least_past: 60 };

/// Series with their times.
#[derive(Serialize)]
pub(super) struct Shelf<'a> {
    /// Times in order; each series goes along one of them.
    pub axes: Vec<Vec<String>>,
    pub series: Vec<Shown<'a>>,
    /// What is not on the page.
    pub cut: Vec<String>,
}

/// A series of the page: values of its past, forecasts of what follows.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    id: &'a str,
    /// Which axis, and where on it the values begin.
    axis: usize,
    from: usize,
    y: Vec<Option<f32>>,
    ahead: Columns<'a>,
    parts: PartsOf<'a>,
}

/// Values by the name of their column, in order; what is not finite is not known.
#[derive(Default)]
struct Columns<'a>(Vec<(&'a str, Vec<Option<f32>>)>);

/// Parts of forecasts by the name of their model.
#[derive(Default)]
struct PartsOf<'a>(Vec<(&'a str, Columns<'a>)>);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}

impl Serialize for PartsOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(model, columns)| (model, columns)))
    }
}

impl<'a> Shelf<'a> {
    /// What fits of the series of a page.
    pub(super) fn of(page: &'a Page, most: Most) -> Shelf<'a> {
        let all = page.panel.series();
        let horizon = page.forecast.rows() / all.len().max(1);
        let least = most.least_past.max(horizon);
        let mut past = most.past.max(4 * horizon);
        loop {
            let shelf = Shelf::filled(page, most, horizon, past);
            if shelf.series.len() < all.len().min(most.series) && past > least {
                past = least.max(past / 2);
                continue;
            }
            let mut cut = Vec::new();
            if all.iter().take(shelf.series.len()).any(|one| one.values().len() > past) {
                cut.push(format!("Pasts are cut to their last {past} values."));
            }
            if shelf.series.len() < all.len() {
                let (shown, all) = (shelf.series.len(), all.len());
                cut.push(format!("The first {shown} of {all} series; forecast.csv holds all."));
            }
            return Shelf { cut, ..shelf };
        }
    }

    /// The first series with so much of their past, as many as fit.
    fn filled(page: &'a Page, most: Most, horizon: usize, past: usize) -> Shelf<'a> {
        let mut shelf = Shelf { axes: Vec::new(), series: Vec::new(), cut: Vec::new() };
        let (mut axes, mut bytes) = (Axes::default(), 0);
        for (number, series) in page.panel.series().iter().take(most.series).enumerate() {
            let rows = number * horizon..(number + 1) * horizon;
            let first = series.values().len().saturating_sub(past);
            let steps = first..series.values().len() + horizon;
            let times = steps.map(|step| page.panel.time_text(series, step)).collect();
            let (axis, from, more) = axes.place(times);
            let shown = Shown::of(page, series, first, rows, (axis, from));
            bytes += more + serde_json::to_string(&shown).map_or(0, |text| text.len());
            if bytes > most.bytes && number > 0 {
                break;
            }
            shelf.series.push(shown);
        }
        Shelf { axes: axes.texts, ..shelf }
    }
}

impl<'a> Shown<'a> {
    fn of(
        page: &'a Page,
        series: &'a Series,
        first: usize,
        rows: Range<usize>,
        (axis, from): (usize, usize),
    ) -> Shown<'a> {
        let apart = |parts: &'a Parts| {
            let frame = parts.frame.as_ref().ok()?;
            Some((parts.model.as_str(), columns(frame, rows.clone())))
        };
        Shown {
            id: series.id(),
            axis,
            from,
            y: series.values()[first..].iter().map(|&value| known(value)).collect(),
            ahead: columns(page.forecast, rows.clone()),
            parts: PartsOf(page.parts.iter().filter_map(apart).collect()),
        }
    }
}

/// Times as texts, those that series share once.
#[derive(Default)]
struct Axes {
    texts: Vec<Vec<String>>,
    places: HashMap<String, (usize, usize)>,
}

impl Axes {
    /// The axis that times go along, where they begin on it, and the bytes that were added for them.
    fn place(&mut self, times: Vec<String>) -> (usize, usize, usize) {
        let known = times.first().and_then(|first| self.places.get(first)).copied();
        let fits = |&(axis, from): &(usize, usize)| {
            self.texts[axis][from..].iter().zip(&times).all(|(known, new)| known == new)
        };
        let (axis, from) = known.filter(fits).unwrap_or((self.texts.len(), 0));
        if axis == self.texts.len() {
            self.texts.push(Vec::new());
        }
        let mut bytes = 0;
        let known = self.texts[axis].len() - from;
        for text in times.into_iter().skip(known) {
            // Quotes and a comma.
            bytes += text.len() + 3;
            self.places.insert(text.clone(), (axis, self.texts[axis].len()));
            self.texts[axis].push(text);
        }
        (axis, from, bytes)
    }
}

/// The rows of a frame's columns.
fn columns(frame: &Frame, rows: Range<usize>) -> Columns<'_> {
    let values = |name| frame.column(name).and_then(|column| column.get(rows.clone()));
    let column = |name| Some((name, values(name)?.iter().map(|&value| known(value)).collect()));
    Columns(frame.columns().filter_map(column).collect())
}

fn known(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Ranking;
    use crate::{Columns, Panel};

    /// Series of these lengths that end at the same time.
    fn panel(lengths: &[usize]) -> Panel {
        let mut csv = String::from("unique_id,ds,y\n");
        for (number, &length) in lengths.iter().enumerate() {
            for t in 1000 - length..1000 {
                csv += &format!("s{number:03},{t},{}\n", t % 7);
            }
        }
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    fn shelf(panel: &Panel, most: Most, look: impl Fn(&Shelf)) {
        let forecast = panel.future(2).unwrap().with_column("A", vec![1.0; 2]);
        let page = Page {
            title: String::new(),
            facts: Vec::new(),
            panel,
            forecast: &forecast,
            shown: Vec::new(),
            ranking: Ranking::default(),
            parts: Vec::new(),
        };
        look(&Shelf::of(&page, most));
    }

    #[test]
    fn pasts_are_cut_before_series_are_left_out() {
        let panel = panel(&[400; 50]);
        let of = |bytes| Most { bytes, ..MOST };
        let pasts = |shelf: &Shelf| shelf.series.iter().map(|one| one.y.len()).max().unwrap();
        shelf(&panel, MOST, |all| {
            assert_eq!((all.series.len(), pasts(all), all.cut.len()), (50, 400, 0));
        });
        shelf(&panel, of(40_000), |cut| {
            assert_eq!((cut.series.len(), pasts(cut)), (50, 150));
            assert_eq!(cut.cut, ["Pasts are cut to their last 150 values."]);
        });
        shelf(&panel, of(5000), |few| {
            assert_eq!(pasts(few), 60);
            assert!((10..40).contains(&few.series.len()), "{}", few.series.len());
            let said = format!("The first {} of 50 series; ", few.series.len());
            assert!(few.cut[1].starts_with(&said), "{:?}", few.cut);
            assert!(serde_json::to_string(few).unwrap().len() < 5500);
        });
        shelf(&panel, of(1), |one| assert_eq!(one.series.len(), 1));
        shelf(&panel, Most { series: 7, ..MOST }, |few| {
            assert_eq!((few.series.len(), pasts(few)), (7, 400));
        });
    }

    #[test]
    fn times_that_series_share_are_written_once() {
        let panel = panel(&[30, 10, 30, 20]);
        shelf(&panel, MOST, |shelf| {
            assert_eq!(shelf.axes.len(), 1);
            for (shown, series) in shelf.series.iter().zip(panel.series()) {
                let times = &shelf.axes[shown.axis][shown.from..][..shown.y.len() + 2];
                for (step, time) in times.iter().enumerate() {
                    assert_eq!(*time, panel.time_text(series, step));
                }
            }
        });
    }

    #[test]
    fn other_times_are_an_axis_of_their_own() {
        let mut axes = Axes::default();
        let texts = |times: &[&str]| times.iter().map(|time| (*time).to_owned()).collect();
        assert_eq!(axes.place(texts(&["1", "3", "5"])), (0, 0, 12));
        assert_eq!(axes.place(texts(&["3", "5", "7"])), (0, 1, 4));
        assert_eq!(axes.place(texts(&["3", "4", "5"])), (1, 0, 12));
        assert_eq!(axes.place(texts(&["0", "1"])).0, 2);
    }
}
