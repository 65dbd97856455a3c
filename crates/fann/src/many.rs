//! Many networks at once: ensembles and sweeps.
//!
//! Networks of the same shape and settings are trained sixteen at a time, one in each lane of the vectors, and threads
//! share the groups. A network learns what it learns in a crowd of any size and on any number of threads. Networks
//! that have no like, are sparse, or use SARPROP are trained one by one.

use crate::data::Samples;
use crate::error::Result;
use crate::layout::{Layer, Wiring};
use crate::network::Network;
use crate::parameters::{Algorithm, StopFunction};
use crate::real::{Block, LANES, Real};
use crate::training::{Tally, Weights, first_step, half_if_symmetric, rules};
use std::sync::Mutex;
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_threads::Pool;

impl<T: Real> Network<T> {
    /// Trains each of the networks on the same data until its error is as small as desired or `max_epochs` are over.
    /// Returns the epochs each took.
    ///
    /// # Errors
    /// Data do not fit a network, or there is no memory.
    pub fn train_many<'a>(
        networks: &mut [Network<T>],
        data: impl Into<Samples<'a, T>>,
        max_epochs: u32,
        desired_error: f32,
        pool: &Pool,
    ) -> Result<Vec<u32>> {
        let samples = data.into();
        networks.iter().try_for_each(|network| network.check(samples))?;
        let order = alike(networks);
        let mut groups: Vec<Vec<(usize, &mut Network<T>)>> = Vec::new();
        let mut places: Vec<Option<&mut Network<T>>> = networks.iter_mut().map(Some).collect();
        for indices in &order {
            let members = indices.iter().filter_map(|i| Some((*i, places[*i].take()?)));
            groups.push(members.collect());
        }
        let groups: Vec<_> = groups.into_iter().map(Mutex::new).collect();
        let done: Vec<Mutex<Taken>> = groups.iter().map(|_| Mutex::new(Ok(Vec::new()))).collect();
        pool.pieces(groups.len(), |i| {
            let (Ok(mut group), Ok(mut done)) = (groups[i].lock(), done[i].lock()) else { return };
            *done = train_group(&mut group, samples, max_epochs, desired_error);
        });
        let mut epochs = vec![0; order.iter().map(Vec::len).sum()];
        for result in done.into_iter().filter_map(|done| done.into_inner().ok()) {
            for (index, taken) in result? {
                epochs[index] = taken;
            }
        }
        Ok(epochs)
    }
}

/// The epochs that networks of these numbers took.
type Taken = Result<Vec<(usize, u32)>>;

/// Networks that can share vectors, up to sixteen together, in their order.
fn alike<T: Real>(networks: &[Network<T>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, network) in networks.iter().enumerate() {
        let open = groups.iter_mut().rev().take(64);
        let mut open = open.filter(|group| group.len() < LANES);
        match open.find(|group| fits(&networks[group[0]], network)) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

fn fits<T: Real>(a: &Network<T>, b: &Network<T>) -> bool {
    a.layout.wiring == Wiring::Full
        && b.layout.wiring == Wiring::Full
        && a.layout.layers == b.layout.layers
        && a.functions == b.functions
        && a.steepness() == b.steepness()
        && a.training == b.training
        && a.training.training_algorithm != Algorithm::Sarprop
        && a.training.learning_momentum == 0.0
}

fn train_group<T: Real>(
    group: &mut [(usize, &mut Network<T>)],
    samples: Samples<'_, T>,
    max_epochs: u32,
    desired_error: f32,
) -> Taken {
    if let [(index, network)] = group
        && !fits(network, network)
    {
        return Ok(vec![(*index, network.train_on_data(samples, max_epochs, desired_error)?)]);
    }
    let mut crowd = Crowd::of(group);
    let mut taken: Vec<(usize, u32)> = group.iter().map(|(i, _)| (*i, 0)).collect();
    let mut left: Vec<usize> = (0..group.len()).collect();
    for epoch in 1..=max_epochs {
        crowd.epoch(group[0].1, samples);
        left.retain(|&lane| {
            taken[lane].1 = epoch;
            let tally = crowd.tallies.lane(lane);
            let reached = match group[lane].1.training.train_stop_function {
                StopFunction::Mse => tally.mse() <= desired_error,
                StopFunction::Bit => tally.bit_fail <= desired_error as u32,
            };
            if reached {
                crowd.give_back(lane, group[lane].1);
            }
            !reached
        });
        if left.is_empty() {
            return Ok(taken);
        }
    }
    for lane in left {
        crowd.give_back(lane, group[lane].1);
    }
    Ok(taken)
}

/// Errors of all lanes.
#[derive(Default)]
struct Tallies {
    squares: Block<f32>,
    bit_fail: [u32; LANES],
    count: u32,
}

impl Tallies {
    fn lane(&self, lane: usize) -> Tally {
        let (squares, bit_fail) = (self.squares[lane], self.bit_fail[lane]);
        Tally { squares, bit_fail, count: self.count }
    }
}

/// The numbers of up to sixteen networks, lane beside lane.
struct Crowd<T> {
    weights: Vec<Block<T>>,
    slopes: Vec<Block<T>>,
    prev_steps: Vec<Block<T>>,
    prev_slopes: Vec<Block<T>>,
    values: Vec<Block<T>>,
    sums: Vec<Block<T>>,
    errors: Vec<Block<T>>,
    tallies: Tallies,
}

impl<T: Real> Crowd<T> {
    fn of(group: &[(usize, &mut Network<T>)]) -> Crowd<T> {
        let (connections, neurons) = (group[0].1.layout.connections, group[0].1.layout.neurons);
        let gather = |part: fn(&Network<T>) -> &[T], fill: T| {
            let mut blocks = vec![[fill; LANES]; connections];
            for (lane, (_, network)) in group.iter().enumerate() {
                for (block, number) in blocks.iter_mut().zip(part(network)) {
                    block[lane] = *number;
                }
            }
            blocks
        };
        let zeros = || vec![[T::ZERO; LANES]; neurons];
        let step = first_step(&group[0].1.training);
        Crowd {
            weights: gather(|network| network.weights(), T::ZERO),
            slopes: gather(|network| &network.state.slopes, T::ZERO),
            prev_steps: gather(|network| &network.state.prev_steps, step),
            prev_slopes: gather(|network| &network.state.prev_slopes, T::ZERO),
            values: vec![[T::ONE; LANES]; neurons],
            sums: zeros(),
            errors: zeros(),
            tallies: Tallies::default(),
        }
    }

    /// Takes a lane's numbers back into its network.
    fn give_back(&self, lane: usize, network: &mut Network<T>) {
        let lane_of = |blocks: &[Block<T>]| blocks.iter().map(|block| block[lane]).collect();
        for (weight, block) in network.weights_mut().iter_mut().zip(&self.weights) {
            *weight = block[lane];
        }
        if !matches!(network.training.training_algorithm, Algorithm::Incremental | Algorithm::Batch)
        {
            network.state.slopes = lane_of(&self.slopes);
            network.state.prev_steps = lane_of(&self.prev_steps);
            network.state.prev_slopes = lane_of(&self.prev_slopes);
        }
        network.tally = self.tallies.lane(lane);
    }

    fn epoch(&mut self, network: &Network<T>, samples: Samples<'_, T>) {
        self.tallies = Tallies::default();
        run(Epoch { crowd: self, network, samples });
        let weights = self.weights.as_flattened_mut();
        let slopes = self.slopes.as_flattened_mut();
        let prev_steps = self.prev_steps.as_flattened_mut();
        let prev_slopes = self.prev_slopes.as_flattened_mut();
        let (training, len) = (&network.training, samples.len());
        match training.training_algorithm {
            Algorithm::Batch => rules::batch(training, len, weights, slopes),
            Algorithm::Rprop => {
                rules::rprop(training, Weights { weights, slopes, prev_steps, prev_slopes });
            }
            Algorithm::Quickprop => {
                rules::quickprop(
                    training,
                    len,
                    Weights { weights, slopes, prev_steps, prev_slopes },
                );
            }
            // Its weights have followed every sample; SARPROP is trained one by one.
            Algorithm::Incremental | Algorithm::Sarprop => {}
        }
    }
}

/// All samples once, through all lanes.
struct Epoch<'a, T: Real> {
    crowd: &'a mut Crowd<T>,
    network: &'a Network<T>,
    samples: Samples<'a, T>,
}

impl<T: Real> Kernel for Epoch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for row in 0..self.samples.len() {
            for (value, x) in self.crowd.values.iter_mut().zip(self.samples.input(row)) {
                *value = [*x; LANES];
            }
            self.forward(s);
            self.judge(s, self.samples.output(row));
            self.backward(s);
        }
        self.crowd.tallies.count = (self.samples.len() * self.samples.num_output()) as u32;
    }
}

impl<T: Real> Epoch<'_, T> {
    #[inline(always)]
    fn forward<S: Simd>(&mut self, s: S) {
        let network = self.network;
        for layer in &network.layout.layers[1..] {
            for (j, neuron) in (layer.first..layer.first + layer.computed).enumerate() {
                let (before, after) = self.crowd.values.split_at_mut(neuron);
                let sources = &before[layer.first_source..][..layer.sources];
                let weights = &self.crowd.weights[layer.first_weight + j * layer.sources..];
                let weights = &weights[..layer.sources];
                let sum = &mut self.crowd.sums[neuron];
                T::combine_lanes(s, weights.as_flattened(), sources.as_flattened(), sum);
                let kind = (network.functions[neuron], network.steepness()[neuron]);
                T::activate(s, kind, sum, &mut after[0]);
            }
        }
    }

    #[inline(always)]
    fn judge<S: Simd>(&mut self, s: S, wanted: &[T]) {
        let (network, crowd) = (self.network, &mut *self.crowd);
        let first = network.layout.output().first;
        let limit = network.training.bit_fail_limit;
        for (neuron, wanted) in (first..).zip(wanted) {
            let function = network.functions[neuron];
            let scale: T = half_if_symmetric(function);
            let (values, errors) = (&crowd.values[neuron], &mut crowd.errors[neuron]);
            for lane in 0..LANES {
                errors[lane] = (*wanted - values[lane]) * scale;
            }
            for (sum, error) in crowd.tallies.squares.iter_mut().zip(errors.iter()) {
                *sum += (*error * *error).f32();
            }
            for (failed, error) in crowd.tallies.bit_fail.iter_mut().zip(errors.iter()) {
                *failed += u32::from(error.abs() >= limit);
            }
            let kind = (function, network.steepness()[neuron]);
            let measure = network.training.train_error_function;
            T::judge(s, measure, kind, values, &crowd.sums[neuron], errors);
        }
    }

    /// Passes errors back; slopes or, in incremental training, the weights follow them.
    #[inline(always)]
    fn backward<S: Simd>(&mut self, s: S) {
        let network = self.network;
        let layers = &network.layout.layers;
        self.crowd.errors[..network.layout.output().first].fill([T::ZERO; LANES]);
        for (i, layer) in layers.iter().enumerate().skip(1).rev() {
            self.layer_back(s, layer, i > 1);
            if i > 1 {
                let previous = &layers[i - 1];
                for neuron in previous.first..previous.first + previous.computed {
                    let (values, sums) = (&self.crowd.values[neuron], &self.crowd.sums[neuron]);
                    let kind = (network.functions[neuron], network.steepness()[neuron]);
                    T::derive(s, kind, values, sums, &mut self.crowd.errors[neuron]);
                }
            }
        }
    }

    #[inline(always)]
    fn layer_back<S: Simd>(&mut self, s: S, layer: &Layer, passes_on: bool) {
        let training = &self.network.training;
        let follows = training.training_algorithm == Algorithm::Incremental;
        let rate = T::of_f32(training.learning_rate);
        for j in 0..layer.computed {
            let (before, after) = self.crowd.errors.split_at_mut(layer.first);
            let row = layer.first_weight + j * layer.sources
                ..layer.first_weight + (j + 1) * layer.sources;
            let sources = layer.first_source..layer.first_source + layer.sources;
            let mut error = after[j];
            if passes_on {
                let weights = self.crowd.weights[row.clone()].as_flattened();
                let before = before[sources.clone()].as_flattened_mut();
                T::spread_lanes(s, &error, weights, before);
            }
            let values = self.crowd.values[sources].as_flattened();
            if follows {
                for lane in &mut error {
                    *lane *= rate;
                }
                T::spread_lanes(s, &error, values, self.crowd.weights[row].as_flattened_mut());
            } else {
                T::spread_lanes(s, &error, values, self.crowd.slopes[row].as_flattened_mut());
            }
        }
    }
}
