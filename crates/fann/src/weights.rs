//! Weights and connections: reading, setting, drawing at random.

use crate::data::TrainData;
use crate::network::Network;
use crate::parameters::NetworkType;
use crate::real::Real;

/// A connection and its weight, `struct fann_connection`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection<T> {
    /// The neuron it comes from.
    pub from: usize,
    /// The neuron it goes to.
    pub to: usize,
    /// Its weight.
    pub weight: T,
}

impl<T: Real> Network<T> {
    /// All connections, in FANN's order: by the neuron they go to.
    pub fn connections(&self) -> impl Iterator<Item = Connection<T>> {
        let ends = self.layout.ends().zip(self.weights());
        ends.map(|((from, to), weight)| Connection { from, to, weight: *weight })
    }

    /// Sets the weight of the connection between two neurons, if there is one.
    pub fn set_weight(&mut self, from: usize, to: usize, weight: T) {
        if to >= self.layout.neurons {
            return;
        }
        let connections = self.layout.connections_of(to);
        match &self.layout.wiring {
            crate::layout::Wiring::Full => {
                let layer = self.layout.layers.iter().find(|layer| to < layer.end());
                let offset = layer.and_then(|layer| from.checked_sub(layer.first_source));
                if let Some(at) = offset.filter(|offset| *offset < connections.len()) {
                    self.block[connections.start + at] = weight;
                }
            }
            crate::layout::Wiring::Listed { sources, .. } => {
                for at in connections.filter(|at| sources[*at] as usize == from) {
                    self.block[at] = weight;
                }
            }
        }
    }

    /// Sets the weights of these connections; those that do not exist are passed over.
    pub fn set_weights(&mut self, connections: impl IntoIterator<Item = Connection<T>>) {
        for Connection { from, to, weight } in connections {
            self.set_weight(from, to, weight);
        }
    }

    /// Draws every weight anew from a range, and forgets what training remembered.
    pub fn randomize_weights(&mut self, min: T, max: T) {
        let (min, max) = (min.f32(), max.f32());
        for i in 0..self.layout.connections {
            self.block[i] = T::of_f32(self.random.between(min, max));
        }
        self.state.forget(&self.training);
    }

    /// Draws every weight anew by the method of Widrow and Nguyen, which fits the range of the inputs, and forgets
    /// what training remembered.
    pub fn init_weights(&mut self, data: &TrainData<T>) {
        let mut inputs = data.inputs().iter().map(|x| x.f64());
        let Some(first) = inputs.next() else { return };
        let (low, high) = inputs.fold((first, first), |(low, high), x| (low.min(x), high.max(x)));
        let ends = self.num_input() + self.num_output() + self.num_layers();
        let hidden = self.layout.neurons.saturating_sub(ends);
        let power = (f64::from(0.7f32) * hidden as f64).powf(1.0 / self.num_input().max(1) as f64);
        let scale = (power / (high - low)) as f32;
        let first_bias = self.num_input();
        let mut at = 0;
        for i in 1..self.num_layers() {
            let layer = self.layout.layers[i];
            let bias = match self.network_type() {
                NetworkType::Layer => layer.first - 1,
                NetworkType::Shortcut => first_bias,
            };
            let froms: Vec<usize> =
                (layer.first..layer.end()).flat_map(|neuron| self.sources_of(neuron)).collect();
            for from in froms {
                let low = if from == bias { -scale } else { 0.0 };
                self.block[at] = T::of_f32(self.random.between(low, scale));
                at += 1;
            }
        }
        self.state.forget(&self.training);
    }

    /// The neurons a neuron takes.
    pub(crate) fn sources_of(&self, neuron: usize) -> Vec<usize> {
        let connections = self.layout.connections_of(neuron);
        match &self.layout.wiring {
            crate::layout::Wiring::Listed { sources, .. } => {
                sources[connections].iter().map(|n| *n as usize).collect()
            }
            crate::layout::Wiring::Full => {
                let layer = self.layout.layers.iter().find(|layer| neuron < layer.end());
                let first = layer.map_or(0, |layer| layer.first_source);
                (first..first + connections.len()).collect()
            }
        }
    }
}
