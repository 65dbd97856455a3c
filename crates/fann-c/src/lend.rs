//! Whole epochs are computed by the fast networks of `whimbrel-fann`. A network of the same wiring is kept beside
//! `struct fann`; before an epoch it is lent the weights, settings and memory of the struct, and gives
//! them back before anybody can look at them. What cannot be lent, such as a network whose connections do not lead
//! forward, is computed on the struct itself.

use std::ffi::c_uint;

use whimbrel_fann::{Activation, Algorithm, Network, NetworkType, Samples};

use crate::allocate;
use crate::layout::{Ann, Real, TrainData, algorithm};
use crate::random::source;
use crate::view::{Parts, Rows, slice};

/// A network that computes for a `struct fann`.
pub(crate) struct Lent {
    network: Network<Real>,
    /// The wiring it was built for: the neurons of each layer, and of each connection where it comes from.
    sizes: Vec<usize>,
    sources: Vec<u32>,
    /// Rows of data that do not lie one after another, gathered.
    inputs: Vec<Real>,
    outputs: Vec<Real>,
}

impl Lent {
    /// A network wired as the struct is; nothing where the struct's wiring is none of a network.
    fn new(ann: &Ann) -> Option<Box<Lent>> {
        let layers = ann.layers();
        let sizes: Vec<usize> = (0..layers.count()).map(|l| layers.neurons(l).len()).collect();
        let mut end = 0;
        let (mut counts, mut sources) = (Vec::new(), Vec::new());
        for layer in 0..layers.count() {
            for neuron in layers.neurons(layer) {
                let connections = ann.neurons()[neuron].connections();
                if connections.start != end {
                    return None;
                }
                end = connections.end;
                counts.push(connections.len() as u32);
                sources.extend(ann.taken(layer, neuron).map(|from| from as u32));
            }
        }
        if end != ann.total_connections as usize {
            return None;
        }
        let (kind, rate) = (NetworkType::from_code(ann.network_type)?, ann.connection_rate);
        let network = Network::wired(kind, rate, sizes.clone(), counts, sources.clone()).ok()?;
        if ann.is_full() {
            // Then the sizes say everything.
            sources.clear();
        }
        Some(Box::new(Lent { network, sizes, sources, inputs: Vec::new(), outputs: Vec::new() }))
    }

    /// Whether the struct is still wired as it was.
    fn is_for(&self, ann: &Ann) -> bool {
        let layers = ann.layers();
        let same_sizes = layers.count() == self.sizes.len()
            && self.sizes.iter().enumerate().all(|(l, size)| layers.neurons(l).len() == *size);
        let count = ann.total_connections as usize;
        same_sizes
            && self.network.network_type().code() == ann.network_type
            && self.network.connection_rate() == ann.connection_rate
            && self.network.total_connections() == count
            && (ann.is_full()
                || ann.sources().of(0..count).zip(&self.sources).all(|(a, b)| a == *b as usize))
    }

    /// Takes over functions, settings, weights and memory; nothing where the struct has numbers that FANN does not
    /// know.
    fn take(&mut self, ann: &mut Ann, algorithm: c_uint) -> Option<()> {
        ann.training(&mut self.network.training)?;
        self.network.training.training_algorithm = Algorithm::from_code(algorithm)?;
        self.network.set_random(source());
        let count = ann.total_connections as usize;
        let neurons = &ann.neurons()[..ann.total_neurons as usize];
        let known = |code: c_uint| Activation::from_code(code);
        let kinds = self.network.functions().iter().zip(self.network.steepnesses());
        let same = neurons.iter().zip(kinds).all(|(neuron, (function, steepness))| {
            (neuron.activation_function, neuron.activation_steepness)
                == (function.code(), *steepness)
        });
        if !same {
            if neurons.iter().any(|neuron| known(neuron.activation_function).is_none()) {
                return None;
            }
            self.network.set_kinds(neurons.iter().map(|neuron| {
                (known(neuron.activation_function).unwrap_or_default(), neuron.activation_steepness)
            }));
        }
        let Parts { weights, slopes, previous_steps, previous_slopes, deltas, .. } = ann.parts();
        self.network.weights_mut().copy_from_slice(&weights[..count]);
        let memory = self.network.memory();
        for (to, from) in [
            (memory.slopes, &*slopes),
            (memory.prev_steps, &*previous_steps),
            (memory.prev_slopes, &*previous_slopes),
            (memory.deltas, &*deltas),
        ] {
            to.clear();
            to.extend_from_slice(from.get(..count).unwrap_or_default());
        }
        Some(())
    }

    /// Gives back what an epoch changes.
    fn give(&mut self, ann: &mut Ann, rows: usize) {
        ann.MSE_value = self.network.square_error();
        ann.num_bit_fail = self.network.bit_fail();
        ann.num_MSE = (rows * ann.num_output as usize) as c_uint;
        ann.sarprop_epoch = self.network.training.sarprop_epoch;
        let count = ann.total_connections as usize;
        let Parts { weights, slopes, previous_steps, previous_slopes, deltas, .. } = ann.parts();
        weights[..count].copy_from_slice(self.network.weights());
        let memory = self.network.memory();
        for (to, from) in [
            (slopes, memory.slopes),
            (previous_steps, memory.prev_steps),
            (previous_slopes, memory.prev_slopes),
            (deltas, memory.deltas),
        ] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
    }
}

/// All rows as one slice, gathered where they do not lie one after another.
pub(crate) fn lined_up(rows: Rows, room: &mut Vec<Real>) -> &[Real] {
    if TrainData::is_contiguous(rows) {
        let first = rows.iter().next().map_or(std::ptr::null(), <[Real]>::as_ptr);
        // SAFETY: rows of this width follow on each other from the first.
        return unsafe { slice(first, rows.count * rows.width) };
    }
    room.clear();
    rows.iter().for_each(|row| room.extend_from_slice(row));
    room
}

impl Ann {
    /// The neurons a neuron takes.
    fn taken(&self, layer: usize, neuron: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        let connections = self.neurons()[neuron].connections();
        if !self.is_full() {
            return Box::new(self.sources().of(connections));
        }
        let shortcut = self.is_shortcut() || layer == 0;
        let first = if shortcut { 0 } else { self.layers().neurons(layer - 1).start };
        Box::new(first..first + connections.len())
    }

    /// Lets the fast network compute with this one's numbers. Nothing where it cannot; the struct is then as it was.
    fn lend(
        &mut self,
        algorithm: c_uint,
        data: &TrainData,
        compute: impl FnOnce(&mut Network<Real>, Samples<'_, Real>) -> whimbrel_fann::Result<()>,
    ) -> Option<()> {
        let kept = std::mem::replace(&mut self.lent, std::ptr::null_mut());
        // SAFETY: NULL or a box that an earlier call of this gave up.
        let kept = (!kept.is_null()).then(|| unsafe { Box::from_raw(kept.cast::<Lent>()) });
        let mut lent = kept.filter(|lent| lent.is_for(self)).or_else(|| Lent::new(self))?;
        let mut done = lent.take(self, algorithm);
        if done.is_some() {
            let widths = (data.num_input as usize, data.num_output as usize);
            let Lent { network, inputs, outputs, .. } = &mut *lent;
            let inputs = lined_up(data.inputs(), inputs);
            let outputs = lined_up(data.outputs(), outputs);
            let samples = Samples::new(data.num_data as usize, widths, inputs, outputs);
            match samples.and_then(|samples| compute(network, samples)) {
                Ok(()) => lent.give(self, data.num_data as usize),
                Err(_) => done = None,
            }
        }
        self.lent = Box::into_raw(lent).cast();
        done
    }

    /// Trains epoch after epoch, from `done` to `most`, until `stop` says so of an epoch's number and whether its error
    /// is small enough. The number of the last epoch and whether it is.
    pub(crate) fn epochs(
        &mut self,
        data: &TrainData,
        (done, most): (c_uint, c_uint),
        desired_error: f32,
        stop: impl Fn(c_uint, bool) -> bool,
    ) -> (c_uint, bool) {
        let algorithm = self.training_algorithm;
        let (mut epoch, mut reached) = (done, false);
        let prepared = self.prepare(algorithm);
        let lent = prepared.and_then(|()| {
            self.lend(algorithm, data, |network, samples| {
                while epoch < most {
                    network.train_epoch(samples)?;
                    epoch += 1;
                    reached = network.desired_error_reached(desired_error);
                    if reached || stop(epoch, reached) {
                        break;
                    }
                }
                Ok(())
            })
        });
        if lent.is_some() {
            return (epoch, reached);
        }
        epoch = done;
        while epoch < most {
            self.epoch_here(algorithm, data);
            epoch += 1;
            reached = self.has_reached(desired_error);
            if reached || stop(epoch, reached) {
                break;
            }
        }
        (epoch, reached)
    }

    /// One epoch with a given algorithm; the mean square error on the way.
    pub(crate) fn epoch(&mut self, algorithm: c_uint, data: &TrainData) -> f32 {
        let lent = self.prepare(algorithm).and_then(|()| {
            self.lend(algorithm, data, |network, samples| network.train_epoch(samples).map(|_| ()))
        });
        if lent.is_none() {
            self.epoch_here(algorithm, data);
        }
        self.mse()
    }

    /// The mean square error over data.
    pub(crate) fn test_all(&mut self, data: &TrainData) {
        let lent = self.lend(self.training_algorithm, data, |network, samples| {
            network.test_data(samples).map(|_| ())
        });
        let rows = data.inputs().iter().zip(data.outputs().iter());
        if lent.is_none() {
            self.reset_mse();
            rows.for_each(|(input, output)| _ = self.test(input, output));
        } else if let Some((input, _)) = rows.last() {
            // What the last row gave is left in the struct.
            self.run(input);
        }
    }

    /// Makes room for what an algorithm remembers; nothing where it is unknown or there is no memory.
    fn prepare(&mut self, algorithm: c_uint) -> Option<()> {
        let there = match algorithm {
            algorithm::INCREMENTAL => self.learning_momentum == 0.0 || allocate::deltas(self),
            algorithm::BATCH => allocate::slopes(self),
            algorithm::RPROP | algorithm::QUICKPROP | algorithm::SARPROP => {
                if self.prev_train_slopes.is_null() {
                    self.clear_training();
                }
                allocate::slopes(self) && allocate::steps(self)
            }
            _ => false,
        };
        there.then_some(())
    }

    /// A network of its own with everything a file has; nothing where the struct is none that can be saved.
    pub(crate) fn network(&mut self) -> Option<Network<Real>> {
        let mut lent = Lent::new(self)?;
        lent.take(self, self.training_algorithm)?;
        let mut network = lent.network;
        self.cascade_settings(&mut network.cascade)?;
        network.put_scaling(self.scaling());
        Some(network)
    }

    /// Gives up the network kept for this one.
    pub(crate) fn forget_lent(&mut self) {
        let kept = std::mem::replace(&mut self.lent, std::ptr::null_mut());
        if !kept.is_null() {
            // SAFETY: a box that `lend` gave up.
            drop(unsafe { Box::from_raw(kept.cast::<Lent>()) });
        }
    }
}
