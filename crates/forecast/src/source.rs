//! Source: where windows are gathered from, and what is done to them on the way.

use crate::exogenous::Chosen;
use crate::sample_weight::SampleWeights;
use crate::scaler::{Affine, Scaler};
use crate::windows::Place;
use crate::{Panel, Series};
use whimbrel_kernels::simd::prefetch;

/// Values in a cache line.
const LINE: usize = 16;

/// The series of a panel, each brought to a common size as a whole, and then each window of it.
#[derive(Clone)]
pub(crate) struct Source<'a> {
    panel: &'a Panel,
    /// Which exogenous columns are gathered beside the values.
    pub chosen: Chosen,
    /// How the values of each series are scaled, and after them its columns: historic, future.
    local: Vec<Affine>,
    /// How each window of it is.
    scaler: Scaler,
    /// Values at the end of each series that are not looked at.
    held_out: usize,
    /// How much each window counts.
    weights: SampleWeights,
    /// The unit that the values of each series come back in; empty where all keep their own.
    units: Vec<f32>,
}

impl<'a> Source<'a> {
    /// Series scaled by `local` as far as they may be looked at, windows by `scaler`; exogenous columns
    /// like values.
    pub(crate) fn new(
        panel: &'a Panel,
        chosen: Chosen,
        local: Scaler,
        scaler: Scaler,
        held_out: usize,
    ) -> Source<'a> {
        let (weights, units) = (SampleWeights::default(), Vec::new());
        let mut source =
            Source { panel, chosen, local: Vec::new(), scaler, held_out, weights, units };
        let mut known = Vec::new();
        for series in panel.series() {
            let seen = source.seen(series).len();
            for column in 0..source.chosen.width() {
                known.clear();
                let values = source.column(series, column).iter().take(seen);
                let values = values.copied().filter(|x| !x.is_nan());
                known.extend(values.filter(|_| local != Scaler::Identity));
                source.local.push(local.fit_series(&mut known));
            }
        }
        source
    }

    /// The same source, whose windows count by weights for the whole panel before any transform.
    pub(crate) fn weighted(self, weights: SampleWeights) -> Source<'a> {
        let weights = weights.of_ends(self.panel, self.held_out);
        Source { weights, ..self }
    }

    /// The same source looked at up to its end, scaled as before.
    pub(crate) fn whole(&self) -> Source<'a> {
        Source { held_out: 0, ..self.clone() }
    }

    /// The same source, the values of whose series come back in units so many times as large.
    pub(crate) fn in_units(self, units: Vec<f32>) -> Source<'a> {
        Source { units, ..self }
    }

    /// The values of a series that may be looked at.
    fn seen(&self, series: &'a Series) -> &'a [f32] {
        let values = series.values();
        &values[..values.len().saturating_sub(self.held_out)]
    }

    /// A column of a series: the values, then historic ones, then future ones.
    fn column(&self, series: &'a Series, number: usize) -> &'a [f32] {
        let Chosen { historic, future, .. } = &self.chosen;
        match number.checked_sub(1) {
            None => series.values(),
            Some(at) if at < historic.len() => series.historic(historic[at]),
            Some(at) => series.future(future[at - historic.len()]),
        }
    }

    /// Asks for the memory of a window that is gathered soon, without waiting for it.
    pub(crate) fn fetch(&self, Place { series, start }: Place, length: usize) {
        let values = self.panel.series()[series].values();
        let first = usize::try_from(start).unwrap_or(0).min(values.len());
        let window = &values[first..values.len().min(first + length)];
        window.iter().step_by(LINE).chain(window.last()).for_each(|value| prefetch(value));
    }

    /// The window at a place, if it can be taken from where it is: all known, and not to be scaled.
    #[inline]
    pub(crate) fn as_it_is(
        &self,
        Place { series, start }: Place,
        length: usize,
    ) -> Option<&'a [f32]> {
        let local = self.local[series * self.chosen.width()];
        if self.scaler != Scaler::Identity || local != Affine::IDENTITY {
            return None;
        }
        let window = inside(self.seen(&self.panel.series()[series]), start, length)?;
        // All are looked at, which takes less than deciding after each.
        let missing = window.iter().fold(false, |missing, x| missing | x.is_nan());
        (!missing).then_some(window)
    }

    /// The window of a column, NaN where it is not known, scaled by what is known of its look-back, `past`
    /// values, where the series itself is. `known` is room to collect that. Returns the map that scaled it.
    #[inline]
    pub(crate) fn scaled(
        &self,
        Place { series, start }: Place,
        column: usize,
        past: usize,
        row: &mut [f32],
        known: &mut Vec<f32>,
    ) -> Affine {
        let local = self.local[series * self.chosen.width() + column];
        let series = &self.panel.series()[series];
        let seen = self.seen(series);
        let values = if column == 0 { seen } else { self.column(series, column) };
        copy_from(values, start, row);
        let mut map = local;
        if self.scaler != Scaler::Identity {
            known.clear();
            let is_seen = |step: usize| {
                let at = usize::try_from(start.saturating_add_unsigned(step));
                column == 0 || at.is_ok_and(|at| seen.get(at).is_some_and(|y| !y.is_nan()))
            };
            let both =
                row[..past].iter().enumerate().filter(|(step, x)| !x.is_nan() && is_seen(*step));
            known.extend(both.map(|(_, &x)| local.scale(x)));
            map = self.scaler.fit(known).after(local);
        }
        row.iter_mut().for_each(|x| *x = map.scale(*x));
        map
    }

    /// The map that brings the values of a window back, in the unit of its series.
    pub(crate) fn in_unit(&self, Place { series, .. }: Place, map: Affine) -> Affine {
        match self.units.get(series) {
            Some(unit) => Affine { shift: map.shift / unit, scale: map.scale / unit },
            None => map,
        }
    }

    /// How much a window counts, whose horizon begins after `past` values.
    pub(crate) fn weight(
        &self,
        Place { series, start }: Place,
        past: usize,
        horizon: usize,
    ) -> f32 {
        self.weights.of_window(series, start.saturating_add_unsigned(past), horizon)
    }

    /// A number of a series that never changes.
    pub(crate) fn fixed(&self, series: usize, number: usize) -> f32 {
        self.panel.series()[series].fixed().get(number).copied().unwrap_or(0.0)
    }
}

/// The values from `start` on, if there are as many.
#[inline]
fn inside(values: &[f32], start: isize, length: usize) -> Option<&[f32]> {
    usize::try_from(start).ok().and_then(|start| values.get(start..start + length))
}

/// Copies the values from `start` on, NaN where there are none.
#[inline]
fn copy_from(values: &[f32], start: isize, row: &mut [f32]) {
    match inside(values, start, row.len()) {
        Some(values) => row.copy_from_slice(values),
        None => {
            row.fill(f32::NAN);
            let end = start.saturating_add_unsigned(row.len()).min(values.len() as isize).max(0);
            let first = start.clamp(0, end);
            let to = (first - start).clamp(0, row.len() as isize) as usize;
            let values = &values[first as usize..end as usize];
            row[to..to + values.len()].copy_from_slice(values);
        }
    }
}
