//! Sixteen samples, or four, on their way through a network and back: every neuron has a block of values, one for each
//! sample.
//!
//! Layers are taken as wholes where all their neurons have the same function, so that none waits for another. The
//! slopes of fully connected networks are summed lane by lane, and over the lanes only at the end.

use super::lanes::View;
use super::tally::{Tally, half_if_symmetric};
use crate::data::Samples;
use crate::layout::{Layer, Layout, Wiring};
use crate::parameters::NetworkType;
use crate::real::{LANES, Real, aligned};
use whimbrel_kernels::simd::Simd;

/// Blocks of all neurons, and the errors of the lanes so far.
pub(super) struct Pass<'a, T, const W: usize> {
    view: &'a View<'a, T>,
    values: &'a mut [[T; W]],
    sums: &'a mut [[T; W]],
    errors: &'a mut [[T; W]],
    /// Of fully connected networks, for each weight.
    slopes: &'a mut [[T; W]],
    squares: [T; W],
    failed: [u32; W],
    count: u32,
}

/// Numbers that a pass through a network of this layout needs.
pub(super) fn room_of(layout: &Layout) -> usize {
    let slopes = if layout.wiring == Wiring::Full { layout.connections } else { 0 };
    LANES * (3 * layout.neurons + slopes + 1)
}

/// Rows become lanes; lanes past the last row get zeros.
#[inline(always)]
fn transpose<T: Real, const W: usize>(blocks: &mut [[T; W]], rows: &[T], lanes: usize) {
    let n = blocks.len();
    if lanes < W {
        blocks.fill([T::ZERO; W]);
    }
    for lane in 0..lanes.min(W) {
        let row = &rows[lane * n..][..n];
        for i in 0..n {
            blocks[i][lane] = row[i];
        }
    }
}

impl<'a, T: Real, const W: usize> Pass<'a, T, W> {
    /// A pass in room of [`room_of`] numbers.
    #[inline(always)]
    pub fn new(view: &'a View<'a, T>, room: &'a mut [T]) -> Self {
        let neurons = view.layout.neurons;
        let (blocks, _) = aligned(room).as_chunks_mut::<W>();
        let (values, blocks) = blocks.split_at_mut(neurons);
        let (sums, blocks) = blocks.split_at_mut(neurons);
        let (errors, slopes) = blocks.split_at_mut(neurons);
        for layer in &view.layout.layers {
            values[layer.first + layer.computed..layer.end()].fill([T::ONE; W]);
        }
        let (squares, failed) = ([T::ZERO; W], [0; W]);
        Pass { view, values, sums, errors, slopes, squares, failed, count: 0 }
    }

    /// Takes samples from `row` on; what outputs are to be waits where their errors will be. Lanes without a sample
    /// get zeros.
    #[inline(always)]
    pub fn load(&mut self, samples: Samples<'_, T>, row: usize, lanes: usize) {
        let inputs = &mut self.values[..samples.num_input()];
        let wanted = &mut self.errors[self.view.layout.output().first..][..samples.num_output()];
        transpose(inputs, samples.inputs_from(row), lanes);
        transpose(wanted, samples.outputs_from(row), lanes);
    }

    /// Computes all neurons.
    #[inline(always)]
    pub fn forward<S: Simd>(&mut self, s: S) {
        let view = self.view;
        for layer in &view.layout.layers[1..] {
            let (before, own) = self.values.split_at_mut(layer.first);
            let (own, sums) = (&mut own[..layer.computed], &mut self.sums[layer.neurons()]);
            match &view.layout.wiring {
                Wiring::Full => {
                    let sources = &before[layer.first_source..][..layer.sources];
                    T::weigh(s, &view.weights[layer.weights()], sources, sums);
                }
                Wiring::Listed { starts, sources } => {
                    for (sum, neuron) in sums.iter_mut().zip(layer.neurons()) {
                        let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                        *sum = [T::ZERO; W];
                        for (weight, source) in
                            view.weights[range.clone()].iter().zip(&sources[range])
                        {
                            T::add_scaled(s, sum, *weight, &before[*source as usize]);
                        }
                    }
                }
            }
            let mut at = 0;
            while at < layer.computed {
                let range = at..at + layer.alike();
                let values = own[range.clone()].as_flattened_mut();
                let sums = sums[range].as_flattened_mut();
                T::activate_to_learn(s, view.kind(layer.first + at), sums, values);
                at += layer.alike();
            }
            if let Wiring::Listed { starts, .. } = &view.layout.wiring {
                for (value, neuron) in own.iter_mut().zip(layer.neurons()) {
                    if starts[neuron] == starts[neuron + 1] {
                        *value = [T::ONE; W];
                    }
                }
            }
        }
    }

    /// Sets the errors of the outputs, 0 in lanes without a sample, and counts them.
    #[inline(always)]
    pub fn find_errors<S: Simd>(&mut self, s: S, lanes: usize) {
        let (view, first) = (self.view, self.view.layout.output().first);
        let outputs = view.layout.num_output();
        let limit = view.training.bit_fail_limit;
        for neuron in first..first + outputs {
            let kind = view.kind(neuron);
            let (values, scale) = (&self.values[neuron], half_if_symmetric(kind.0));
            let errors = &mut self.errors[neuron];
            for i in 0..W {
                let difference = (errors[i] - values[i]) * scale;
                errors[i] = if i < lanes { difference } else { T::ZERO };
                self.squares[i] += errors[i] * errors[i];
                self.failed[i] += u32::from(i < lanes && errors[i].abs() >= limit);
            }
            let measure = view.training.train_error_function;
            T::judge(s, measure, kind, values, &self.sums[neuron], errors);
            for (i, error) in errors.iter_mut().enumerate() {
                *error = if i < lanes { *error } else { T::ZERO };
            }
        }
        self.count += (lanes * outputs) as u32;
    }

    /// Passes the errors of the outputs back to all hidden neurons.
    #[inline(always)]
    pub fn backward<S: Simd>(&mut self, s: S) {
        let (view, layers) = (self.view, &self.view.layout.layers);
        let is_listed = view.layout.wiring != Wiring::Full;
        if is_listed {
            self.errors[..view.layout.output().first].fill([T::ZERO; W]);
        }
        for (i, layer) in layers.iter().enumerate().skip(2).rev() {
            if is_listed {
                self.scatter_errors(s, layer);
            } else {
                self.spread_errors(s, layer, i + 1 == layers.len());
            }
            let before = layers[i - 1].neurons();
            let mut at = before.start;
            while at < before.end {
                let range = at..at + layers[i - 1].alike();
                let values = self.values[range.clone()].as_flattened();
                let sums = self.sums[range.clone()].as_flattened();
                let errors = self.errors[range].as_flattened_mut();
                T::derive(s, view.kind(at), values, sums, errors);
                at += layers[i - 1].alike();
            }
        }
    }

    /// Passes the errors of a layer to the hidden neurons it takes, of which those of the layer before have none yet,
    /// and in front of the outputs none has.
    #[inline(always)]
    fn spread_errors<S: Simd>(&mut self, s: S, layer: &Layer, is_output: bool) {
        let layout = self.view.layout;
        let first = layer.first_source.max(layout.layers[0].end());
        let (before, own) = self.errors.split_at_mut(layer.first);
        let mut rows = &self.view.weights[layer.weights()];
        let is_first = is_output || layout.network_type == NetworkType::Layer;
        // Cut off one by one: how many rows there are would take a division.
        for (j, error) in own[..layer.computed].iter().enumerate() {
            let (row, others) = rows.split_at(layer.sources);
            let row = &row[first - layer.first_source..];
            T::spread(s, error, row, &mut before[first..], j > 0 || !is_first);
            rows = others;
        }
    }

    /// Adds the errors of a layer to those of the neurons it takes, where these are listed.
    #[inline(always)]
    fn scatter_errors<S: Simd>(&mut self, s: S, layer: &Layer) {
        let Wiring::Listed { starts, sources } = &self.view.layout.wiring else { return };
        for neuron in layer.neurons() {
            let (before, after) = self.errors.split_at_mut(neuron);
            let range = starts[neuron] as usize..starts[neuron + 1] as usize;
            let listed = self.view.weights[range.clone()].iter().zip(&sources[range]);
            for (weight, source) in listed {
                T::add_scaled(s, &mut before[*source as usize], *weight, &after[0]);
            }
        }
    }

    /// Adds up slopes: those of fully connected networks lane by lane, `adds` telling whether there are any yet, those
    /// of others right into `slopes`.
    #[inline(always)]
    pub fn add_slopes<S: Simd>(&mut self, s: S, adds: bool, slopes: &mut [T]) {
        let view = self.view;
        for layer in &view.layout.layers[1..] {
            let errors = &self.errors[layer.neurons()];
            match &view.layout.wiring {
                Wiring::Full => {
                    let sources = &self.values[layer.first_source..][..layer.sources];
                    let (sources, (errors, _)) = (sources.as_chunks().0, errors.as_chunks::<1>());
                    T::follow_lanes(s, errors, sources, &mut self.slopes[layer.weights()], adds);
                }
                Wiring::Listed { starts, sources } => {
                    for (error, neuron) in errors.iter().zip(layer.neurons()) {
                        let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                        let listed = slopes[range.clone()].iter_mut().zip(&sources[range]);
                        for (slope, source) in listed {
                            *slope += T::dot(s, error, &self.values[*source as usize]);
                        }
                    }
                }
            }
        }
    }

    /// Sums over the lanes what waits for it, and returns the errors counted.
    #[inline(always)]
    pub fn finish<S: Simd>(self, s: S, slopes: &mut [T]) -> Tally {
        if self.view.layout.wiring == Wiring::Full {
            T::add_lanes(s, &self.slopes[..self.view.layout.connections], slopes);
        }
        let (mut squares, mut bit_fail) = (T::ZERO, 0);
        for lane in 0..W {
            squares += self.squares[lane];
            bit_fail += self.failed[lane];
        }
        Tally { squares: squares.f32(), bit_fail, count: self.count }
    }
}
