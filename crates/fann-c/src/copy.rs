//! Copies of networks: every setting, and everything a training has reached, goes along. (libfann forgets some
//! settings, the training algorithm among them.)

use whimbrel_fann::Error;

use crate::allocate::{fann_destroy, replace, zeroed};
use crate::edge::export;
use crate::error::MESSAGE_BYTES;
use crate::layout::{Ann, Layer, Neuron};
use crate::view::{slice, slice_mut};

export! {
    fn fann_copy(ann: &mut Ann) -> *mut Ann {
        let copy: *mut Ann = zeroed(1);
        // SAFETY: NULL, or all-zero bytes, which are a valid `Ann`.
        if unsafe { copy.as_mut() }.is_some_and(|copy| fill(copy, ann)) {
            return copy;
        }
        ann.report(Error::CantAllocateMem);
        // SAFETY: NULL, or made above and known to nobody else.
        unsafe { fann_destroy(copy) };
        std::ptr::null_mut()
    }
}

/// Puts a copy of an array in the place of the pointer to it; false where there is no memory.
fn duplicate<T: Copy>(place: &mut *mut T, count: usize) -> bool {
    let original = std::mem::replace(place, std::ptr::null_mut());
    // SAFETY: NULL or as many elements as counted.
    original.is_null() || replace(place, unsafe { slice(original, count) })
}

/// Makes an empty network a copy; false where there is no memory, and then what is there can be destroyed.
fn fill(copy: &mut Ann, ann: &mut Ann) -> bool {
    let scaling = ann.scaling();
    // SAFETY: plain numbers and pointers; every pointer is replaced before the copy is used.
    unsafe { std::ptr::copy_nonoverlapping(ann, copy, 1) };
    let neurons = ann.total_neurons_allocated as usize;
    let weights = ann.total_connections_allocated as usize;
    copy.lent = std::ptr::null_mut();
    let mut there = layers(copy, ann) & connections(copy, ann);
    there &= duplicate(&mut copy.errstr, MESSAGE_BYTES);
    there &= duplicate(&mut copy.output, ann.num_output as usize);
    there &= duplicate(&mut copy.train_errors, neurons);
    for array in [
        &mut copy.weights,
        &mut copy.train_slopes,
        &mut copy.prev_steps,
        &mut copy.prev_train_slopes,
        &mut copy.prev_weights_deltas,
    ] {
        there &= duplicate(array, weights);
    }
    there &= duplicate(
        &mut copy.cascade_activation_functions,
        ann.cascade_activation_functions_count as usize,
    );
    there &= duplicate(
        &mut copy.cascade_activation_steepnesses,
        ann.cascade_activation_steepnesses_count as usize,
    );
    there &= duplicate(&mut copy.cascade_candidate_scores, ann.candidate_count());
    crate::scaling::forget(copy);
    there && scaling.is_none_or(|scaling| copy.adopt_scaling(&scaling))
}

/// Gives the copy layers and neurons of its own.
fn layers(copy: &mut Ann, ann: &Ann) -> bool {
    let count = ann.layer_count();
    let made: *mut Layer = zeroed(count);
    copy.first_layer = made;
    copy.last_layer = if made.is_null() { made } else { made.wrapping_add(count) };
    let mut neurons: *mut Neuron = std::ptr::null_mut();
    if made.is_null() || !replace(&mut neurons, ann.neurons()) {
        return false;
    }
    // SAFETY: made above, for so many layers.
    for (index, layer) in unsafe { slice_mut(made, count) }.iter_mut().enumerate() {
        let range = ann.layers().neurons(index);
        layer.first_neuron = neurons.wrapping_add(range.start);
        layer.last_neuron = neurons.wrapping_add(range.end);
    }
    true
}

/// Gives the copy connections from its own neurons.
fn connections(copy: &mut Ann, ann: &Ann) -> bool {
    let count = ann.total_connections_allocated as usize;
    copy.connections = zeroed(count);
    if copy.connections.is_null() {
        return false;
    }
    for index in 0..ann.total_connections as usize {
        copy.set_source(index, ann.sources().at(index));
    }
    true
}
