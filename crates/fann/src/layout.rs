//! Which neurons a network has, in which layers, and what they are connected to.
//!
//! Neurons are numbered through all layers, bias neurons included, as FANN numbers them: a layered network has a bias
//! neuron at the end of every layer (the last one is unused), a shortcut network one at the end of the first. The
//! weights of a neuron lie together, in the order of its connections, and neurons one after another.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::parameters::NetworkType;
use crate::real::LANES;
use crate::vectors::FEW;
use std::ops::Range;

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Its first neuron.
    pub first: usize,
    /// Its neurons, bias included.
    pub size: usize,
    /// Its neurons that have connections, which come first.
    pub computed: usize,
    /// The first neuron that those of a fully connected layer take.
    pub first_source: usize,
    /// How many neurons they take, bias included.
    pub sources: usize,
    /// Its first weight.
    pub first_weight: usize,
    /// Whether all that are computed have the same function and steepness.
    pub is_uniform: bool,
}

impl Layer {
    /// The neuron after its last.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.first + self.size
    }

    /// Its neurons that have connections.
    #[inline(always)]
    pub fn neurons(&self) -> Range<usize> {
        self.first..self.first + self.computed
    }

    /// How many neurons are of one kind from any on: all of a uniform layer, else one.
    #[inline(always)]
    pub fn alike(&self) -> usize {
        if self.is_uniform { self.computed } else { 1 }
    }

    /// Whether it has few neurons and inputs, and all are of one kind.
    #[inline(always)]
    pub fn is_small(&self) -> bool {
        self.is_uniform && (1..=FEW).contains(&self.computed) && self.sources <= LANES
    }

    /// Its weights, where it is fully connected.
    #[inline(always)]
    pub fn weights(&self) -> Range<usize> {
        self.first_weight..self.first_weight + self.computed * self.sources
    }
}

/// What neurons take.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wiring {
    /// All that [`Layer::first_source`] and [`Layer::sources`] say.
    Full,
    /// Listed, as in sparse networks.
    Listed {
        /// The first connection of each neuron, and the end of those of the last.
        starts: Vec<u32>,
        /// The neuron at the other end of each connection.
        sources: Vec<u32>,
    },
}

/// Layers, wiring, and the totals.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub layers: Vec<Layer>,
    pub wiring: Wiring,
    pub network_type: NetworkType,
    pub neurons: usize,
    pub connections: usize,
    /// Whether it is fully connected, and every layer small.
    pub is_narrow: bool,
}

/// The most neurons and connections: FANN counts in 32 bits with a sign.
const MOST: usize = i32::MAX as usize;

impl Layout {
    /// The layout of a fully connected network with these layer sizes, biases included.
    pub fn full(network_type: NetworkType, sizes: &[usize]) -> Result<Layout> {
        let mut layers: Vec<Layer> = Vec::new();
        layers.try_reserve_exact(sizes.len()).map_err(|_| Error::CantAllocateMem)?;
        let (mut first, mut connections) = (0usize, 0usize);
        for (i, &size) in sizes.iter().enumerate() {
            let bias = usize::from(network_type == NetworkType::Layer || i == 0);
            let unbiased =
                size.checked_sub(bias).filter(|n| *n > 0 || network_type == NetworkType::Layer);
            let unbiased = unbiased.ok_or(Error::CantAllocateMem)?;
            let computed = if i == 0 { 0 } else { unbiased };
            let (first_source, sources) = match (layers.last(), network_type) {
                (None, _) => (0, 0),
                (Some(previous), NetworkType::Layer) => (previous.first, previous.size),
                (Some(_), NetworkType::Shortcut) => (0, first),
            };
            let (first_weight, is_uniform) = (connections, true);
            layers.push(Layer {
                first,
                size,
                computed,
                first_source,
                sources,
                first_weight,
                is_uniform,
            });
            first = first.checked_add(size).filter(|n| *n <= MOST).ok_or(Error::CantAllocateMem)?;
            let more = computed.checked_mul(sources).and_then(|more| connections.checked_add(more));
            connections = more.filter(|n| *n <= MOST).ok_or(Error::CantAllocateMem)?;
        }
        if layers.len() < 2 {
            return Err(Error::CantAllocateMem);
        }
        let is_narrow = layers[1..].iter().all(Layer::is_small);
        let wiring = Wiring::Full;
        Ok(Layout { layers, wiring, network_type, neurons: first, connections, is_narrow })
    }

    /// The layout with listed connections: `starts` of each neuron and the end, and their `sources`.
    pub fn listed(
        network_type: NetworkType,
        sizes: &[usize],
        starts: Vec<u32>,
        sources: Vec<u32>,
    ) -> Result<Layout> {
        let mut layout = Layout::full(network_type, sizes)?;
        layout.connections = sources.len();
        for layer in &mut layout.layers {
            let counts = (layer.first..layer.end()).map(|n| starts[n + 1] - starts[n]);
            layer.computed = counts.enumerate().rfind(|(_, c)| *c > 0).map_or(0, |(i, _)| i + 1);
            (layer.first_source, layer.sources) = (0, 0);
            layer.first_weight = starts[layer.first] as usize;
        }
        (layout.wiring, layout.is_narrow) = (Wiring::Listed { starts, sources }, false);
        Ok(layout)
    }

    /// Inputs, the bias not counted.
    #[inline]
    pub fn num_input(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.size - 1)
    }

    /// Outputs, the bias not counted.
    #[inline]
    pub fn num_output(&self) -> usize {
        let bias = usize::from(self.network_type == NetworkType::Layer);
        self.layers.last().map_or(0, |layer| layer.size - bias)
    }

    /// The layer of the outputs.
    #[inline(always)]
    pub fn output(&self) -> &Layer {
        &self.layers[self.layers.len() - 1]
    }

    /// The connections of a neuron.
    pub fn connections_of(&self, neuron: usize) -> Range<usize> {
        match &self.wiring {
            Wiring::Listed { starts, .. } => starts[neuron] as usize..starts[neuron + 1] as usize,
            Wiring::Full => {
                let layer = self.layers.partition_point(|layer| layer.end() <= neuron);
                let Some(layer) = self.layers.get(layer) else { return 0..0 };
                let row = (neuron - layer.first).min(layer.computed);
                let start = layer.first_weight + row * layer.sources;
                start..start + if neuron - layer.first < layer.computed { layer.sources } else { 0 }
            }
        }
    }

    /// For each connection in order: where it comes from and where it goes.
    pub fn ends(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.neurons).flat_map(move |to| {
            let connections = self.connections_of(to);
            let layer = self.layers.partition_point(|layer| layer.end() <= to);
            let first = self.layers[layer].first_source;
            connections.enumerate().map(move |(i, connection)| match &self.wiring {
                Wiring::Full => (first + i, to),
                Wiring::Listed { sources, .. } => (sources[connection] as usize, to),
            })
        })
    }

    /// Finds out anew which layers are uniform.
    pub fn notice_uniform<T: PartialEq>(&mut self, functions: &[Activation], steepness: &[T]) {
        for layer in &mut self.layers {
            let range = layer.first..layer.first + layer.computed;
            let (functions, steepness) = (&functions[range.clone()], &steepness[range]);
            let same = functions.windows(2).all(|w| w[0] == w[1]);
            layer.is_uniform = same && steepness.windows(2).all(|w| w[0] == w[1]);
        }
        let is_small = self.layers[1..].iter().all(Layer::is_small);
        self.is_narrow = self.wiring == Wiring::Full && is_small;
    }
}
