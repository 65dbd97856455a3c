//! Incremental training: after every sample the weights follow its error.
//!
//! The way back touches every weight once: a row passes the neuron's error on to its sources and then changes. Tiny
//! networks are trained in `tiny`.

use super::state::grow;
use super::tally::{Tally, half_if_symmetric};
use crate::data::Samples;
use crate::error::{Error, Result};
use crate::layout::{Layer, Wiring};
use crate::network::{Network, Parts};
use crate::parameters::TrainParameters;
use crate::real::{LANES, Real};
use crate::run::forward;
use crate::vectors::FEW;
use whimbrel_kernels::simd::{Kernel, Portable, Simd, run};

impl<T: Real> Network<T> {
    /// Trains on one sample: runs it, adds its error, and lets the weights follow.
    ///
    /// # Errors
    /// The numbers of inputs or outputs are not those of the network.
    pub fn train(&mut self, input: &[T], desired: &[T]) -> Result<()> {
        let samples = Samples::new(1, (input.len(), desired.len()), input, desired)?;
        self.check(samples)?;
        self.train_incremental(samples)
    }

    /// One epoch of incremental training, which adds to the errors so far.
    pub(super) fn train_incremental(&mut self, samples: Samples<'_, T>) -> Result<()> {
        // A network is taken apart for several samples, not for one.
        if samples.len() > 1 && self.training.learning_momentum == 0.0 && self.is_tiny() {
            self.train_tiny(&samples);
            return Ok(());
        }
        let (neurons, connections) = (self.layout.neurons, self.layout.connections);
        let mut state = std::mem::take(&mut self.state);
        let mut room = grow(&mut state.errors, neurons + LANES, T::ZERO);
        if self.training.learning_momentum != 0.0 {
            room = room.and_then(|()| grow(&mut state.deltas, connections, T::ZERO));
        }
        if room.is_ok() {
            let (training, mut tally) = (self.training.clone(), self.tally);
            let (errors, deltas) = (&mut state.errors[..], &mut state.deltas[..]);
            let is_narrow = self.layout.is_narrow;
            let parts = self.parts();
            let sums = &mut tally;
            let epoch = Epoch { parts, errors, deltas, training: &training, tally: sums, samples };
            if is_narrow {
                epoch.run(Portable::<8>)
            } else {
                run(epoch)
            }
            self.tally = tally;
        }
        self.state = state;
        room.map_err(|_: Error| Error::CantAllocateMem)
    }
}

struct Epoch<'a, T> {
    parts: Parts<'a, T>,
    errors: &'a mut [T],
    deltas: &'a mut [T],
    training: &'a TrainParameters<T>,
    tally: &'a mut Tally,
    samples: Samples<'a, T>,
}

impl<T: Real> Kernel for Epoch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for row in 0..self.samples.len() {
            forward(s, &mut self.parts, self.samples.input(row));
            self.find_errors(s, self.samples.output(row));
            self.learn(s);
        }
    }
}

impl<T: Real> Epoch<'_, T> {
    /// Sets the errors of the outputs, those of all others to 0, and adds to the tally.
    #[inline(always)]
    fn find_errors<S: Simd>(&mut self, s: S, wanted: &[T]) {
        let layer = *self.parts.layout.output();
        self.errors[..layer.first].fill(T::ZERO);
        if layer.computed <= FEW {
            return self.find_few_errors(&layer, wanted);
        }
        let step = if layer.is_uniform { LANES } else { 1 };
        for (i, wanted) in wanted.chunks(step).enumerate() {
            let at = layer.first + i * step;
            let function = self.parts.functions[at];
            let mut desired = [T::ZERO; LANES];
            for (desired, wanted) in desired.iter_mut().zip(wanted) {
                *desired = *wanted;
            }
            let Some(values) = self.parts.values[at..].first_chunk::<LANES>() else { return };
            let Some(sums) = self.parts.sums[at..].first_chunk::<LANES>() else { return };
            let scale = half_if_symmetric(function);
            for i in 0..wanted.len().min(LANES) {
                desired[i] = (desired[i] - values[i]) * scale;
                self.tally.add(desired[i], self.training.bit_fail_limit);
            }
            let kind = (function, self.parts.steepness[at]);
            let measure = self.training.train_error_function;
            T::judge(s, measure, kind, values, sums, &mut desired);
            let Some(place) = self.errors[at..].first_chunk_mut() else { return };
            *place = desired;
        }
    }

    /// The same for outputs too few for vectors.
    #[inline(always)]
    fn find_few_errors(&mut self, layer: &Layer, wanted: &[T]) {
        for (neuron, wanted) in (layer.first..layer.first + layer.computed).zip(wanted) {
            let function = self.parts.functions[neuron];
            let (value, sum) = (self.parts.values[neuron], self.parts.sums[neuron]);
            let difference = (*wanted - value) * half_if_symmetric(function);
            self.tally.add(difference, self.training.bit_fail_limit);
            let worth = T::worth_of(self.training.train_error_function, difference);
            self.errors[neuron] = worth * function.slope(self.parts.steepness[neuron], value, sum);
        }
    }

    /// Passes errors back from layer to layer while the weights follow them.
    #[inline(always)]
    fn learn<S: Simd>(&mut self, s: S) {
        let layers = &self.parts.layout.layers;
        for (i, layer) in layers.iter().enumerate().skip(1).rev() {
            match &self.parts.layout.wiring {
                Wiring::Full => self.change_rows(s, layer, i > 1),
                Wiring::Listed { starts, sources } => self.change_listed(layer, starts, sources),
            }
            if i > 1 {
                self.multiply_by_slopes(s, &layers[i - 1]);
            }
        }
    }

    #[inline(always)]
    fn change_rows<S: Simd>(&mut self, s: S, layer: &Layer, passes_on: bool) {
        let (before, errors) = self.errors.split_at_mut(layer.first);
        let taken = if passes_on { layer.sources } else { 0 };
        let before = &mut before[layer.first_source..][..taken];
        let inputs = &self.parts.values[layer.first_source..][..layer.sources];
        let rate = T::of_f32(self.training.learning_rate);
        let momentum = T::of_f32(self.training.learning_momentum);
        let range = layer.weights();
        let weights = &mut self.parts.weights[range.clone()];
        if momentum == T::ZERO {
            // Cut off one by one: how many rows there are would take a division.
            let mut rest = weights;
            for error in &errors[..layer.computed] {
                let (row, others) = rest.split_at_mut(layer.sources);
                T::learn(s, (*error, *error * rate), row, inputs, before);
                rest = others;
            }
            return;
        }
        let rows = weights.chunks_exact_mut(layer.sources);
        let deltas = self.deltas[range].chunks_exact_mut(layer.sources);
        for ((row, deltas), error) in rows.zip(deltas).zip(errors.iter()) {
            let step = *error * rate;
            for (b, w) in before.iter_mut().zip(row.iter()) {
                *b += *error * *w;
            }
            for ((w, delta), x) in row.iter_mut().zip(deltas).zip(inputs) {
                *delta = step * *x + momentum * *delta;
                *w += *delta;
            }
        }
    }

    #[inline(always)]
    fn change_listed(&mut self, layer: &Layer, starts: &[u32], sources: &[u32]) {
        let rate = T::of_f32(self.training.learning_rate);
        let momentum = T::of_f32(self.training.learning_momentum);
        for neuron in layer.first..layer.first + layer.computed {
            let error = self.errors[neuron];
            let step = error * rate;
            let range = starts[neuron] as usize..starts[neuron + 1] as usize;
            for (at, source) in range.clone().zip(&sources[range]) {
                let source = *source as usize;
                self.errors[source] += error * self.parts.weights[at];
                let mut delta = step * self.parts.values[source];
                if let Some(last) = self.deltas.get_mut(at) {
                    delta += momentum * *last;
                    *last = delta;
                }
                self.parts.weights[at] += delta;
            }
        }
    }

    /// Blocks may reach into the next layer, whose errors have been used.
    #[inline(always)]
    fn multiply_by_slopes<S: Simd>(&mut self, s: S, layer: &Layer) {
        let step = if layer.is_uniform { layer.computed.next_multiple_of(LANES) } else { LANES };
        if layer.computed <= FEW {
            for neuron in layer.first..layer.first + layer.computed {
                let (value, sum) = (self.parts.values[neuron], self.parts.sums[neuron]);
                let function = self.parts.functions[neuron];
                self.errors[neuron] *= function.slope(self.parts.steepness[neuron], value, sum);
            }
            return;
        }
        let mut at = layer.first;
        while at < layer.first + layer.computed {
            let kind = (self.parts.functions[at], self.parts.steepness[at]);
            let (values, sums) = (&self.parts.values[at..], &self.parts.sums[at..]);
            if layer.is_uniform {
                return T::derive(s, kind, values, sums, &mut self.errors[at..at + step]);
            }
            let mut errors = [self.errors[at]; LANES];
            T::derive(s, kind, values, sums, &mut errors);
            self.errors[at] = errors[0];
            at += 1;
        }
    }
}
