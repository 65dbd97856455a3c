//! Networks whose numbers belong to somebody else, as those of the C library do: it builds a network of the same wiring,
//! lends it its weights and what training remembered, and takes them back.

use crate::activation::Activation;
use crate::error::Result;
use crate::files::Description;
use crate::network::Network;
use crate::parameters::{CascadeParameters, NetworkType, TrainParameters};
use crate::real::Real;
use crate::scaling::{Scaling, SideScaling};
use crate::vectors::FEW;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// What training remembers, a number for each connection. Parts that are empty are made when they are needed.
#[derive(Debug)]
pub struct Memory<'a, T> {
    /// The slopes summed so far.
    pub slopes: &'a mut Vec<T>,
    /// The last step of each weight.
    pub prev_steps: &'a mut Vec<T>,
    /// The last slope of each weight.
    pub prev_slopes: &'a mut Vec<T>,
    /// The last change of each weight, for the momentum.
    pub deltas: &'a mut Vec<T>,
}

/// The sum of weights times values, as far as both go; long ones in several chains of additions.
pub fn weighted_sum<T: Real>(weights: &[T], values: &[T]) -> T {
    run(WeightedSum { weights, values })
}

/// Turns the weighted inputs of `n` neurons of one kind into sums; gives their values. Past `n` both mean nothing.
#[doc(hidden)]
#[inline]
pub fn activate_few<T: Real>(kind: (Activation, T), n: usize, sums: &mut [T; FEW]) -> [T; FEW] {
    T::activate_few(kind, n, sums)
}

struct WeightedSum<'a, T> {
    weights: &'a [T],
    values: &'a [T],
}

impl<T: Real> Kernel for WeightedSum<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> T {
        T::dot(s, self.weights, self.values)
    }
}

impl<T: Real> Network<T> {
    /// A network given neuron by neuron: the sizes of its layers, how many connections each neuron has, and the neurons
    /// those come from; biases are counted. All weights are 0.
    ///
    /// # Errors
    /// [`Error::CantReadNeuron`](crate::Error::CantReadNeuron) where sizes and counts make no network, and
    /// [`Error::CantReadConnections`](crate::Error::CantReadConnections) where a neuron takes one that is not in an
    /// earlier layer.
    pub fn wired(
        network_type: NetworkType,
        connection_rate: f32,
        sizes: Vec<usize>,
        counts: Vec<u32>,
        sources: Vec<u32>,
    ) -> Result<Network<T>> {
        let (training, cascade) = (TrainParameters::default(), CascadeParameters::default());
        let mut description =
            Description::<T>::empty(network_type, connection_rate, training, cascade);
        (description.sizes, description.counts, description.sources) = (sizes, counts, sources);
        Network::of(description.layout("")?, connection_rate)
    }

    /// The functions of all neurons; those of neurons without connections mean nothing.
    pub fn functions(&self) -> &[Activation] {
        &self.functions
    }

    /// The steepnesses of all neurons; those of neurons without connections mean nothing.
    pub fn steepnesses(&self) -> &[T] {
        self.steepness()
    }

    /// Sets function and steepness of neuron after neuron.
    pub fn set_kinds(&mut self, kinds: impl IntoIterator<Item = (Activation, T)>) {
        for (neuron, (function, steepness)) in kinds.into_iter().enumerate() {
            if neuron < self.layout.neurons {
                self.functions[neuron] = function;
                self.steepness_mut()[neuron] = steepness;
            }
        }
        self.notice_uniform();
    }

    /// Sets the scaling, or that there is none; lists that are too short or too long are not taken.
    pub fn put_scaling(&mut self, scaling: Option<Scaling>) {
        let fits = |side: &SideScaling, width: usize| {
            [&side.mean, &side.deviation, &side.new_min, &side.factor]
                .iter()
                .all(|l| l.len() == width)
        };
        let (inputs, outputs) = (self.num_input(), self.num_output());
        let taken = scaling.filter(|s| fits(&s.input, inputs) && fits(&s.output, outputs));
        self.scaling = taken.map(Box::new);
    }

    /// What training remembers, to be lent and taken back.
    pub fn memory(&mut self) -> Memory<'_, T> {
        let state = &mut self.state;
        Memory {
            slopes: &mut state.slopes,
            prev_steps: &mut state.prev_steps,
            prev_slopes: &mut state.prev_slopes,
            deltas: &mut state.deltas,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_network_wired_alike_computes_alike() {
        let random = Random::seeded(3);
        for (mut network, sizes) in [
            (Network::standard_with(&[3, 4, 2], random).unwrap(), vec![4, 5, 3]),
            (Network::sparse_with(0.5, &[3, 4, 2], random).unwrap(), vec![4, 5, 3]),
            (Network::shortcut_with(&[3, 2, 1], random).unwrap(), vec![4, 2, 1]),
        ] {
            let (kind, rate) = (network.network_type(), network.connection_rate());
            let mut counts = vec![0; network.layout.neurons];
            network.connections().for_each(|connection| counts[connection.to] += 1);
            let sources = network.connections().map(|connection| connection.from as u32).collect();
            let mut twin = Network::<f32>::wired(kind, rate, sizes, counts, sources).unwrap();
            twin.weights_mut().copy_from_slice(network.weights());
            twin.set_kinds(network.functions().iter().copied().zip(network.steepnesses().to_vec()));
            let input = [0.5, -0.25, 1.0];
            assert_eq!(network.run(&input).unwrap(), twin.run(&input).unwrap());
            assert_eq!(network.layout.wiring, twin.layout.wiring);
        }
    }

    #[test]
    fn connections_from_later_layers_are_refused() {
        let wired = |counts: &[u32], sources: &[u32]| {
            let (counts, sources) = (counts.to_vec(), sources.to_vec());
            Network::<f32>::wired(NetworkType::Layer, 1.0, vec![2, 2], counts, sources).is_ok()
        };
        assert!(wired(&[0, 0, 2, 0], &[0, 1]));
        assert!(!wired(&[0, 0, 2, 0], &[0, 2]));
        assert!(!wired(&[0, 0, 2], &[0, 1]));
        assert!(!wired(&[0, 0, 3, 0], &[0, 1]));
        assert!(!wired(&[0, 1, 1, 0], &[0, 1]));
    }
}
