//! Cascade trainings are computed by `whimbrel-fann`, like whole epochs: a network of its own grows, and the struct
//! follows it before anybody can look. What that network cannot train is trained on the struct (`cascade.rs`).

use std::ffi::c_uint;
use std::ops::ControlFlow;

use whimbrel_fann::{Error, Network};

use crate::allocate::{fann_reallocate_connections, fann_reallocate_neurons, release, resize};
use crate::create::lay_out;
use crate::layout::{Ann, Real, TrainData};
use crate::lend::lined_up;
use crate::stream::print;
use crate::train::call_back;

/// What a training was asked for: most neurons, neurons between reports, desired error.
pub(crate) type Limits = (c_uint, c_uint, f32);

/// Trains as far as `limits` say and returns the epochs taken; nothing, and the struct as it was, where the training
/// cannot be handed over.
///
/// # Safety
/// `ann` and `data` are valid, and no reference to them is in use.
pub(crate) unsafe fn train(ann: *mut Ann, data: *mut TrainData, limits: Limits) -> Option<c_uint> {
    let (most, between, desired_error) = limits;
    // SAFETY: the caller's promise; the references end before the callback may use the structs.
    let (mut network, rows) = unsafe { ((*ann).network()?, &*data) };
    let layers = network.num_layers();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let widths = (rows.num_input as usize, rows.num_output as usize);
    let inputs = lined_up(rows.inputs(), &mut inputs);
    let outputs = lined_up(rows.outputs(), &mut outputs);
    let samples =
        whimbrel_fann::Samples::new(rows.num_data as usize, widths, inputs, outputs).ok()?;
    let count = samples.len();
    let report = |network: &mut Network<Real>, epochs: u32| {
        // SAFETY: as above.
        let own = unsafe { &mut *ann };
        if !own.follow_grown(network, count) {
            return ControlFlow::Break(());
        }
        if own.callback.is_none() {
            print(&own.describe((network.num_layers() - layers) as c_uint, epochs));
            return ControlFlow::Continue(());
        }
        // SAFETY: as above.
        if unsafe { call_back(ann, data, limits, epochs) } {
            return ControlFlow::Break(());
        }
        // SAFETY: as above. Settings may have been changed.
        let own = unsafe { &*ann };
        let known = own.training(&mut network.training);
        match known.and_then(|()| own.cascade_settings(&mut network.cascade)) {
            Some(()) => ControlFlow::Continue(()),
            None => ControlFlow::Break(()),
        }
    };
    let epochs =
        network.cascade_train_on_data_with(samples, most, between, desired_error, report).ok()?;
    // SAFETY: as above.
    unsafe { (*ann).follow_grown(&mut network, count) };
    Some(epochs)
}

impl Ann {
    /// Takes over a network that has grown out of this one; false where there is no memory.
    fn follow_grown(&mut self, network: &mut Network<Real>, rows: usize) -> bool {
        self.MSE_value = network.square_error();
        self.num_bit_fail = network.bit_fail();
        self.num_MSE = (rows * self.num_output as usize) as c_uint;
        self.sarprop_epoch = network.training.sarprop_epoch;
        let (old, new) = (self.layer_count(), network.num_layers());
        // What the training remembered belongs to other weights.
        for array in [&mut self.train_slopes, &mut self.prev_steps, &mut self.prev_train_slopes] {
            release(array);
        }
        release(&mut self.prev_weights_deltas);
        let neurons = network.total_neurons() as c_uint;
        let connections = network.total_connections() as c_uint;
        let mut layers = self.first_layer;
        if !resize(&mut layers, old, new) {
            self.report(Error::CantAllocateMem);
            return false;
        }
        self.first_layer = layers;
        self.last_layer = layers.wrapping_add(old);
        // SAFETY: a network of this library.
        let there = unsafe {
            fann_reallocate_neurons(self, neurons) == 0
                && fann_reallocate_connections(self, connections) == 0
        };
        if !there {
            return false;
        }
        self.last_layer = self.first_layer.wrapping_add(new);
        (self.total_neurons, self.total_connections) = (neurons, connections);
        for array in [&mut self.train_slopes, &mut self.prev_steps, &mut self.prev_train_slopes] {
            release(array);
        }
        lay_out(self, network);
        true
    }
}
