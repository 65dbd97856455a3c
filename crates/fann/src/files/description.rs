//! A network as its file describes it, and the check that it is one.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::layout::{Layout, Wiring};
use crate::network::Network;
use crate::parameters::{CascadeParameters, NetworkType, TrainParameters};
use crate::real::Real;
use crate::scaling::Scaling;

/// What a network file says.
#[derive(Clone, Debug)]
pub(crate) struct Description<V> {
    /// Of fixed point files.
    pub decimal_point: u32,
    pub network_type: NetworkType,
    pub connection_rate: f32,
    pub training: TrainParameters<V>,
    pub cascade: CascadeParameters<V>,
    pub scaling: Option<Box<Scaling>>,
    /// Layer sizes, biases included.
    pub sizes: Vec<usize>,
    pub functions: Vec<Activation>,
    pub steepness: Vec<V>,
    /// Connections of each neuron.
    pub counts: Vec<u32>,
    pub sources: Vec<u32>,
    pub weights: Vec<V>,
}

impl<V> Description<V> {
    /// The layout, if there is a network like this: neurons take earlier layers only, inputs take nothing.
    ///
    /// Where the connection rate is 1 and the counts are those of a full network, the order of the connections says
    /// where they come from, as it does for libfann.
    pub fn layout(&self, file: &str) -> Result<Layout> {
        let bad = || Error::CantReadNeuron { file: file.into() };
        let full = Layout::full(self.network_type, &self.sizes).map_err(|_| bad())?;
        if full.num_input() == 0 || full.num_output() == 0 || full.neurons != self.counts.len() {
            return Err(bad());
        }
        let mut starts = Vec::with_capacity(self.counts.len() + 1);
        let mut end = 0u32;
        for count in &self.counts {
            starts.push(end);
            end = end.checked_add(*count).ok_or_else(bad)?;
        }
        starts.push(end);
        if end as usize != self.sources.len() || starts[full.layers[0].end()] != 0 {
            return Err(bad());
        }
        for layer in &full.layers {
            let range = starts[layer.first] as usize..starts[layer.end()] as usize;
            if self.sources[range].iter().any(|source| *source as usize >= layer.first) {
                return Err(Error::CantReadConnections { file: file.into() });
            }
        }
        let is_full =
            |neuron: usize| full.connections_of(neuron).len() == self.counts[neuron] as usize;
        if self.connection_rate >= 1.0 && (0..full.neurons).all(is_full) {
            return Ok(full);
        }
        Layout::listed(self.network_type, &self.sizes, starts, self.sources.clone())
            .map_err(|_| bad())
    }
}

impl<T: Real> Description<T> {
    /// The network described.
    pub fn network(self, file: &str) -> Result<Network<T>> {
        let mut network = Network::of(self.layout(file)?, self.connection_rate)?;
        network.weights_mut().copy_from_slice(&self.weights);
        network.steepness_mut().copy_from_slice(&self.steepness);
        network.functions = self.functions;
        network.notice_uniform();
        network.set_biases();
        (network.training, network.cascade, network.scaling) =
            (self.training, self.cascade, self.scaling);
        Ok(network)
    }

    /// The description of a network.
    pub fn of(network: &Network<T>) -> Description<T> {
        let layout = &network.layout;
        let sources = match &layout.wiring {
            Wiring::Listed { sources, .. } => sources.clone(),
            Wiring::Full => layout.ends().map(|(from, _)| from as u32).collect(),
        };
        Description {
            decimal_point: 0,
            network_type: layout.network_type,
            connection_rate: network.connection_rate,
            training: network.training.clone(),
            cascade: network.cascade.clone(),
            scaling: network.scaling.clone(),
            sizes: layout.layers.iter().map(|layer| layer.size).collect(),
            functions: network.functions.clone(),
            steepness: network.steepness().to_vec(),
            counts: (0..layout.neurons).map(|n| layout.connections_of(n).len() as u32).collect(),
            sources,
            weights: network.weights().to_vec(),
        }
    }
}
