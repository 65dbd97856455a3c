//! Many networks at once: ensembles and sweeps.
//!
//! Networks of the same shape and settings are trained together, one in each lane of the vectors: up to sixteen, or up
//! to [`WIDE`] where there are enough of them for all threads, which share the groups. A network learns what it learns
//! in a crowd of any size and on any number of threads. Networks that are sparse or use SARPROP or momentum, and all of
//! them on data with more outputs than floats can count, are trained one by one. `crowd` holds the numbers of a group,
//! `epoch` is how they learn.

mod crowd;
mod epoch;

use crate::data::Samples;
use crate::error::Result;
use crate::layout::Wiring;
use crate::network::Network;
use crate::parameters::Algorithm;
use crate::real::{LANES, Real};
use crowd::{COUNTABLE, Crowd};
use std::sync::Mutex;
use whimbrel_threads::Pool;

/// Networks of a large group, if they are [`SMALL`]: what a layer costs apart from its arithmetic is shared by several
/// vectors.
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
        let most = if is_countable(samples) { share.clamp(LANES, WIDE) } else { 1 };
        let mut epochs = vec![0; networks.len()];
        let groups: Vec<_> = alike(networks, most)
            .into_iter()
            .map(|group| Mutex::new((group, Ok(Vec::new()))))
            .collect();
        pool.pieces(groups.len(), |i| {
            let Ok(mut place) = groups[i].lock() else { return };
            let (group, taken) = &mut *place;
            *taken = train_group(group, samples, max_epochs, desired_error);
        });
        for (group, taken) in groups.into_iter().filter_map(|group| group.into_inner().ok()) {
            for ((index, _), taken) in group.iter().zip(taken?) {
                epochs[*index] = taken;
            }
        }
        Ok(epochs)
    }
}

/// Networks that learn together, with their numbers.
type Group<'a, T> = Vec<(usize, &'a mut Network<T>)>;

/// The epochs that each network of a group took.
type Taken = Result<Vec<u32>>;

/// Whether a crowd can count the failed bits of an epoch.
fn is_countable<T: Real>(samples: Samples<'_, T>) -> bool {
    samples.len().saturating_mul(samples.num_output()) < COUNTABLE
}

/// Networks that can share vectors, up to `most` together, in their order.
fn alike<T: Real>(networks: &mut [Network<T>], most: usize) -> Vec<Group<'_, T>> {
    let mut groups: Vec<Group<'_, T>> = Vec::new();
    for (i, network) in networks.iter_mut().enumerate() {
        let most = if network.layout.connections <= SMALL { most } else { most.min(LANES) };
        let open = groups.iter_mut().rev().take(64);
        let mut open = open.filter(|group| group.len() < most);
        match open.find(|group| fits(group[0].1, network)) {
            Some(group) => group.push((i, network)),
            None => {
                let mut group = Vec::with_capacity(most);
                group.push((i, network));
                groups.push(group);
            }
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
    if let [(_, network)] = group
        && !(fits(network, network) && is_countable(samples))
    {
        return Ok(vec![network.train_on_data(samples, max_epochs, desired_error)?]);
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
    let mut crowd = Crowd::<T, W, R>::of(group, desired_error)?;
    let mut taken = vec![max_epochs; group.len()];
    let mut left: Vec<usize> = (0..group.len()).collect();
    if max_epochs == 0 {
        return Ok(taken);
    }
    for epoch in 1..=max_epochs {
        // Hardly any epoch is the last of a network.
        if !crowd.epoch(group[0].1, samples) {
            continue;
        }
        let mut going_on = Vec::with_capacity(left.len());
        for lane in left {
            let network = &mut *group[lane].1;
            network.tally = crowd.errors.lane(lane);
            if network.desired_error_reached(desired_error) {
                taken[lane] = epoch;
                crowd.give_back(lane, network)?;
            } else {
                going_on.push(lane);
            }
        }
        left = going_on;
        if left.is_empty() {
            return Ok(taken);
        }
    }
    for lane in left {
        group[lane].1.tally = crowd.errors.lane(lane);
        crowd.give_back(lane, group[lane].1)?;
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::data::TrainData;
    use crate::layout::Layout;
    use crate::parameters::NetworkType;

    /// Networks with a layer that is its bias alone, neurons of the one before it being of two kinds where said.
    fn interrupted<T: Real>(has_two_kinds: bool) -> Vec<Network<T>> {
        let layout = Layout::full(NetworkType::Layer, &[3, 4, 1, 2]).unwrap();
        let mut network = Network::<T>::of(layout, 1.0).unwrap();
        if has_two_kinds {
            network.set_activation_function(Activation::Elliot, 1, 1).unwrap();
        }
        vec![network; 20]
    }

    fn check_interrupted<T: Real>() {
        let (x, y) = (T::of(0.3), T::of(0.9));
        let data = TrainData::from_rows(&[(&[x, y], &[y]), (&[y, x], &[x])]).unwrap();
        for has_two_kinds in [false, true] {
            let mut crowd = interrupted::<T>(has_two_kinds);
            let mut alone = crowd[0].clone();
            Network::train_many(&mut crowd, &data, 5, 0.0, &Pool::new(1)).unwrap();
            alone.train_on_data(&data, 5, 0.0).unwrap();
            for (a, b) in alone.weights().iter().zip(crowd[19].weights()) {
                assert!((a.f64() - b.f64()).abs() < 1e-5, "{has_two_kinds}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_layer_that_is_its_bias_alone_stops_no_crowd() {
        check_interrupted::<f32>();
        check_interrupted::<f64>();
    }

    #[test]
    fn no_epoch_changes_nothing() {
        let rows: [(&[f32], &[f32]); 1] = [(&[0.1, 0.2], &[0.3])];
        let data = TrainData::from_rows(&rows).unwrap();
        let mut networks = vec![Network::<f32>::standard(&[2, 3, 1]).unwrap(); 3];
        networks[1].train_epoch(&data).unwrap();
        let before = networks.clone();
        let taken = Network::train_many(&mut networks, &data, 0, 0.0, &Pool::new(1)).unwrap();
        assert_eq!(taken, [0; 3]);
        for (network, before) in networks.iter().zip(&before) {
            assert_eq!(network.weights(), before.weights());
            assert_eq!(network.mse(), before.mse());
            assert_eq!(network.state.prev_steps, before.state.prev_steps);
        }
    }
}
