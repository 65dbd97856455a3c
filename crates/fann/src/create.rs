//! How networks are made: standard, sparse and shortcut.

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::network::Network;
use crate::parameters::NetworkType;
use crate::random::Random;
use crate::real::Real;

/// The magnitude of fresh weights.
const FRESH: f32 = 0.1;

impl<T: Real> Network<T> {
    /// A network whose layers, of these sizes, are fully connected to the next, with random weights.
    ///
    /// # Errors
    /// Fewer than two layers, a layer without neurons, or no memory.
    pub fn standard(layers: &[usize]) -> Result<Network<T>> {
        Network::standard_with(layers, Random::arbitrary())
    }

    /// [`Network::standard`] with given random numbers.
    ///
    /// # Errors
    /// As [`Network::standard`].
    pub fn standard_with(layers: &[usize], random: Random) -> Result<Network<T>> {
        let layout = Layout::full(NetworkType::Layer, &biased(layers, true)?)?;
        let mut network = Network::of(layout, 1.0)?;
        network.random = random;
        network.randomize_weights(T::of_f32(-FRESH), T::of_f32(FRESH));
        Ok(network)
    }

    /// A network in which every layer is connected to all that follow, with random weights.
    ///
    /// # Errors
    /// Fewer than two layers, a layer without neurons, or no memory.
    pub fn shortcut(layers: &[usize]) -> Result<Network<T>> {
        Network::shortcut_with(layers, Random::arbitrary())
    }

    /// [`Network::shortcut`] with given random numbers.
    ///
    /// # Errors
    /// As [`Network::shortcut`].
    pub fn shortcut_with(layers: &[usize], random: Random) -> Result<Network<T>> {
        let layout = Layout::full(NetworkType::Shortcut, &biased(layers, false)?)?;
        let mut network = Network::of(layout, 1.0)?;
        network.random = random;
        network.randomize_weights(T::of_f32(-FRESH), T::of_f32(FRESH));
        Ok(network)
    }

    /// A network with only this part of the connections between a layer and the next, chosen at random such that no
    /// neuron goes without. A rate of 1 and more is a standard network.
    ///
    /// # Errors
    /// Fewer than two layers, a layer without neurons, a negative number of connections, or no memory.
    pub fn sparse(connection_rate: f32, layers: &[usize]) -> Result<Network<T>> {
        Network::sparse_with(connection_rate, layers, Random::arbitrary())
    }

    /// [`Network::sparse`] with given random numbers.
    ///
    /// # Errors
    /// As [`Network::sparse`].
    pub fn sparse_with(
        connection_rate: f32,
        layers: &[usize],
        mut random: Random,
    ) -> Result<Network<T>> {
        if connection_rate >= 1.0 {
            return Network::standard_with(layers, random);
        }
        let sizes = biased(layers, true)?;
        let full = Layout::full(NetworkType::Layer, &sizes)?;
        let (mut starts, mut sources) = (vec![0u32; sizes[0]], Vec::new());
        for pair in full.layers.windows(2) {
            let rows = connect(connection_rate, pair[0].size - 1, pair[1].computed, &mut random)?;
            for row in rows {
                starts.push(sources.len() as u32);
                let bias = pair[0].size - 1;
                sources.extend(row.into_iter().map(|n| (pair[0].first + n.unwrap_or(bias)) as u32));
            }
            starts.push(sources.len() as u32);
        }
        starts.push(sources.len() as u32);
        let layout = Layout::listed(NetworkType::Layer, &sizes, starts, sources)?;
        let mut network = Network::of(layout, connection_rate)?;
        network.random = random;
        network.randomize_weights(T::of_f32(-FRESH), T::of_f32(FRESH));
        Ok(network)
    }
}

/// Layer sizes with the bias neurons counted.
fn biased(layers: &[usize], in_all: bool) -> Result<Vec<usize>> {
    let sizes = layers.iter().enumerate().map(|(i, size)| {
        let bias = usize::from(in_all || i == 0);
        size.checked_add(bias).filter(|_| *size > 0)
    });
    sizes.collect::<Option<_>>().ok_or(Error::CantAllocateMem)
}

/// The neurons that each of `outputs` takes of `inputs`; `None` is the bias, which all take first.
///
/// Every input goes somewhere; then neurons that have room left take what they do not have yet.
fn connect(
    rate: f32,
    inputs: usize,
    outputs: usize,
    random: &mut Random,
) -> Result<Vec<Vec<Option<usize>>>> {
    let all = inputs.checked_mul(outputs).ok_or(Error::CantAllocateMem)?;
    let wanted = 0.5 + f64::from(rate * all as f32);
    // Below that FANN asks for nearly all the memory there can be.
    if wanted.is_nan() || wanted <= -1.0 {
        return Err(Error::CantAllocateMem);
    }
    let total = (wanted as usize).max(inputs).max(outputs) + outputs;
    let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
    let mut handed = 0;
    let room: Vec<usize> = (1..=outputs)
        .map(|i| {
            let here = total * i / outputs - handed;
            handed += here;
            here
        })
        .collect();
    rows.resize(outputs, vec![None]);
    for input in 0..inputs {
        let open: Vec<usize> = (0..outputs).filter(|o| rows[*o].len() < room[*o]).collect();
        // There is room for every input: the total is at least inputs plus biases.
        let Some(&at) = open.get(random.below(open.len().max(1))) else { break };
        rows[at].push(Some(input));
    }
    for (row, room) in rows.iter_mut().zip(room) {
        while row.len() < room.min(inputs + 1) {
            let input = Some(random.below(inputs));
            if !row.contains(&input) {
                row.push(input);
            }
        }
    }
    Ok(rows)
}
