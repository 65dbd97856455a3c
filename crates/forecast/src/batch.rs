//! Batch: windows gathered from their series into the buffers of one step, scaled on the way.

use crate::Panel;
use crate::scaler::{Affine, Scaler};
use crate::windows::{Place, Windows};

/// Where windows are gathered from: the series of a panel, each brought to a common size as a whole.
#[derive(Clone)]
pub(crate) struct Source<'a> {
    panel: &'a Panel,
    /// How each series is scaled.
    local: Vec<Affine>,
    /// How each window of it is.
    scaler: Scaler,
    /// Values at the end of each series that are not looked at.
    held_out: usize,
}

impl<'a> Source<'a> {
    /// Series scaled by `local` as far as they may be looked at, windows by `scaler`.
    pub(crate) fn new(
        panel: &'a Panel,
        local: Scaler,
        scaler: Scaler,
        held_out: usize,
    ) -> Source<'a> {
        let seen = |values: &[f32]| values[..values.len().saturating_sub(held_out)].to_vec();
        let series = panel.series().iter();
        let local = series.map(|series| local.fit(&mut seen(series.values()))).collect();
        Source { panel, local, scaler, held_out }
    }

    /// The same source looked at up to its end, scaled as before.
    pub(crate) fn whole(&self) -> Source<'a> {
        Source { held_out: 0, ..self.clone() }
    }

    fn series(&self, number: usize) -> (&'a [f32], Affine) {
        let values = self.panel.series()[number].values();
        (&values[..values.len().saturating_sub(self.held_out)], self.local[number])
    }
}

/// The windows of one step, the batch last. What is not known is 0 in values and masks.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    size: usize,
    input_size: usize,
    /// The look-backs, `[input_size, size]`.
    pub y: Vec<f32>,
    /// What is known of them.
    pub mask: Vec<f32>,
    /// What follows them, `[horizon, size]`.
    pub target: Vec<f32>,
    /// What is known of it.
    pub target_mask: Vec<f32>,
    /// How to bring each window's values back, `[size]` each.
    pub shift: Vec<f32>,
    pub scale: Vec<f32>,
    known: Vec<f32>,
}

impl Batch {
    /// Room for `size` windows.
    pub(crate) fn new(windows: &Windows, size: usize) -> Batch {
        let (input_size, horizon) = (windows.input_size, windows.horizon);
        let zeros = |rows: usize| vec![0.0; rows * size];
        Batch {
            size,
            input_size,
            y: zeros(input_size),
            mask: zeros(input_size),
            target: zeros(horizon),
            target_mask: zeros(horizon),
            shift: zeros(1),
            scale: zeros(1),
            known: Vec::with_capacity(input_size),
        }
    }

    /// Gathers the windows at `places`, at most as many as there is room for, and empty ones after them.
    pub(crate) fn gather(&mut self, source: &Source, places: impl Iterator<Item = Place>) {
        let mut places = places.fuse();
        for item in 0..self.size {
            match places.next() {
                Some(Place { series, start }) => self.gather_one(item, source, series, start),
                None => self.fill(item, &[], 0, Affine::IDENTITY),
            }
        }
    }

    fn gather_one(&mut self, item: usize, source: &Source, series: usize, start: isize) {
        let (values, local) = source.series(series);
        let end = (start + self.input_size as isize).clamp(0, values.len() as isize) as usize;
        let first = (start.max(0) as usize).min(end);
        self.known.clear();
        self.known.extend(values[first..end].iter().map(|&x| local.scale(x)));
        let map = source.scaler.fit(&mut self.known).after(local);
        self.fill(item, values, start, map);
    }

    /// Fills the columns of one window.
    fn fill(&mut self, item: usize, values: &[f32], start: isize, map: Affine) {
        (self.shift[item], self.scale[item]) = (map.shift, map.scale);
        let ahead = start + self.input_size as isize;
        let columns = [
            (&mut self.y, &mut self.mask, start),
            (&mut self.target, &mut self.target_mask, ahead),
        ];
        for (column, mask, start) in columns {
            let column = column[item..].iter_mut().step_by(self.size);
            let mask = mask[item..].iter_mut().step_by(self.size);
            for (at, (value, mask)) in (start..).zip(column.zip(mask)) {
                let known = usize::try_from(at).ok().and_then(|at| values.get(at));
                *value = known.map_or(0.0, |&x| map.scale(x));
                *mask = f32::from(u8::from(known.is_some()));
            }
        }
    }

    /// The map of a window.
    pub(crate) fn map(&self, item: usize) -> Affine {
        Affine { shift: self.shift[item], scale: self.scale[item] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns;

    fn panel() -> Panel {
        let csv = "unique_id,ds,y\na,1,10\na,2,20\na,3,30\na,4,40\n";
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    fn source(panel: &Panel, scaler: Scaler, held_out: usize) -> Source<'_> {
        Source::new(panel, Scaler::Identity, scaler, held_out)
    }

    #[test]
    fn windows_are_columns_and_what_is_not_known_is_masked() {
        let panel = panel();
        let windows = Windows::to_predict(&panel, 3, 2);
        let mut batch = Batch::new(&windows, 4);
        let places = [0, -1, 2].map(|start| Place { series: 0, start });
        batch.gather(&source(&panel, Scaler::Identity, 0), places.into_iter());
        assert_eq!(batch.y, [10., 0., 30., 0., 20., 10., 40., 0., 30., 20., 0., 0.]);
        assert_eq!(batch.mask, [1., 0., 1., 0., 1., 1., 1., 0., 1., 1., 0., 0.]);
        assert_eq!(batch.target, [40., 30., 0., 0., 0., 40., 0., 0.]);
        assert_eq!(batch.target_mask, [1., 1., 0., 0., 0., 1., 0., 0.]);
    }

    #[test]
    fn windows_are_scaled_by_their_look_back_alone() {
        let panel = panel();
        let windows = Windows::to_predict(&panel, 2, 1);
        let mut batch = Batch::new(&windows, 1);
        let place = [Place { series: 0, start: 0 }];
        batch.gather(&source(&panel, Scaler::Standard, 0), place.into_iter());
        for (got, want) in batch.y.iter().chain(&batch.target).zip([-1.0, 1.0, 3.0]) {
            assert!((got - want).abs() < 1e-5, "{got} {want}");
        }
        assert!((batch.map(0).invert(3.0) - 30.0).abs() < 1e-3);
    }

    #[test]
    fn held_out_values_are_not_looked_at() {
        let panel = panel();
        let windows = Windows::to_predict(&panel, 2, 2);
        let mut batch = Batch::new(&windows, 1);
        let place = [Place { series: 0, start: 1 }];
        batch.gather(&source(&panel, Scaler::Identity, 1), place.into_iter());
        assert_eq!((batch.y, batch.target_mask), (vec![20., 30.], vec![0., 0.]));
    }
}
