//! Batch: windows gathered from their series into the buffers of one step, scaled on the way.
//!
//! A window is contiguous in its series and a column of the batch. A block of them is turned into columns
//! beside the batch, whose rows may lie a page apart, and copied there row by row: both sides are walked in
//! cache lines, and each page a column crosses is gone to once a block.

use crate::exogenous::Chosen;
use crate::sample_weight::SampleWeights;
use crate::scaler::{Affine, Scaler};
use crate::windows::{Place, Windows};
use crate::{Panel, Series};
use whimbrel_kernels::copy::columns;
use whimbrel_kernels::simd::prefetch;

/// Values in a cache line.
const LINE: usize = 16;

/// Windows that are turned into columns together.
const BLOCK: usize = 64;

/// Where windows are gathered from: the series of a panel, each brought to a common size as a whole.
#[derive(Clone)]
pub(crate) struct Source<'a> {
    panel: &'a Panel,
    /// Which exogenous columns are gathered beside the values.
    chosen: Chosen,
    /// How the values of each series are scaled, and after them its columns: historic, future.
    local: Vec<Affine>,
    /// How each window of it is.
    scaler: Scaler,
    /// Values at the end of each series that are not looked at.
    held_out: usize,
    /// How much each window counts.
    weights: SampleWeights,
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
        let weights = SampleWeights::default();
        let mut source = Source { panel, chosen, local: Vec::new(), scaler, held_out, weights };
        let mut known = Vec::new();
        for series in panel.series() {
            let seen = source.seen(series).len();
            for column in source.columns(series) {
                known.clear();
                let values = column.iter().take(seen).copied().filter(|x| !x.is_nan());
                known.extend(values.filter(|_| local != Scaler::Identity));
                source.local.push(local.fit(&mut known));
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

    /// The values of a series that may be looked at.
    fn seen(&self, series: &'a Series) -> &'a [f32] {
        let values = series.values();
        &values[..values.len().saturating_sub(self.held_out)]
    }

    /// Asks for the memory of a window that is gathered soon, without waiting for it.
    fn fetch(&self, Place { series, start }: Place, length: usize) {
        let values = self.panel.series()[series].values();
        let first = usize::try_from(start).unwrap_or(0).min(values.len());
        let window = &values[first..values.len().min(first + length)];
        window.iter().step_by(LINE).chain(window.last()).for_each(|value| prefetch(value));
    }

    /// The values of a series, then the columns gathered beside them: historic, future.
    fn columns(&self, series: &'a Series) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        let Chosen { historic, future, .. } = self.chosen.clone();
        let historic = historic.into_iter().map(|column| series.historic(column));
        let future = future.into_iter().map(|column| series.future(column));
        std::iter::once(series.values()).chain(historic).chain(future)
    }
}

/// The windows of one step, the batch last. What is not known is 0 in values and masks.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    size: usize,
    input_size: usize,
    horizon: usize,
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
    /// How much each window counts, `[size]`.
    pub weight: Vec<f32>,
    /// Columns known up to now, `[input_size, columns, size]`.
    pub historic: Vec<f32>,
    /// Columns known ahead, `[input_size + horizon, columns, size]`.
    pub future: Vec<f32>,
    /// Numbers that never change, `[columns, size]`.
    pub fixed: Vec<f32>,
    /// Of each window, whether all of its look-back and all that follows it is known, in `mask` and
    /// `target_mask`.
    known_windows: Vec<[bool; 2]>,
    /// A block of windows, each contiguous, and the same as columns.
    rows: Vec<f32>,
    turned: Vec<f32>,
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
            horizon,
            y: zeros(input_size),
            mask: zeros(input_size),
            target: zeros(horizon),
            target_mask: zeros(horizon),
            shift: zeros(1),
            scale: zeros(1),
            weight: zeros(1),
            historic: Vec::new(),
            future: Vec::new(),
            fixed: Vec::new(),
            known_windows: vec![[false; 2]; size],
            rows: vec![0.0; BLOCK * (input_size + horizon)],
            turned: vec![0.0; BLOCK * (input_size + horizon)],
            known: Vec::with_capacity(input_size),
        }
    }

    /// Gathers the windows at `places`, as many as there is room for, and empty ones where there are no
    /// more. Memory of some that follow is asked for on the way, so that it is there when they are gathered.
    pub(crate) fn gather(&mut self, source: &Source, places: impl Iterator<Item = Place>) {
        let (input_size, length) = (self.input_size, self.input_size + self.horizon);
        let Chosen { historic, future, fixed } = &source.chosen;
        self.historic.resize(input_size * historic.len() * self.size, 0.0);
        self.future.resize(length * future.len() * self.size, 0.0);
        self.fixed.resize(fixed.len() * self.size, 0.0);
        let mut places = places.fuse();
        let mut following = [None; BLOCK];
        following[..BLOCK.min(self.size)].fill_with(|| places.next());
        for first in (0..self.size).step_by(BLOCK) {
            let count = BLOCK.min(self.size - first);
            let block = following;
            following[..count].fill_with(|| places.next());
            self.gather_values(source, first, &block[..count], &following);
            let columns = historic.len() + future.len();
            (0..columns)
                .for_each(|column| self.gather_column(source, first, &block[..count], column));
            for (item, place) in (first..).zip(&block[..count]) {
                self.weight[item] = place.map_or(0.0, |Place { series, start }| {
                    let now = start.saturating_add_unsigned(input_size);
                    source.weights.of_window(series, now, self.horizon)
                });
                let numbers = place.map_or(&[][..], |at| source.panel.series()[at.series].fixed());
                for (row, &column) in fixed.iter().enumerate() {
                    self.fixed[row * self.size + item] =
                        numbers.get(column).copied().unwrap_or(0.0);
                }
            }
        }
    }

    /// Gathers the values of a block of windows, the first of which is item `first`.
    ///
    /// The memory of a window that follows is asked for beside each: of many at once some is not fetched.
    fn gather_values(
        &mut self,
        source: &Source,
        first: usize,
        block: &[Option<Place>],
        following: &[Option<Place>],
    ) {
        let (input_size, size) = (self.input_size, self.size);
        let length = input_size + self.horizon;
        // Windows that need no change are taken from where they are.
        let mut unchanged: [Option<&[f32]>; BLOCK] = [None; BLOCK];
        let rows = self.rows.chunks_exact_mut(length);
        for (at, ((place, next), row)) in block.iter().zip(following).zip(rows).enumerate() {
            next.iter().for_each(|&next| source.fetch(next, length));
            let mut map = Affine::IDENTITY;
            if let Some(Place { series, start }) = *place {
                let seen = source.seen(&source.panel.series()[series]);
                let local = source.local[series * source.chosen.width()];
                let is_scaled = source.scaler != Scaler::Identity || local != Affine::IDENTITY;
                let window = inside(seen, start, length).filter(|_| !is_scaled);
                unchanged[at] = window.filter(|window| all_known(window));
                if unchanged[at].is_none() {
                    copy_from(seen, start, row);
                    map = fit(source.scaler, local, &row[..input_size], &mut self.known);
                    row.iter_mut().for_each(|x| *x = map.scale(*x));
                }
            } else {
                row.fill(f32::NAN);
            }
            let item = first + at;
            (self.shift[item], self.scale[item]) = (map.shift, map.scale);
            let (past, ahead) = row.split_at_mut(input_size);
            let masks = [(past, &mut self.mask), (ahead, &mut self.target_mask)];
            for ((values, mask), stood) in masks.into_iter().zip(&mut self.known_windows[item]) {
                let known = unchanged[at].is_some() || all_known(values);
                // Where all is known again, the mask is as it was.
                if !(known && *stood) {
                    let known = values.iter().map(|x| known || !x.is_nan());
                    let mask = mask[item..].iter_mut().step_by(size);
                    mask.zip(known).for_each(|(mask, known)| *mask = f32::from(u8::from(known)));
                }
                if !known {
                    clear_unknown(values);
                }
                *stood = known;
            }
        }
        let mut windows: [&[f32]; BLOCK] = [&[]; BLOCK];
        let all = windows.iter_mut().zip(unchanged).zip(self.rows.chunks_exact(length));
        all.for_each(|((window, unchanged), row)| *window = unchanged.unwrap_or(row));
        columns(&windows[..block.len()], &mut self.turned, BLOCK);
        let (past, ahead) = self.turned.split_at(input_size * BLOCK);
        copy_columns(past, block.len(), &mut self.y[first..], size);
        copy_columns(ahead, block.len(), &mut self.target[first..], size);
    }

    /// Gathers an exogenous column of a block of windows: a historic one, or after those a future one.
    ///
    /// It is scaled by what it is in the look-back where the series itself is known.
    fn gather_column(
        &mut self,
        source: &Source,
        first: usize,
        block: &[Option<Place>],
        column: usize,
    ) {
        let (input_size, size) = (self.input_size, self.size);
        let Chosen { historic, future, .. } = &source.chosen;
        let (rows, steps, count, at) = match column.checked_sub(historic.len()) {
            None => (&mut self.historic, input_size, historic.len(), column),
            Some(at) => (&mut self.future, input_size + self.horizon, future.len(), at),
        };
        let blocks = self.rows.chunks_exact_mut(steps);
        for ((item, place), row) in (first..).zip(block).zip(blocks) {
            let Some(Place { series, start }) = *place else {
                row.fill(0.0);
                continue;
            };
            let local = source.local[series * source.chosen.width() + 1 + column];
            let series = &source.panel.series()[series];
            let values = match column.checked_sub(historic.len()) {
                None => series.historic(historic[column]),
                Some(at) => series.future(future[at]),
            };
            copy_from(values, start, row);
            self.known.clear();
            let mask = self.mask[item..].iter().step_by(size);
            let known =
                row[..input_size].iter().zip(mask).filter(|(x, mask)| !x.is_nan() && **mask > 0.0);
            self.known.extend(known.map(|(&x, _)| local.scale(x)));
            let map = source.scaler.fit(&mut self.known).after(local);
            row.iter_mut().for_each(|x| *x = map.scale(*x));
            clear_unknown(row);
        }
        let mut windows: [&[f32]; BLOCK] = [&[]; BLOCK];
        let all = windows.iter_mut().zip(self.rows.chunks_exact(steps));
        all.for_each(|(window, row)| *window = row);
        columns(&windows[..block.len()], &mut self.turned, BLOCK);
        let turned = &self.turned[..steps * BLOCK];
        copy_columns(turned, block.len(), &mut rows[at * size + first..], count * size);
    }

    /// Lets the values of a window come back in a unit so many times as large.
    pub(crate) fn enlarge_unit(&mut self, item: usize, times: f32) {
        self.shift[item] /= times;
        self.scale[item] /= times;
    }

    /// The map of a window.
    pub(crate) fn map(&self, item: usize) -> Affine {
        Affine { shift: self.shift[item], scale: self.scale[item] }
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

/// Puts 0 where nothing is known.
fn clear_unknown(row: &mut [f32]) {
    row.iter_mut().for_each(|x| *x = if x.is_nan() { 0.0 } else { *x });
}

/// Copies the columns of `count` windows to where their rows are `stride` values apart.
fn copy_columns(turned: &[f32], count: usize, dst: &mut [f32], stride: usize) {
    for (row, dst) in turned.chunks_exact(BLOCK).zip(dst.chunks_mut(stride)) {
        dst[..count].copy_from_slice(&row[..count]);
    }
}

/// Whether no value is missing. All are looked at, which takes less than deciding after each.
#[inline]
fn all_known(values: &[f32]) -> bool {
    !values.iter().fold(false, |missing, x| missing | x.is_nan())
}

/// The map of a window of a series with this look-back.
#[inline]
fn fit(scaler: Scaler, local: Affine, past: &[f32], known: &mut Vec<f32>) -> Affine {
    if scaler == Scaler::Identity {
        return local;
    }
    known.clear();
    known.extend(past.iter().filter(|x| !x.is_nan()).map(|&x| local.scale(x)));
    scaler.fit(known).after(local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, Fill, Model, Reader, models};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn panel() -> Panel {
        let csv = "unique_id,ds,y\na,1,10\na,2,20\na,3,30\na,4,40\n";
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    fn source(panel: &Panel, scaler: Scaler, held_out: usize) -> Source<'_> {
        Source::new(panel, Chosen::default(), Scaler::Identity, scaler, held_out)
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
    fn windows_are_scaled_by_what_is_known_of_their_look_back() {
        let csv = b"unique_id,ds,y\na,1,10\na,2,\na,3,20\na,4,30\n";
        let panel = Reader { fill: Fill::Mask, ..Reader::default() }.read_bytes("t", csv).unwrap();
        let windows = Windows::to_predict(&panel, 3, 1);
        let mut batch = Batch::new(&windows, 1);
        let place = [Place { series: 0, start: 0 }];
        batch.gather(&source(&panel, Scaler::Standard, 0), place.into_iter());
        for (got, want) in batch.y.iter().chain(&batch.target).zip([-1.0, 0.0, 1.0, 3.0]) {
            assert!((got - want).abs() < 1e-5, "{got} {want}");
        }
        assert_eq!(batch.mask, [1.0, 0.0, 1.0]);
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

    #[test]
    fn windows_and_their_columns_equal_neuralforecasts() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/windows/");
        let reader = Reader {
            futr_exog_list: vec!["price".into()],
            hist_exog_list: vec!["visits".into()],
            ..Reader::default()
        };
        let mut panel = reader.read(format!("{folder}series.csv")).unwrap();
        reader.read_static(&mut panel, format!("{folder}static.csv")).unwrap();
        let model = Model::new(models::Mlp::default(), 3).with_exogenous_of(&panel);
        let chosen = model.choose(&panel).unwrap();
        let golden = std::fs::read_to_string(format!("{folder}windows.json")).unwrap();
        let golden: HashMap<Scaler, Vec<serde_json::Value>> =
            serde_json::from_str(&golden).unwrap();
        assert_eq!(golden.len(), 5);
        for (scaler, cases) in golden {
            let windows = Windows::to_predict(&panel, 6, 3);
            let mut batch = Batch::new(&windows, cases.len());
            let source = Source::new(&panel, chosen.clone(), Scaler::Identity, scaler, 0);
            let place = |case: &serde_json::Value| Place {
                series: case["series"].as_u64().unwrap() as usize,
                start: case["start"].as_i64().unwrap() as isize,
            };
            batch.gather(&source, cases.iter().map(place));
            for (item, case) in cases.iter().enumerate() {
                let list = |name: &str| -> Vec<f32> {
                    case[name]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|x| x.as_f64().unwrap() as f32)
                        .collect()
                };
                let column = |values: &[f32]| -> Vec<f32> {
                    values[item..].iter().step_by(cases.len()).copied().collect()
                };
                let (mask, target_mask) = (list("mask"), list("target_mask"));
                let whole = [&mask[..], &target_mask].concat();
                // Equal values become 0 here, and -1 there.
                let equal = scaler == Scaler::Minmax1 && mask.iter().sum::<f32>() == 1.0;
                if equal {
                    continue;
                }
                assert_eq!(
                    (column(&batch.mask), column(&batch.target_mask)),
                    (mask.clone(), target_mask.clone())
                );
                for (name, got, known) in [
                    ("y", column(&batch.y), &mask),
                    ("target", column(&batch.target), &target_mask),
                    ("historic", column(&batch.historic), &mask),
                    ("future", column(&batch.future), &whole),
                    ("fixed", column(&batch.fixed), &vec![1.0; 2]),
                ] {
                    let want = list(name);
                    assert_eq!(got.len(), want.len(), "{name}");
                    for ((got, want), known) in got.iter().zip(&want).zip(known) {
                        // What is not known is 0 here; NeuralForecast scales the 0 it puts there.
                        let want = if *known > 0.0 { *want } else { 0.0 };
                        let close = (got - want).abs() <= 1e-4 * want.abs().max(1.0);
                        assert!(close, "{scaler:?} {name} of {}: {got} {want}", case["start"]);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_window_is_what_lies_at_its_place(
            starts in prop::collection::vec(-20isize..60, 1..150),
            before in prop::collection::vec(-20isize..60, 0..150),
            input_size in 1usize..20,
            horizon in 1usize..9,
            spare in -70isize..9,
            hole in 0usize..50,
        ) {
            let values: Vec<String> = (0..50)
                .map(|t| if t == hole { format!("a,{t},\n") } else { format!("a,{t},{}\n", t + 1) })
                .collect();
            let csv = format!("unique_id,ds,y\n{}", values.concat());
            let reader = Reader { fill: Fill::Mask, ..Reader::default() };
            let panel = reader.read_bytes("t", csv.as_bytes()).unwrap();
            let windows = Windows::to_predict(&panel, input_size, horizon);
            // Places there is no room for are those of the next batch.
            let size = starts.len().saturating_add_signed(spare).max(1);
            let mut batch = Batch::new(&windows, size);
            // What was in the batch before leaves nothing behind.
            for starts in [&before, &starts] {
                let places = starts.iter().map(|&start| Place { series: 0, start });
                batch.gather(&source(&panel, Scaler::Identity, 0), places);
            }
            for item in 0..size {
                for step in 0..input_size + horizon {
                    let at = starts.get(item).map(|start| start + step as isize);
                    let at = at.filter(|at| (0..50).contains(at) && *at != hole as isize);
                    let expected = at.map_or((0.0, 0.0), |at| (at as f32 + 1.0, 1.0));
                    let got = match step.checked_sub(input_size) {
                        None => (batch.y[step * size + item], batch.mask[step * size + item]),
                        Some(step) => {
                            (batch.target[step * size + item], batch.target_mask[step * size + item])
                        }
                    };
                    prop_assert_eq!(got, expected);
                }
            }
        }
    }
}
