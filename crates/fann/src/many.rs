//! Many networks at once: ensembles and sweeps.
//!
//! Networks of the same shape and settings are trained together, one in each lane of the vectors: up to sixteen, or up
//! to [`WIDE`] where there are enough of them for all threads, which share the groups. A network learns what it learns
//! in a crowd of any size and on any number of threads. Networks that have no like, are sparse, or use SARPROP are
//! trained one by one.

use crate::data::Samples;
use crate::error::{Error, Result};
use crate::layout::{Layer, Wiring};
use crate::network::Network;
use crate::parameters::{Algorithm, NetworkType, StopFunction};
use crate::real::{LANES, Real, aligned};
use crate::training::{Tally, Weights, first_step, grow, half_if_symmetric, rules};
use std::sync::Mutex;
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_threads::Pool;

/// Networks of a large group: what a layer costs apart from its arithmetic is shared by several vectors.
const WIDE: usize = 2 * LANES;
/// Samples that go through a group together where weights do not follow each.
const ROWS: usize = 4;
/// Connections up to which a large group stays in the caches.
const SMALL: usize = 512;

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
        let share = networks.len().div_ceil(pool.size().max(1)).next_multiple_of(LANES);
        let order = alike(networks, share.clamp(LANES, WIDE));
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

/// Networks that can share vectors, up to `most` together, in their order.
fn alike<T: Real>(networks: &[Network<T>], most: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, network) in networks.iter().enumerate() {
        let most = if network.layout.connections <= SMALL { most } else { LANES };
        let open = groups.iter_mut().rev().take(64);
        let mut open = open.filter(|group| group.len() < most);
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
    let is_incremental = group[0].1.training.training_algorithm == Algorithm::Incremental;
    let train = match (is_incremental, group.len() <= LANES) {
        (true, true) => train_crowd::<T, LANES, 1>,
        (true, false) => train_crowd::<T, WIDE, 1>,
        (false, true) => train_crowd::<T, LANES, ROWS>,
        (false, false) => train_crowd::<T, WIDE, ROWS>,
    };
    train(group, samples, max_epochs, desired_error)
}

fn train_crowd<T: Real, const W: usize, const R: usize>(
    group: &mut [(usize, &mut Network<T>)],
    samples: Samples<'_, T>,
    max_epochs: u32,
    desired_error: f32,
) -> Taken {
    let mut crowd = Crowd::<T, W, R>::of(group)?;
    let mut taken: Vec<(usize, u32)> = group.iter().map(|(i, _)| (*i, max_epochs)).collect();
    let mut left: Vec<usize> = (0..group.len()).collect();
    let stop = group.first().map(|(_, network)| network.training.train_stop_function);
    for epoch in 1..=max_epochs {
        crowd.epoch(group[0].1, samples);
        let reached = match stop {
            Some(StopFunction::Bit) => crowd.errors.with_few_failed(desired_error as u32),
            _ => crowd.errors.with_small_mse(desired_error),
        };
        // Hardly any epoch is the last of a network.
        if !reached.contains(&true) {
            continue;
        }
        left.retain(|&lane| {
            if reached[lane] {
                taken[lane].1 = epoch;
                crowd.give_back(lane, group[lane].1);
            }
            !reached[lane]
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
struct Errors<const W: usize> {
    squares: [f32; W],
    bit_fail: [u32; W],
    count: u32,
}

impl<const W: usize> Errors<W> {
    const NONE: Errors<W> = Errors { squares: [0.0; W], bit_fail: [0; W], count: 0 };

    fn lane(&self, lane: usize) -> Tally {
        let (squares, bit_fail) = (self.squares[lane], self.bit_fail[lane]);
        Tally { squares, bit_fail, count: self.count }
    }

    /// The lanes whose mean square error is at most this.
    fn with_small_mse(&self, most: f32) -> [bool; W] {
        let count = self.count.max(1) as f32;
        self.squares.map(|squares| squares / count <= most)
    }

    /// The lanes with at most so many failed bits.
    fn with_few_failed(&self, most: u32) -> [bool; W] {
        self.bit_fail.map(|failed| failed <= most)
    }
}

/// The numbers of up to `W` networks, lane beside lane, with room for `R` samples on their way.
struct Crowd<T, const W: usize, const R: usize> {
    room: Vec<T>,
    connections: usize,
    neurons: usize,
    errors: Errors<W>,
}

/// The parts of a crowd's room, of which each connection or neuron has `W` lanes.
struct Parts<'a, T, const W: usize, const R: usize> {
    weights: &'a mut [[T; W]],
    slopes: &'a mut [[T; W]],
    prev_steps: &'a mut [[T; W]],
    prev_slopes: &'a mut [[T; W]],
    values: &'a mut [[[T; W]; R]],
    sums: &'a mut [[[T; W]; R]],
    errors: &'a mut [[[T; W]; R]],
}

impl<T: Real, const W: usize, const R: usize> Crowd<T, W, R> {
    fn of(group: &[(usize, &mut Network<T>)]) -> Result<Crowd<T, W, R>> {
        let (connections, neurons) = (group[0].1.layout.connections, group[0].1.layout.neurons);
        let len = (4 * connections + 3 * R * neurons).checked_mul(W);
        let len = len.and_then(|n| n.checked_add(LANES));
        let mut room = Vec::new();
        grow(&mut room, len.ok_or(Error::CantAllocateMem)?, T::ZERO)?;
        let mut crowd = Crowd { room, connections, neurons, errors: Errors::NONE };
        let (parts, _) = crowd.parts();
        parts.values.fill([[T::ONE; W]; R]);
        parts.prev_steps.fill([first_step(&group[0].1.training); W]);
        for (lane, (_, network)) in group.iter().enumerate() {
            let state = &network.state;
            for (part, numbers) in [
                (&mut *parts.weights, network.weights()),
                (&mut *parts.slopes, &state.slopes),
                (&mut *parts.prev_steps, &state.prev_steps),
                (&mut *parts.prev_slopes, &state.prev_slopes),
            ] {
                for (lanes, number) in part.iter_mut().zip(numbers) {
                    lanes[lane] = *number;
                }
            }
        }
        Ok(crowd)
    }

    #[inline(always)]
    fn parts(&mut self) -> (Parts<'_, T, W, R>, &mut Errors<W>) {
        let (all, _) = aligned(&mut self.room).as_chunks_mut::<W>();
        let (weights, all) = all.split_at_mut(self.connections);
        let (slopes, all) = all.split_at_mut(self.connections);
        let (prev_steps, all) = all.split_at_mut(self.connections);
        let (prev_slopes, all) = all.split_at_mut(self.connections);
        let (all, _) = all.as_chunks_mut::<R>();
        let (values, all) = all.split_at_mut(self.neurons);
        let (sums, errors) = all.split_at_mut(self.neurons);
        let parts = Parts { weights, slopes, prev_steps, prev_slopes, values, sums, errors };
        (parts, &mut self.errors)
    }

    /// Takes a lane's numbers back into its network.
    fn give_back(&mut self, lane: usize, network: &mut Network<T>) {
        let (parts, errors) = self.parts();
        network.tally = errors.lane(lane);
        let lane_of = |part: &[[T; W]]| part.iter().map(|lanes| lanes[lane]).collect();
        for (weight, lanes) in network.weights_mut().iter_mut().zip(&*parts.weights) {
            *weight = lanes[lane];
        }
        if !matches!(network.training.training_algorithm, Algorithm::Incremental | Algorithm::Batch)
        {
            network.state.slopes = lane_of(parts.slopes);
            network.state.prev_steps = lane_of(parts.prev_steps);
            network.state.prev_slopes = lane_of(parts.prev_slopes);
        }
    }

    fn epoch(&mut self, network: &Network<T>, samples: Samples<'_, T>) {
        let (mut parts, counted) = self.parts();
        *counted = Errors::NONE;
        run(Epoch { parts: &mut parts, counted, network, samples });
        let (weights, slopes) = (parts.weights.as_flattened_mut(), parts.slopes.as_flattened_mut());
        let prev_steps = parts.prev_steps.as_flattened_mut();
        let prev_slopes = parts.prev_slopes.as_flattened_mut();
        let (training, len) = (&network.training, samples.len());
        if training.training_algorithm == Algorithm::Batch {
            return rules::batch(training, len, weights, slopes);
        }
        let weights = Weights { weights, slopes, prev_steps, prev_slopes };
        match training.training_algorithm {
            Algorithm::Rprop => rules::rprop(training, weights),
            Algorithm::Quickprop => rules::quickprop(training, len, weights),
            // Weights have followed every sample; SARPROP is trained one by one.
            Algorithm::Incremental | Algorithm::Batch | Algorithm::Sarprop => {}
        }
    }
}

/// All samples once, through all lanes.
struct Epoch<'a, 'p, T: Real, const W: usize, const R: usize> {
    parts: &'a mut Parts<'p, T, W, R>,
    counted: &'a mut Errors<W>,
    network: &'a Network<T>,
    samples: Samples<'a, T>,
}

impl<T: Real, const W: usize, const R: usize> Kernel for Epoch<'_, '_, T, W, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        for row in (0..self.samples.len()).step_by(R) {
            self.load(row);
            self.forward(s);
            self.judge(s, row);
            self.backward(s, row > 0);
        }
        self.counted.count = (self.samples.len() * self.samples.num_output()) as u32;
    }
}

impl<T: Real, const W: usize, const R: usize> Epoch<'_, '_, T, W, R> {
    /// Takes samples from `row` on; where there are none, whatever was there before stays.
    #[inline(always)]
    fn load(&mut self, row: usize) {
        for r in 0..R.min(self.samples.len() - row) {
            for (value, x) in self.parts.values.iter_mut().zip(self.samples.input(row + r)) {
                value[r] = [*x; W];
            }
        }
    }

    #[inline(always)]
    fn forward<S: Simd>(&mut self, s: S) {
        let network = self.network;
        for layer in &network.layout.layers[1..] {
            let (before, own) = self.parts.values.split_at_mut(layer.first);
            let sources = &before[layer.first_source..][..layer.sources];
            let sums = &mut self.parts.sums[layer.neurons()];
            T::weigh_lanes(s, &self.parts.weights[layer.weights()], sources, sums);
            let own = &mut own[..layer.computed];
            let mut at = 0;
            while at < layer.computed {
                let range = at..at + layer.alike();
                let values = own[range.clone()].as_flattened_mut().as_flattened_mut();
                let sums = sums[range].as_flattened_mut().as_flattened_mut();
                T::activate_to_learn(s, network.kind(layer.first + at), sums, values);
                at += layer.alike();
            }
        }
    }

    /// Sets the errors of the outputs, 0 where there is no sample, and counts them.
    #[inline(always)]
    fn judge<S: Simd>(&mut self, s: S, row: usize) {
        let (network, parts, counted) = (self.network, &mut self.parts, &mut self.counted);
        let first = network.layout.output().first;
        let limit = network.training.bit_fail_limit;
        let rows = R.min(self.samples.len() - row);
        for (k, neuron) in (0..self.samples.num_output()).zip(first..) {
            let kind = network.kind(neuron);
            let scale: T = half_if_symmetric(kind.0);
            let (values, errors) = (&parts.values[neuron], &mut parts.errors[neuron]);
            errors[rows..].fill([T::ZERO; W]);
            for r in 0..rows {
                let wanted = self.samples.output(row + r)[k];
                for lane in 0..W {
                    let error = (wanted - values[r][lane]) * scale;
                    errors[r][lane] = error;
                    counted.squares[lane] += (error * error).f32();
                    counted.bit_fail[lane] += u32::from(error.abs() >= limit);
                }
            }
            let measure = network.training.train_error_function;
            let (values, sums) = (values.as_flattened(), parts.sums[neuron].as_flattened());
            T::judge(s, measure, kind, values, sums, errors.as_flattened_mut());
        }
    }

    /// Passes errors back; slopes or, in incremental training, the weights follow them.
    #[inline(always)]
    fn backward<S: Simd>(&mut self, s: S, adds: bool) {
        let network = self.network;
        let layers = &network.layout.layers;
        for (i, layer) in layers.iter().enumerate().skip(2).rev() {
            self.spread_errors(s, layer, i + 1 == layers.len());
            let before = layers[i - 1].neurons();
            let mut at = before.start;
            while at < before.end {
                let range = at..at + layers[i - 1].alike();
                let values = self.parts.values[range.clone()].as_flattened().as_flattened();
                let sums = self.parts.sums[range.clone()].as_flattened().as_flattened();
                let errors = self.parts.errors[range].as_flattened_mut().as_flattened_mut();
                T::derive(s, network.kind(at), values, sums, errors);
                at += layers[i - 1].alike();
            }
        }
        for layer in &layers[1..] {
            self.follow(s, layer, adds);
        }
    }

    /// Passes the errors of a layer to the hidden neurons it takes, of which those of the layer before have none yet,
    /// and in front of the outputs none has.
    #[inline(always)]
    fn spread_errors<S: Simd>(&mut self, s: S, layer: &Layer, is_output: bool) {
        let layout = &self.network.layout;
        let first = layer.first_source.max(layout.layers[0].end());
        let (before, own) = self.parts.errors.split_at_mut(layer.first);
        let rows = self.parts.weights[layer.weights()].chunks_exact(layer.sources);
        let is_first = is_output || layout.network_type == NetworkType::Layer;
        for (j, (error, row)) in own.iter().zip(rows).enumerate() {
            let row = &row[first - layer.first_source..];
            T::spread_lanes(s, error, row, &mut before[first..], j > 0 || !is_first);
        }
    }

    /// Lets slopes, which are added to or begun, or weights of a layer follow its errors.
    #[inline(always)]
    fn follow<S: Simd>(&mut self, s: S, layer: &Layer, adds: bool) {
        let training = &self.network.training;
        let rate = T::of_f32(training.learning_rate);
        let sources = &self.parts.values[layer.first_source..][..layer.sources];
        let follows = training.training_algorithm == Algorithm::Incremental;
        let target = if follows { &mut *self.parts.weights } else { &mut *self.parts.slopes };
        let rows = target[layer.weights()].chunks_exact_mut(layer.sources);
        for (row, error) in rows.zip(&mut self.parts.errors[layer.neurons()]) {
            if follows {
                error.as_flattened_mut().iter_mut().for_each(|lane| *lane *= rate);
            }
            T::follow_lanes(s, error, sources, row, adds || follows);
        }
    }
}
