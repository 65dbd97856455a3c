//! A network: its layout, its numbers in one block of memory, its settings.
//!
//! Start reading at [`Network`]; how one is made stands in `create`, how it computes in `run`.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::parameters::{CascadeParameters, NetworkType, TrainParameters};
use crate::random::Random;
use crate::real::{LANES, Real};
use crate::scaling::Scaling;
use crate::training::{State, Tally};

/// A network of FANN, over `f32` or `f64`.
///
/// ```
/// use whimbrel_fann::{Activation, Network, TrainData};
/// # fn main() -> Result<(), whimbrel_fann::Error> {
/// let xor = TrainData::<f32>::from_rows(&[
///     (&[-1.0, -1.0], &[-1.0]),
///     (&[-1.0, 1.0], &[1.0]),
///     (&[1.0, -1.0], &[1.0]),
///     (&[1.0, 1.0], &[-1.0]),
/// ])?;
/// let mut network = Network::<f32>::standard(&[2, 3, 1])?;
/// network.set_activation_function_hidden(Activation::SigmoidSymmetric);
/// network.set_activation_function_output(Activation::SigmoidSymmetric);
/// let output = network.run(&[-1.0, 1.0])?;
/// assert_eq!(output.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Network<T: Real> {
    pub(crate) layout: Layout,
    pub(crate) connection_rate: f32,
    /// Weights, then values, sums and steepnesses of the neurons. Values and sums have [`LANES`] numbers more than
    /// there are neurons, so that blocks may begin at any neuron.
    pub(crate) block: Vec<T>,
    pub(crate) functions: Vec<Activation>,
    pub(crate) scaling: Option<Box<Scaling>>,
    pub(crate) random: Random,
    pub(crate) tally: Tally,
    pub(crate) state: State<T>,
    /// Settings of training.
    pub training: TrainParameters<T>,
    /// Settings of cascade training.
    pub cascade: CascadeParameters<T>,
}

/// The parts of the block.
pub(crate) struct Parts<'a, T> {
    pub layout: &'a Layout,
    pub functions: &'a [Activation],
    pub steepness: &'a [T],
    pub weights: &'a mut [T],
    pub values: &'a mut [T],
    pub sums: &'a mut [T],
}

impl<T: Real> Network<T> {
    /// A network of this layout, all weights 0, with FANN's function and steepness.
    pub(crate) fn of(layout: Layout, connection_rate: f32) -> Result<Network<T>> {
        let (neurons, connections) = (layout.neurons, layout.connections);
        let mut block = Vec::new();
        let len = connections + 3 * neurons + 2 * LANES;
        block.try_reserve_exact(len).map_err(|_| Error::CantAllocateMem)?;
        block.resize(len, T::ZERO);
        let mut functions = Vec::new();
        functions.try_reserve_exact(neurons).map_err(|_| Error::CantAllocateMem)?;
        functions.resize(neurons, Activation::Linear);
        let mut network = Network {
            layout,
            connection_rate,
            block,
            functions,
            scaling: None,
            random: Random::arbitrary(),
            tally: Tally::default(),
            state: State::default(),
            training: TrainParameters::default(),
            cascade: CascadeParameters::default(),
        };
        for i in 1..network.layout.layers.len() {
            let layer = network.layout.layers[i];
            let computed = layer.first..layer.first + layer.computed;
            network.functions[computed.clone()].fill(Activation::SigmoidStepwise);
            network.steepness_mut()[computed].fill(T::of(0.5));
        }
        network.set_biases();
        Ok(network)
    }

    /// Gives neurons without connections the value 1, the inputs excepted.
    pub(crate) fn set_biases(&mut self) {
        let inputs = self.num_input();
        for neuron in inputs..self.layout.neurons {
            if self.layout.connections_of(neuron).is_empty() {
                let at = self.layout.connections + neuron;
                self.block[at] = T::ONE;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn parts(&mut self) -> Parts<'_, T> {
        let Layout { neurons, connections, .. } = self.layout;
        let (weights, rest) = self.block.split_at_mut(connections);
        let (values, rest) = rest.split_at_mut(neurons + LANES);
        let (sums, steepness) = rest.split_at_mut(neurons + LANES);
        let (layout, functions) = (&self.layout, &self.functions);
        Parts { layout, functions, steepness, weights, values, sums }
    }

    /// Function and steepness of a neuron.
    #[inline(always)]
    pub(crate) fn kind(&self, neuron: usize) -> (Activation, T) {
        (self.functions[neuron], self.steepness()[neuron])
    }

    #[inline(always)]
    pub(crate) fn steepness(&self) -> &[T] {
        &self.block[self.block.len() - self.layout.neurons..]
    }

    pub(crate) fn steepness_mut(&mut self) -> &mut [T] {
        let start = self.block.len() - self.layout.neurons;
        &mut self.block[start..]
    }

    /// The values of all neurons as of the last run, biases included.
    pub fn values(&self) -> &[T] {
        &self.block[self.layout.connections..][..self.layout.neurons]
    }

    /// The outputs of the last run.
    #[inline]
    pub fn output(&self) -> &[T] {
        let first = self.layout.connections + self.layout.output().first;
        &self.block[first..][..self.num_output()]
    }

    /// All weights, in the order of [`connections`](Network::connections).
    pub fn weights(&self) -> &[T] {
        &self.block[..self.layout.connections]
    }

    /// All weights, to be changed.
    pub fn weights_mut(&mut self) -> &mut [T] {
        &mut self.block[..self.layout.connections]
    }

    /// How many inputs a sample has.
    #[inline]
    pub fn num_input(&self) -> usize {
        self.layout.num_input()
    }

    /// How many outputs a sample has.
    #[inline]
    pub fn num_output(&self) -> usize {
        self.layout.num_output()
    }

    /// How many layers there are, inputs and outputs included.
    pub fn num_layers(&self) -> usize {
        self.layout.layers.len()
    }

    /// How many neurons there are, biases included, the unused bias of the last layer not.
    pub fn total_neurons(&self) -> usize {
        self.layout.neurons - usize::from(self.network_type() == NetworkType::Layer)
    }

    /// How many connections there are.
    pub fn total_connections(&self) -> usize {
        self.layout.connections
    }

    /// Whether layers are connected to the next or to all that follow.
    pub fn network_type(&self) -> NetworkType {
        self.layout.network_type
    }

    /// Which part of all connections there is, 1 being all.
    pub fn connection_rate(&self) -> f32 {
        self.connection_rate
    }

    /// The neurons of each layer, biases not counted.
    pub fn layer_sizes(&self) -> Vec<usize> {
        let biases = self.layer_biases_with_last();
        self.layout.layers.iter().zip(biases).map(|(layer, bias)| layer.size - bias).collect()
    }

    /// The bias neurons of each layer; the unused one of the last is not counted.
    pub fn layer_biases(&self) -> Vec<usize> {
        let last = self.num_layers() - 1;
        self.layer_biases_with_last()
            .enumerate()
            .map(|(i, n)| if i == last { 0 } else { n })
            .collect()
    }

    fn layer_biases_with_last(&self) -> impl Iterator<Item = usize> + use<T> {
        let layered = self.network_type() == NetworkType::Layer;
        (0..self.num_layers()).map(move |i| usize::from(layered || i == 0))
    }

    /// Where random numbers come from.
    pub fn random(&self) -> Random {
        self.random
    }

    /// Sets where random numbers come from: of new weights, of SARPROP's noise, of candidates.
    pub fn set_random(&mut self, random: Random) {
        self.random = random;
    }

    /// Bytes the network holds.
    pub fn bytes(&self) -> usize {
        let wiring = match &self.layout.wiring {
            crate::layout::Wiring::Full => 0,
            crate::layout::Wiring::Listed { starts, sources } => {
                size_of::<u32>() * (starts.capacity() + sources.capacity())
            }
        };
        let scaling = self.scaling.as_ref().map_or(0, |scaling| scaling.bytes());
        let cascade = self.cascade.activation_functions.capacity()
            + self.cascade.activation_steepnesses.capacity() * size_of::<T>();
        size_of::<Self>()
            + size_of_val(&self.layout.layers[..])
            + self.block.capacity() * size_of::<T>()
            + self.functions.capacity()
            + self.state.bytes()
            + wiring
            + scaling
            + cascade
    }
}
