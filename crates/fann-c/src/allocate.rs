//! Memory of networks. It comes from the C library's allocator, because programs may free and replace what
//! the structs point at. FANN exports these steps of building a network.

use std::ffi::{c_int, c_uint};

use whimbrel_fann::Error;

use crate::edge::export;
use crate::error::report;
use crate::layout::{Ann, Layer, Neuron, Real};

/// Room for `count` elements, all zero; NULL where there is none. Never NULL for lack of elements.
pub(crate) fn zeroed<T>(count: usize) -> *mut T {
    // SAFETY: `calloc` may be called with any sizes, and refuses those that overflow.
    unsafe { libc::calloc(count.max(1), size_of::<T>()) }.cast()
}

/// Makes an array longer or shorter. What is new in it is zero. False, and the array as it was, where there is
/// no memory.
pub(crate) fn resize<T>(array: &mut *mut T, old: usize, new: usize) -> bool {
    let Some(bytes) = new.max(1).checked_mul(size_of::<T>()) else { return false };
    // SAFETY: NULL or memory of the same allocator.
    let moved = unsafe { libc::realloc((*array).cast(), bytes) }.cast::<T>();
    if moved.is_null() {
        return false;
    }
    let old = if array.is_null() { 0 } else { old };
    if new > old {
        // SAFETY: `moved` has room for `new` elements.
        unsafe { moved.add(old).write_bytes(0, new - old) };
    }
    *array = moved;
    true
}

/// Frees an array and forgets it.
pub(crate) fn release<T>(array: &mut *mut T) {
    // SAFETY: NULL or memory of the same allocator that nothing else keeps.
    unsafe { libc::free((*array).cast()) };
    *array = std::ptr::null_mut();
}

/// Allocates an array unless it is there; says so in the network where there is no memory.
macro_rules! ensure {
    ($ann:expr, $count:ident, $($field:ident),*) => {{
        let ann: &mut Ann = $ann;
        let count = ann.$count as usize;
        $(if ann.$field.is_null() {
            ann.$field = zeroed(count);
        })*
        let there = true $(&& !ann.$field.is_null())*;
        if !there {
            ann.report(Error::CantAllocateMem);
        }
        there
    }};
}

/// Room for the error of every neuron.
pub(crate) fn errors(ann: &mut Ann) -> bool {
    ensure!(ann, total_neurons_allocated, train_errors)
}

/// Room for the slope of every weight.
pub(crate) fn slopes(ann: &mut Ann) -> bool {
    ensure!(ann, total_connections_allocated, train_slopes)
}

/// Room for the last step and the last slope of every weight.
pub(crate) fn steps(ann: &mut Ann) -> bool {
    ensure!(ann, total_connections_allocated, prev_steps, prev_train_slopes)
}

/// Room for the last change of every weight.
pub(crate) fn deltas(ann: &mut Ann) -> bool {
    ensure!(ann, total_connections_allocated, prev_weights_deltas)
}

/// Sets the length of the two arrays of candidates' kinds, which the network then owns.
pub(crate) fn candidate_kinds(ann: &mut Ann, functions: &[c_uint], steepnesses: &[Real]) -> bool {
    replace(&mut ann.cascade_activation_functions, functions)
        && replace(&mut ann.cascade_activation_steepnesses, steepnesses)
        && {
            ann.cascade_activation_functions_count = functions.len() as c_uint;
            ann.cascade_activation_steepnesses_count = steepnesses.len() as c_uint;
            true
        }
}

/// Puts a copy of `values` in the place of an array.
pub(crate) fn replace<T: Copy>(array: &mut *mut T, values: &[T]) -> bool {
    let copy: *mut T = zeroed(values.len());
    if copy.is_null() {
        return false;
    }
    // SAFETY: `copy` has room for the values and is new.
    unsafe { copy.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    release(array);
    *array = copy;
    true
}

/// A network without layers, all settings FANN's defaults; NULL where there is no memory.
fn blank() -> *mut Ann {
    let ann: *mut Ann = zeroed(1);
    // SAFETY: all-zero bytes are a valid `Ann`: numbers, NULL pointers and no callback.
    let Some(new) = (unsafe { ann.as_mut() }) else { return ann };
    *new.error_data() = crate::error::fresh();
    new.apply(&Default::default(), &Default::default());
    if new.cascade_activation_functions.is_null() || new.cascade_activation_steepnesses.is_null() {
        // SAFETY: made above and known to nobody else.
        unsafe { fann_destroy(ann) };
        return std::ptr::null_mut();
    }
    ann
}

export! {
    /// A network of empty layers.
    fn fann_allocate_structure(num_layers: c_uint) -> *mut Ann {
        if num_layers < 2 {
            return std::ptr::null_mut();
        }
        let ann = blank();
        // SAFETY: NULL or a new network.
        let Some(new) = (unsafe { ann.as_mut() }) else {
            report(None, &Error::CantAllocateMem);
            return ann;
        };
        new.first_layer = zeroed::<Layer>(num_layers as usize);
        if new.first_layer.is_null() {
            report(None, &Error::CantAllocateMem);
            // SAFETY: made above and known to nobody else.
            unsafe { fann_destroy(ann) };
            return std::ptr::null_mut();
        }
        new.last_layer = new.first_layer.wrapping_add(num_layers as usize);
        ann
    }

    /// Gives the layers their neurons; how many stands in the distances of the layers' pointers.
    fn fann_allocate_neurons(ann: &mut Ann) {
        let neurons: *mut Neuron = zeroed(ann.total_neurons as usize);
        ann.total_neurons_allocated = ann.total_neurons;
        if neurons.is_null() {
            ann.report(Error::CantAllocateMem);
            return;
        }
        let mut next = neurons;
        let mut last = 0;
        for layer in ann.layers_mut() {
            last = layer.last_neuron.addr().wrapping_sub(layer.first_neuron.addr())
                / size_of::<Neuron>();
            layer.first_neuron = next;
            next = next.wrapping_add(last);
            layer.last_neuron = next;
        }
        ann.output = zeroed(last);
        if ann.output.is_null() {
            ann.report(Error::CantAllocateMem);
        }
    }

    fn fann_allocate_connections(ann: &mut Ann) {
        ann.total_connections_allocated = ann.total_connections;
        ensure!(ann, total_connections_allocated, weights, connections);
    }

    /// Room for more connections, for a cascade training.
    fn fann_reallocate_connections(ann: &mut Ann, total_connections: c_uint) -> c_int {
        let (old, new) = (ann.total_connections_allocated as usize, total_connections as usize);
        let there = resize(&mut ann.connections, old, new)
            && resize(&mut ann.weights, old, new)
            && resize(&mut ann.train_slopes, old, new)
            && resize(&mut ann.prev_steps, old, new)
            && resize(&mut ann.prev_train_slopes, old, new)
            && (ann.prev_weights_deltas.is_null()
                || resize(&mut ann.prev_weights_deltas, old, new));
        if !there {
            ann.report(Error::CantAllocateMem);
            return -1;
        }
        ann.total_connections_allocated = total_connections;
        0
    }

    /// Room for more neurons, for a cascade training. Connections point at the old ones until they are set.
    fn fann_reallocate_neurons(ann: &mut Ann, total_neurons: c_uint) -> c_int {
        let (old, new) = (ann.total_neurons_allocated as usize, total_neurons as usize);
        let mut first = ann.layers_mut().first().map_or(std::ptr::null_mut(), |l| l.first_neuron);
        let moved_from = first;
        if !(resize(&mut ann.train_errors, old, new) && resize(&mut first, old, new)) {
            ann.report(Error::CantAllocateMem);
            return -1;
        }
        ann.total_neurons_allocated = total_neurons;
        let moved = |neuron: *mut Neuron| {
            let distance = neuron.addr().wrapping_sub(moved_from.addr());
            first.wrapping_byte_add(distance)
        };
        for layer in ann.layers_mut() {
            layer.first_neuron = moved(layer.first_neuron);
            layer.last_neuron = moved(layer.last_neuron);
        }
        0
    }

    fn fann_destroy(ann: *mut Ann) {
        // SAFETY: a network of this library that the program gives up.
        let old = unsafe { &mut *ann };
        if let Some(first) = old.layers_mut().first_mut() {
            release(&mut first.first_neuron);
        }
        release(&mut old.first_layer);
        for array in [
            &mut old.weights, &mut old.output, &mut old.train_errors, &mut old.train_slopes,
            &mut old.prev_train_slopes, &mut old.prev_steps, &mut old.prev_weights_deltas,
            &mut old.cascade_activation_steepnesses, &mut old.cascade_candidate_scores,
        ] {
            release(array);
        }
        release(&mut old.connections);
        release(&mut old.errstr);
        release(&mut old.cascade_activation_functions);
        crate::scaling::release(old);
        old.forget_lent();
        // SAFETY: from `calloc`, and nothing of it is used any more.
        unsafe { libc::free(ann.cast()) };
    }
}
