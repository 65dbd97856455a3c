//! Batch: windows gathered from their series straight into the inputs of a graph, scaled on the way.
//!
//! A window is contiguous in its series and a column of the batch, which is the last axis. What is not known
//! is 0 in values and masks.

use crate::exogenous::Chosen;
use crate::scaler::Affine;
use crate::source::Source;
use crate::windows::Place;
use crate::{ForecastError, Model};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use whimbrel_engine::{BatchInputs, Block, Session};
use whimbrel_kernels::copy::columns;

/// Windows that are turned into columns together.
const TOGETHER: usize = 64;

/// How many windows ahead memory is asked for.
const AHEAD: usize = 2 * TOGETHER;

/// What a graph may take of a batch of windows.
const INPUTS: [&str; 10] = [
    // The look-backs and what is known of them, `[input_size, size]`.
    "y",
    "mask",
    // What follows them, and what is known of it, `[horizon, size]`.
    "target",
    "target_mask",
    // How to bring the values of each window back, and how much it counts, `[size]`.
    "shift",
    "scale",
    "weight",
    // Columns known up to now, `[input_size, columns, size]`.
    "historic",
    // Columns known ahead, `[input_size + horizon, columns, size]`.
    "future",
    // Numbers that never change, `[columns, size]`.
    "fixed",
];

/// The batch of a graph.
pub(crate) struct Batch {
    inputs: BatchInputs<10>,
    /// What each block is gathered with.
    gatherers: Vec<Mutex<Gatherer>>,
}

impl Batch {
    /// The batch that a graph of a model takes.
    pub(crate) fn new(
        model: &Model,
        session: &Session,
        graph: usize,
    ) -> Result<Batch, ForecastError> {
        let inputs = session.batch_inputs(graph, INPUTS)?;
        let gatherer = || Mutex::new(Gatherer::new(model.input_size, model.horizon));
        let gatherers = std::iter::repeat_with(gatherer).take(inputs.blocks()).collect();
        Ok(Batch { inputs, gatherers })
    }

    /// Windows it has room for.
    pub(crate) fn size(&self) -> usize {
        self.inputs.size()
    }

    /// Gathers the windows at `places`, as many as there is room for, and empty ones where there are no
    /// more. Memory of some that follow is asked for on the way, so that it is there when they are gathered.
    pub(crate) fn fill(
        &self,
        session: &mut Session,
        source: &Source,
        places: &[Place],
    ) -> Result<(), ForecastError> {
        let ahead = places.get(AHEAD.min(self.size())..).unwrap_or_default();
        session.fill(&self.inputs, |block| {
            let gatherer = self.gatherers[block.number].lock();
            let mut gatherer = gatherer.unwrap_or_else(PoisonError::into_inner);
            let [these, ahead] = [places, ahead].map(|places| {
                let Range { start, end } = block.items;
                &places[start.min(places.len())..end.min(places.len())]
            });
            gatherer.gather(source, these, ahead, block);
        })?;
        Ok(())
    }

    /// How to bring the values of each window back.
    pub(crate) fn maps(&mut self) -> impl Iterator<Item = Affine> {
        self.gatherers.iter_mut().flat_map(|gatherer| {
            let gatherer = gatherer.get_mut().unwrap_or_else(PoisonError::into_inner);
            gatherer.maps.iter().copied()
        })
    }
}

/// Gathers the windows of one block.
#[derive(Default)]
struct Gatherer {
    input_size: usize,
    horizon: usize,
    /// How to bring the values of each window back.
    maps: Vec<Affine>,
    /// Windows that are changed on the way, each contiguous.
    rows: Vec<f32>,
    known: Vec<f32>,
}

impl Gatherer {
    fn new(input_size: usize, horizon: usize) -> Gatherer {
        let rows = vec![0.0; TOGETHER * (input_size + horizon)];
        Gatherer { input_size, horizon, rows, ..Gatherer::default() }
    }

    /// Gathers the windows at `places` into a block, asking for the memory of those `ahead`.
    fn gather(&mut self, source: &Source, places: &[Place], ahead: &[Place], block: Block<10>) {
        let (input_size, length) = (self.input_size, self.input_size + self.horizon);
        let lanes = block.items.len();
        let [y, mask, target, target_mask, shift, scale, weight, historic, future, fixed] =
            block.inputs;
        self.gather_values(source, places, ahead, lanes, [y, target], [mask, target_mask]);
        let maps = self.maps.iter_mut().zip(places);
        maps.for_each(|(map, place)| *map = source.in_unit(*place, *map));
        shift.iter_mut().zip(&self.maps).for_each(|(shift, map)| *shift = map.shift);
        scale.iter_mut().zip(&self.maps).for_each(|(scale, map)| *scale = map.scale);
        weight.fill(0.0);
        for (weight, place) in weight.iter_mut().zip(places) {
            *weight = source.weight(*place, input_size, self.horizon);
        }
        let Chosen { historic: past, future: both, fixed: numbers } = &source.chosen;
        let mut column = 0;
        for (dst, count, steps) in
            [(historic, past.len(), input_size), (future, both.len(), length)]
        {
            for at in 0..count {
                column += 1;
                let dst = dst.get_mut(at * lanes..).unwrap_or_default();
                self.gather_column(source, column, steps, places, lanes, (dst, count * lanes));
            }
        }
        fixed.fill(0.0);
        for (row, &number) in fixed.chunks_exact_mut(lanes).zip(numbers) {
            row.iter_mut().zip(places).for_each(|(x, at)| *x = source.fixed(at.series, number));
        }
    }

    /// Gathers the values of windows and how to bring them back: what they look back on and what follows
    /// it, and masks of both.
    fn gather_values(
        &mut self,
        source: &Source,
        places: &[Place],
        ahead: &[Place],
        lanes: usize,
        [y, target]: [&mut [f32]; 2],
        [mask, target_mask]: [&mut [f32]; 2],
    ) {
        let (input_size, length) = (self.input_size, self.input_size + self.horizon);
        self.maps.clear();
        mask.fill(1.0);
        target_mask.fill(1.0);
        for first in (0..lanes).step_by(TOGETHER) {
            let items = first..lanes.min(first + TOGETHER);
            let mut windows: [&[f32]; TOGETHER] = [&[]; TOGETHER];
            let rows = self.rows.chunks_exact_mut(length);
            for ((item, window), row) in items.clone().zip(&mut windows).zip(rows) {
                // Beside each: of many at once some is not fetched.
                ahead.get(item).into_iter().for_each(|next| source.fetch(*next, length));
                let place = places.get(item).copied();
                if let Some(values) = place.and_then(|place| source.as_it_is(place, length)) {
                    self.maps.push(Affine::IDENTITY);
                    *window = values;
                    continue;
                }
                let map = match place {
                    Some(place) => source.scaled(place, 0, input_size, row, &mut self.known),
                    None => empty(row),
                };
                self.maps.push(map);
                let (past, following) = row.split_at_mut(input_size);
                clear_unknown(past, mask.get_mut(item..).unwrap_or_default(), lanes);
                clear_unknown(following, target_mask.get_mut(item..).unwrap_or_default(), lanes);
                *window = row;
            }
            let windows = &windows[..items.len()];
            turn(windows, 0..input_size, y.get_mut(first..).unwrap_or_default(), lanes);
            turn(windows, input_size..length, target.get_mut(first..).unwrap_or_default(), lanes);
        }
    }

    /// Gathers so many steps of an exogenous column of windows to where steps are `dst_row` apart.
    fn gather_column(
        &mut self,
        source: &Source,
        column: usize,
        steps: usize,
        places: &[Place],
        lanes: usize,
        (dst, dst_row): (&mut [f32], usize),
    ) {
        for first in (0..lanes).step_by(TOGETHER) {
            let items = first..lanes.min(first + TOGETHER);
            let mut windows: [&[f32]; TOGETHER] = [&[]; TOGETHER];
            let rows = self.rows.chunks_exact_mut(steps);
            for ((item, window), row) in items.clone().zip(&mut windows).zip(rows) {
                match places.get(item) {
                    Some(&at) => source.scaled(at, column, self.input_size, row, &mut self.known),
                    None => empty(row),
                };
                clear_unknown(row, &mut [], lanes);
                *window = row;
            }
            let dst = dst.get_mut(first..).unwrap_or_default();
            turn(&windows[..items.len()], 0..steps, dst, dst_row);
        }
    }
}

/// A window of which nothing is known.
fn empty(row: &mut [f32]) -> Affine {
    row.fill(f32::NAN);
    Affine::IDENTITY
}

/// Puts 0 where nothing is known, and into the mask, where values are `stride` apart.
fn clear_unknown(row: &mut [f32], mask: &mut [f32], stride: usize) {
    for (step, x) in row.iter_mut().enumerate().filter(|(_, x)| x.is_nan()) {
        *x = 0.0;
        mask.get_mut(step * stride).into_iter().for_each(|mask| *mask = 0.0);
    }
}

/// Turns some steps of windows into columns, unless there is no room for them: the graph does not take any.
fn turn(windows: &[&[f32]], steps: Range<usize>, dst: &mut [f32], dst_row: usize) {
    if dst.is_empty() {
        return;
    }
    let mut rows: [&[f32]; TOGETHER] = [&[]; TOGETHER];
    rows.iter_mut().zip(windows).for_each(|(row, window)| *row = &window[steps.clone()]);
    columns(&rows[..windows.len()], dst, dst_row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, Fill, Panel, Reader, Scaler, models};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn panel() -> Panel {
        let csv = "unique_id,ds,y\na,1,10\na,2,20\na,3,30\na,4,40\n";
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    fn source(panel: &Panel, scaler: Scaler, held_out: usize) -> Source<'_> {
        Source::new(panel, Chosen::default(), Scaler::Identity, scaler, held_out)
    }

    /// What each input is given by windows gathered in blocks of so many; the whole batch, of which every
    /// element was something else before.
    fn gathered(
        source: &Source,
        [input_size, horizon]: [usize; 2],
        places: &[Place],
        [blocks, lanes]: [usize; 2],
    ) -> ([Vec<f32>; 10], Vec<Affine>) {
        let Chosen { historic, future, fixed } = &source.chosen;
        let length = input_size + horizon;
        let exogenous = [input_size * historic.len(), length * future.len(), fixed.len()];
        let [historic, future, fixed] = exogenous;
        let rows = [input_size, input_size, horizon, horizon, 1, 1, 1, historic, future, fixed];
        let mut whole = rows.map(|rows| vec![f32::NAN; rows * blocks * lanes]);
        let mut gatherer = Gatherer::new(input_size, horizon);
        let mut maps = Vec::new();
        for number in 0..blocks {
            let mut parts = rows.map(|rows| vec![f32::NAN; rows * lanes]);
            let items = number * lanes..(number + 1) * lanes;
            let these = &places[items.start.min(places.len())..items.end.min(places.len())];
            let inputs = parts.each_mut().map(|part| &mut part[..]);
            gatherer.gather(source, these, &places[these.len()..], Block { number, items, inputs });
            for (whole, part) in whole.iter_mut().zip(&parts) {
                let rows = whole.chunks_exact_mut(lanes).skip(number).step_by(blocks);
                rows.zip(part.chunks_exact(lanes)).for_each(|(to, from)| to.copy_from_slice(from));
            }
            maps.extend_from_slice(&gatherer.maps);
        }
        (whole, maps)
    }

    #[test]
    fn windows_are_columns_and_what_is_not_known_is_masked() {
        let panel = panel();
        let places = [0, -1, 2].map(|start| Place { series: 0, start });
        let source = source(&panel, Scaler::Identity, 0);
        let ([y, mask, target, target_mask, ..], _) = gathered(&source, [3, 2], &places, [2, 2]);
        assert_eq!(y, [10., 0., 30., 0., 20., 10., 40., 0., 30., 20., 0., 0.]);
        assert_eq!(mask, [1., 0., 1., 0., 1., 1., 1., 0., 1., 1., 0., 0.]);
        assert_eq!(target, [40., 30., 0., 0., 0., 40., 0., 0.]);
        assert_eq!(target_mask, [1., 1., 0., 0., 0., 1., 0., 0.]);
    }

    #[test]
    fn windows_are_scaled_by_what_is_known_of_their_look_back() {
        let csv = b"unique_id,ds,y\na,1,10\na,2,\na,3,20\na,4,30\n";
        let panel = Reader { fill: Fill::Mask, ..Reader::default() }.read_bytes("t", csv).unwrap();
        let place = [Place { series: 0, start: 0 }];
        let source = source(&panel, Scaler::Standard, 0);
        let ([y, mask, target, _, shift, scale, ..], maps) =
            gathered(&source, [3, 1], &place, [1, 1]);
        for (got, want) in y.iter().chain(&target).zip([-1.0, 0.0, 1.0, 3.0]) {
            assert!((got - want).abs() < 1e-5, "{got} {want}");
        }
        assert_eq!(mask, [1.0, 0.0, 1.0]);
        assert!((maps[0].invert(3.0) - 30.0).abs() < 1e-3);
        assert_eq!((shift[0], scale[0]), (maps[0].shift, maps[0].scale));
        let larger = source.in_units(vec![10.0]);
        let (_, maps) = gathered(&larger, [3, 1], &place, [1, 1]);
        assert!((maps[0].invert(3.0) - 3.0).abs() < 1e-4);
    }

    #[test]
    fn held_out_values_are_not_looked_at() {
        let panel = panel();
        let place = [Place { series: 0, start: 1 }];
        let source = source(&panel, Scaler::Identity, 1);
        let ([y, _, _, target_mask, ..], _) = gathered(&source, [2, 2], &place, [1, 1]);
        assert_eq!((y, target_mask), (vec![20., 30.], vec![0., 0.]));
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
            let source = Source::new(&panel, chosen.clone(), Scaler::Identity, scaler, 0);
            let place = |case: &serde_json::Value| Place {
                series: case["series"].as_u64().unwrap() as usize,
                start: case["start"].as_i64().unwrap() as isize,
            };
            let places: Vec<Place> = cases.iter().map(place).collect();
            let ([y, known, target, target_known, _, _, _, historic, future, fixed], _) =
                gathered(&source, [6, 3], &places, [1, cases.len()]);
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
                    (column(&known), column(&target_known)),
                    (mask.clone(), target_mask.clone())
                );
                for (name, got, known) in [
                    ("y", column(&y), &mask),
                    ("target", column(&target), &target_mask),
                    ("historic", column(&historic), &mask),
                    ("future", column(&future), &whole),
                    ("fixed", column(&fixed), &vec![1.0; 2]),
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
            input_size in 1usize..20,
            horizon in 1usize..9,
            blocks in 1usize..4,
            lanes in 1usize..140,
            hole in 0usize..50,
        ) {
            let values: Vec<String> = (0..50)
                .map(|t| if t == hole { format!("a,{t},\n") } else { format!("a,{t},{}\n", t + 1) })
                .collect();
            let csv = format!("unique_id,ds,y\n{}", values.concat());
            let reader = Reader { fill: Fill::Mask, ..Reader::default() };
            let panel = reader.read_bytes("t", csv.as_bytes()).unwrap();
            // Places there is no room for are those of the next batch.
            let places: Vec<Place> = starts.iter().map(|&start| Place { series: 0, start }).collect();
            let source = source(&panel, Scaler::Identity, 0);
            let ([y, mask, target, target_mask, ..], _) =
                gathered(&source, [input_size, horizon], &places, [blocks, lanes]);
            let size = blocks * lanes;
            for item in 0..size {
                for step in 0..input_size + horizon {
                    let at = starts.get(item).map(|start| start + step as isize);
                    let at = at.filter(|at| (0..50).contains(at) && *at != hole as isize);
                    let expected = at.map_or((0.0, 0.0), |at| (at as f32 + 1.0, 1.0));
                    let got = match step.checked_sub(input_size) {
                        None => (y[step * size + item], mask[step * size + item]),
                        Some(step) => (target[step * size + item], target_mask[step * size + item]),
                    };
                    prop_assert_eq!(got, expected);
                }
            }
        }
    }
}
