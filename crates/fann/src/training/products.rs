//! Slopes of many samples at once by matrix products, for networks whose layers are fully connected.
//!
//! Each layer has a matrix of values with a row for each sample, its bias a column of ones. Samples come in blocks. In
//! the first half of a block's work, rows go forward and back, and threads share the rows; in the second, the slopes
//! are products over all samples of the block, and threads share the weights. A slope is one chain of additions in the
//! order of the samples, wherever blocks end.

use super::lanes::View;
use super::tally::half_if_symmetric;
use crate::data::Samples;
use crate::error::Result;
use crate::layout::Layer;
use crate::network::Network;
use crate::parameters::NetworkType;
use crate::product::{Dims, Factor};
use crate::real::{LANES, Real};
use std::ops::Range;
use std::sync::{Mutex, RwLock};
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_threads::Pool;

/// Numbers that the values of a block's rows may take, about.
const BLOCK: usize = 1 << 16;
/// Rows of slopes that a thread takes at a time.
const TILE: usize = 64;

impl<T: Real> Network<T> {
    pub(super) fn add_slopes_by_products(
        &mut self,
        samples: Samples<'_, T>,
        pool: Option<&Pool>,
    ) -> Result<()> {
        let rows = (BLOCK / self.layout.neurons / LANES * LANES).clamp(2 * LANES, 16 * LANES);
        let team = pool.map_or(1, Pool::size).min(samples.len().div_ceil(rows)).max(1);
        let (view, state, tally) = self.view();
        let parts: Vec<RwLock<Rows<T>>> =
            (0..team).map(|_| RwLock::new(Rows::new(&view, rows.min(samples.len())))).collect();
        let mut first = 0;
        while first < samples.len() {
            let range = |i: usize| {
                let start = (first + i * rows).min(samples.len());
                start..(start + rows).min(samples.len())
            };
            share(pool, team, |i| {
                if let Ok(mut part) = parts[i].write() {
                    part.pass(&view, samples, range(i));
                }
            });
            for part in parts.iter().filter_map(|part| part.read().ok()) {
                for difference in &part.differences {
                    tally.add(*difference, view.training.bit_fail_limit);
                }
            }
            add_slopes(&view, &parts, pool, &mut state.slopes);
            first += team * rows;
        }
        Ok(())
    }
}

fn share(pool: Option<&Pool>, n: usize, piece: impl Fn(usize) + Sync) {
    match pool {
        Some(pool) => pool.pieces(n, piece),
        None => (0..n).for_each(piece),
    }
}

/// The earlier layers a layer takes, each with its first column among the layer's weights.
fn feeds(view: &View<'_, impl Real>, layer: usize) -> Range<usize> {
    match view.layout.network_type {
        NetworkType::Layer => layer - 1..layer,
        NetworkType::Shortcut => 0..layer,
    }
}

/// The column of a layer among the weights of another.
fn column(source: &Layer, layer: &Layer) -> usize {
    source.first - layer.first_source
}

/// Adds the products of errors and values, piece by piece.
fn add_slopes<T: Real>(
    view: &View<'_, T>,
    parts: &[RwLock<Rows<T>>],
    pool: Option<&Pool>,
    slopes: &mut [T],
) {
    let mut tiles = Vec::new();
    let mut rest = slopes;
    for (i, layer) in view.layout.layers.iter().enumerate().skip(1) {
        let (own, others) = rest.split_at_mut(layer.computed * layer.sources);
        rest = others;
        for (t, tile) in own.chunks_mut(TILE * layer.sources).enumerate() {
            tiles.push(Mutex::new((i, t * TILE, tile)));
        }
    }
    share(pool, tiles.len(), |i| {
        let Ok(mut tile) = tiles[i].lock() else { return };
        let (index, first, slopes) = &mut *tile;
        let layer = &view.layout.layers[*index];
        let mut scratch = Vec::new();
        for part in parts.iter().filter_map(|part| part.read().ok()) {
            for feed in feeds(view, *index) {
                let source = &view.layout.layers[feed];
                let dims = Dims {
                    m: slopes.len() / layer.sources,
                    n: source.size,
                    k: part.rows,
                    a: Factor::transposed(layer.size),
                    b: Factor::plain(source.size),
                    c_row: layer.sources,
                    adds: true,
                };
                let errors = &part.layers[*index].errors[*first..];
                let values = &part.layers[feed].values;
                let at = column(source, layer);
                T::product(dims, errors, values, &mut slopes[at..], &mut scratch);
            }
        }
    });
}

/// One layer's matrices.
struct Matrices<T> {
    values: Vec<T>,
    /// Kept where a derivative looks at sums.
    sums: Vec<T>,
    errors: Vec<T>,
}

/// Some rows of samples on their way through the network.
struct Rows<T> {
    layers: Vec<Matrices<T>>,
    /// How many rows there are this time.
    rows: usize,
    /// The differences at the outputs, row by row.
    differences: Vec<T>,
    scratch: Vec<T>,
}

impl<T: Real> Rows<T> {
    fn new(view: &View<'_, T>, rows: usize) -> Rows<T> {
        // Blocks reach past the end of a matrix by less than their length.
        let matrix = |layer: &Layer| vec![T::ZERO; rows * layer.size + LANES];
        let layers = view.layout.layers.iter().enumerate().map(|(i, layer)| Matrices {
            values: matrix(layer),
            sums: if i > 0 && needs_sums(view, layer) { matrix(layer) } else { Vec::new() },
            errors: if i > 0 { matrix(layer) } else { Vec::new() },
        });
        Rows { layers: layers.collect(), rows: 0, differences: Vec::new(), scratch: Vec::new() }
    }

    /// Takes samples forward and their errors back.
    fn pass(&mut self, view: &View<'_, T>, samples: Samples<'_, T>, range: Range<usize>) {
        self.rows = range.len();
        self.differences.clear();
        let inputs = samples.num_input();
        let rows = self.layers[0].values.chunks_exact_mut(inputs + 1);
        for (place, row) in rows.zip(range.clone()) {
            place[..inputs].copy_from_slice(samples.input(row));
            place[inputs] = T::ONE;
        }
        for i in 1..self.layers.len() {
            self.forward(view, i);
        }
        run(Outputs { view, rows: self, samples, range });
        for i in (1..self.layers.len() - 1).rev() {
            self.backward(view, i);
        }
    }

    fn forward(&mut self, view: &View<'_, T>, i: usize) {
        let layer = &view.layout.layers[i];
        let (before, after) = self.layers.split_at_mut(i);
        let own = &mut after[0];
        for feed in feeds(view, i) {
            let source = &view.layout.layers[feed];
            let dims = Dims {
                m: self.rows,
                n: layer.computed,
                k: source.size,
                a: Factor::plain(source.size),
                b: Factor::transposed(layer.sources),
                c_row: layer.size,
                adds: feed != feeds(view, i).start,
            };
            let weights = &view.weights[layer.weights()][column(source, layer)..];
            T::product(dims, &before[feed].values, weights, &mut own.values, &mut self.scratch);
        }
        run(Activate { view, layer, own, rows: self.rows });
    }

    fn backward(&mut self, view: &View<'_, T>, i: usize) {
        let layer = &view.layout.layers[i];
        let (before, after) = self.layers.split_at_mut(i + 1);
        let own = &mut before[i];
        let mut adds = false;
        for (j, later) in view.layout.layers.iter().enumerate().skip(i + 1) {
            if !feeds(view, j).contains(&i) {
                continue;
            }
            let dims = Dims {
                m: self.rows,
                n: layer.computed,
                k: later.computed,
                a: Factor::plain(later.size),
                b: Factor::plain(later.sources),
                c_row: layer.size,
                adds,
            };
            let weights = &view.weights[later.weights()][column(layer, later)..];
            let errors = &after[j - i - 1].errors;
            T::product(dims, errors, weights, &mut own.errors, &mut self.scratch);
            adds = true;
        }
        run(Derive { view, layer, own, rows: self.rows });
    }
}

/// Whether a derivative of the layer looks at sums.
fn needs_sums<T: Real>(view: &View<'_, T>, layer: &Layer) -> bool {
    view.functions[layer.first..layer.first + layer.computed].iter().any(|f| f.needs_sum())
}

/// The neuron a place in a layer's matrix belongs to, if it is one that is computed.
#[inline(always)]
fn neuron_at(layer: &Layer, at: usize) -> Option<usize> {
    let column = at % layer.size;
    (column < layer.computed).then_some(layer.first + column)
}

/// Turns weighted inputs into sums and values. Uniform layers are taken as one row of numbers, biases and all.
struct Activate<'a, T> {
    view: &'a View<'a, T>,
    layer: &'a Layer,
    own: &'a mut Matrices<T>,
    rows: usize,
}

impl<T: Real> Kernel for Activate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Activate { view, layer, own, rows } = self;
        let len = rows * layer.size;
        let padded = len.next_multiple_of(LANES);
        let kind = (view.functions[layer.first], view.steepness[layer.first]);
        if layer.is_uniform && own.sums.is_empty() {
            let mut sums = [T::ZERO; LANES];
            for at in (0..padded).step_by(LANES) {
                let place = &mut own.values[at..at + LANES];
                sums.copy_from_slice(place);
                T::activate(s, kind, &mut sums, place);
            }
        } else if layer.is_uniform {
            own.sums[..padded].copy_from_slice(&own.values[..padded]);
            T::activate(s, kind, &mut own.sums[..padded], &mut own.values[..padded]);
        } else {
            for at in 0..len {
                let Some(neuron) = neuron_at(layer, at) else { continue };
                let (mut sum, mut value) = ([own.values[at]; LANES], [T::ZERO; LANES]);
                let kind = (view.functions[neuron], view.steepness[neuron]);
                T::activate(s, kind, &mut sum, &mut value);
                own.values[at] = value[0];
                if let Some(place) = own.sums.get_mut(at) {
                    *place = sum[0];
                }
            }
        }
        for row in own.values[..len].chunks_exact_mut(layer.size) {
            row[layer.computed..].fill(T::ONE);
        }
    }
}

/// Multiplies the errors of a layer by the slopes of its functions.
struct Derive<'a, T> {
    view: &'a View<'a, T>,
    layer: &'a Layer,
    own: &'a mut Matrices<T>,
    rows: usize,
}

impl<T: Real> Kernel for Derive<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Derive { view, layer, own, rows } = self;
        let len = rows * layer.size;
        if layer.is_uniform {
            let kind = (view.functions[layer.first], view.steepness[layer.first]);
            let errors = &mut own.errors[..len.next_multiple_of(LANES)];
            return T::derive(s, kind, &own.values, &own.sums, errors);
        }
        for at in 0..len {
            let Some(neuron) = neuron_at(layer, at) else { continue };
            let kind = (view.functions[neuron], view.steepness[neuron]);
            let sums = own.sums.get(at..).unwrap_or_default();
            let mut errors = [own.errors[at]; LANES];
            T::derive(s, kind, &own.values[at..], sums, &mut errors);
            own.errors[at] = errors[0];
        }
    }
}

/// Sets the errors of the outputs.
struct Outputs<'a, T> {
    view: &'a View<'a, T>,
    rows: &'a mut Rows<T>,
    samples: Samples<'a, T>,
    range: Range<usize>,
}

impl<T: Real> Kernel for Outputs<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Outputs { view, rows, samples, range } = self;
        let layer = view.layout.output();
        let Some(own) = rows.layers.last_mut() else { return };
        let step = if layer.is_uniform { LANES } else { 1 };
        for (r, row) in range.enumerate() {
            for (c, wanted) in samples.output(row).chunks(step).enumerate() {
                let (at, neuron) = (r * layer.size + c * step, layer.first + c * step);
                let mut desired = [T::ZERO; LANES];
                for (desired, wanted) in desired.iter_mut().zip(wanted) {
                    *desired = *wanted;
                }
                let Some(values) = own.values[at..].first_chunk::<LANES>() else { return };
                let sums = own.sums.get(at..).and_then(|sums| sums.first_chunk());
                let function = view.functions[neuron];
                let scale = half_if_symmetric(function);
                for i in 0..wanted.len().min(LANES) {
                    desired[i] = (desired[i] - values[i]) * scale;
                    rows.differences.push(desired[i]);
                }
                let kind = (function, view.steepness[neuron]);
                let measure = view.training.train_error_function;
                T::judge(s, measure, kind, values, sums.unwrap_or(values), &mut desired);
                own.errors[at..][..wanted.len()].copy_from_slice(&desired[..wanted.len()]);
            }
        }
    }
}
