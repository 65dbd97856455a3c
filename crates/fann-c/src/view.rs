//! Slices over the pointers of `struct fann` and `struct fann_train_data`. All arrays of a network have the
//! length its counters say; [`Parts`] lends the arrays of a training at once.

use std::ops::Range;
use std::ptr::NonNull;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::layout::{Ann, ErrorData, Layer, Neuron, Real, TrainData, nettype};

/// The elements at a pointer; none where it is NULL.
///
/// # Safety
/// `pointer` is NULL or points at `length` elements, which nothing changes while the slice lives.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { from_raw_parts(pointer, length) }
}

/// The elements at a pointer; none where it is NULL.
///
/// # Safety
/// `pointer` is NULL or points at `length` elements, which nothing else uses while the slice lives.
pub(crate) unsafe fn slice_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    if pointer.is_null() {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { from_raw_parts_mut(pointer, length) }
}

/// The arrays of a network, lent at once. What is not allocated is empty.
pub(crate) struct Parts<'a> {
    pub layers: Layers<'a>,
    pub neurons: &'a mut [Neuron],
    pub weights: &'a mut [Real],
    pub sources: Sources<'a>,
    pub errors: &'a mut [Real],
    pub slopes: &'a mut [Real],
    pub previous_steps: &'a mut [Real],
    pub previous_slopes: &'a mut [Real],
    pub deltas: &'a mut [Real],
}

/// The layers of a network as ranges of its neurons.
#[derive(Clone, Copy)]
pub(crate) struct Layers<'a> {
    layers: &'a [Layer],
    first_neuron: *const Neuron,
}

impl Layers<'_> {
    pub(crate) fn count(self) -> usize {
        self.layers.len()
    }

    /// The neurons of a layer, its bias among them.
    pub(crate) fn neurons(self, layer: usize) -> Range<usize> {
        let index = |neuron: *const Neuron| index_of(self.first_neuron, neuron);
        self.layers.get(layer).map_or(0..0, |l| index(l.first_neuron)..index(l.last_neuron))
    }
}

/// The neuron each connection comes from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    connections: &'a [*mut Neuron],
    first_neuron: *const Neuron,
}

impl<'a> Sources<'a> {
    /// That of one connection.
    pub(crate) fn at(self, index: usize) -> usize {
        index_of(self.first_neuron, self.connections[index])
    }

    /// Those of a range of connections, one after another.
    pub(crate) fn of(
        self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + 'a {
        let first = self.first_neuron;
        self.connections[range].iter().map(move |neuron| index_of(first, *neuron))
    }
}

/// The number of a neuron in the one array all are in.
fn index_of(first: *const Neuron, neuron: *const Neuron) -> usize {
    neuron.addr().wrapping_sub(first.addr()) / size_of::<Neuron>()
}

impl Neuron {
    /// The connections into the neuron.
    pub(crate) fn connections(self) -> Range<usize> {
        self.first_con as usize..self.last_con as usize
    }
}

impl Ann {
    pub(crate) fn error_data(&mut self) -> &mut ErrorData {
        // SAFETY: `struct fann` begins with the fields of `struct fann_error`.
        unsafe { NonNull::from(self).cast::<ErrorData>().as_mut() }
    }

    pub(crate) fn report(&mut self, error: whimbrel_fann::Error) {
        crate::error::report(Some(self.error_data()), &error);
    }

    pub(crate) fn is_shortcut(&self) -> bool {
        self.network_type != nettype::LAYER
    }

    /// Whether every neuron is connected with all neurons it can be: then its connections come from
    /// neighbours in the array of neurons.
    pub(crate) fn is_full(&self) -> bool {
        self.connection_rate >= 1.0
    }

    pub(crate) fn layer_count(&self) -> usize {
        self.last_layer.addr().wrapping_sub(self.first_layer.addr()) / size_of::<Layer>()
    }

    fn first_neuron(&self) -> *mut Neuron {
        // SAFETY: NULL or the layers of the network.
        unsafe { self.first_layer.as_ref() }.map_or(std::ptr::null_mut(), |l| l.first_neuron)
    }

    pub(crate) fn layers(&self) -> Layers<'_> {
        // SAFETY: the layers lie from the first to the last.
        let layers = unsafe { slice(self.first_layer, self.layer_count()) };
        Layers { layers, first_neuron: self.first_neuron() }
    }

    pub(crate) fn layers_mut(&mut self) -> &mut [Layer] {
        // SAFETY: the layers lie from the first to the last.
        unsafe { slice_mut(self.first_layer, self.layer_count()) }
    }

    pub(crate) fn neurons(&self) -> &[Neuron] {
        // SAFETY: all neurons lie behind the first, as many as were allocated.
        unsafe { slice(self.first_neuron(), self.total_neurons_allocated as usize) }
    }

    pub(crate) fn neurons_mut(&mut self) -> &mut [Neuron] {
        // SAFETY: all neurons lie behind the first, as many as were allocated.
        unsafe { slice_mut(self.first_neuron(), self.total_neurons_allocated as usize) }
    }

    pub(crate) fn weights(&self) -> &[Real] {
        // SAFETY: as many as were allocated.
        unsafe { slice(self.weights, self.total_connections_allocated as usize) }
    }

    pub(crate) fn weights_mut(&mut self) -> &mut [Real] {
        // SAFETY: as many as were allocated.
        unsafe { slice_mut(self.weights, self.total_connections_allocated as usize) }
    }

    pub(crate) fn sources(&self) -> Sources<'_> {
        // SAFETY: as many as were allocated.
        let connections =
            unsafe { slice(self.connections, self.total_connections_allocated as usize) };
        Sources { connections, first_neuron: self.first_neuron() }
    }

    /// Connects connection `index` with the neuron it comes from.
    pub(crate) fn set_source(&mut self, index: usize, neuron: usize) {
        let pointer = self.first_neuron().wrapping_add(neuron);
        // SAFETY: as many as were allocated.
        let connections =
            unsafe { slice_mut(self.connections, self.total_connections_allocated as usize) };
        connections[index] = pointer;
    }

    pub(crate) fn cascade_functions(&self) -> &[u32] {
        let count = self.cascade_activation_functions_count as usize;
        // SAFETY: as many as counted.
        unsafe { slice(self.cascade_activation_functions, count) }
    }

    pub(crate) fn cascade_steepnesses(&self) -> &[Real] {
        let count = self.cascade_activation_steepnesses_count as usize;
        // SAFETY: as many as counted.
        unsafe { slice(self.cascade_activation_steepnesses, count) }
    }

    /// The scores of the candidates of a cascade training.
    pub(crate) fn scores_mut(&mut self) -> &mut [Real] {
        let count = self.candidate_count();
        // SAFETY: allocated for all candidates before they are trained.
        unsafe { slice_mut(self.cascade_candidate_scores, count) }
    }

    /// How many candidates a cascade training has.
    pub(crate) fn candidate_count(&self) -> usize {
        self.cascade_activation_functions_count
            .wrapping_mul(self.cascade_activation_steepnesses_count)
            .wrapping_mul(self.cascade_num_candidate_groups) as usize
    }

    pub(crate) fn parts(&mut self) -> Parts<'_> {
        let neurons = self.total_neurons_allocated as usize;
        let weights = self.total_connections_allocated as usize;
        let first_neuron = self.first_neuron();
        // SAFETY: arrays of different allocations, each NULL or as long as its counter says; layers
        // and connections are only read, and hold the addresses of neurons without looking at them.
        unsafe {
            Parts {
                layers: Layers {
                    layers: slice(self.first_layer, self.layer_count()),
                    first_neuron,
                },
                neurons: slice_mut(first_neuron, neurons),
                weights: slice_mut(self.weights, weights),
                sources: Sources { connections: slice(self.connections, weights), first_neuron },
                errors: slice_mut(self.train_errors, neurons),
                slopes: slice_mut(self.train_slopes, weights),
                previous_steps: slice_mut(self.prev_steps, weights),
                previous_slopes: slice_mut(self.prev_train_slopes, weights),
                deltas: slice_mut(self.prev_weights_deltas, weights),
            }
        }
    }
}

impl TrainData {
    pub(crate) fn error_data(&mut self) -> &mut ErrorData {
        // SAFETY: `struct fann_train_data` begins with the fields of `struct fann_error`.
        unsafe { NonNull::from(self).cast::<ErrorData>().as_mut() }
    }

    pub(crate) fn report(&mut self, error: whimbrel_fann::Error) {
        crate::error::report(Some(self.error_data()), &error);
    }

    /// The inputs of every row.
    pub(crate) fn inputs(&self) -> Rows {
        Rows { rows: self.input, count: self.num_data as usize, width: self.num_input as usize }
    }

    /// The outputs of every row.
    pub(crate) fn outputs(&self) -> Rows {
        Rows { rows: self.output, count: self.num_data as usize, width: self.num_output as usize }
    }
}

/// Rows of numbers, each at an address of its own.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub rows: *mut *mut Real,
    pub count: usize,
    pub width: usize,
}

impl Rows {
    /// The rows, one after another.
    pub(crate) fn iter<'a>(self) -> impl ExactSizeIterator<Item = &'a [Real]> {
        // SAFETY: as many rows as the data count.
        let rows = unsafe { slice(self.rows, self.count) };
        // SAFETY: a row has as many numbers as the data say.
        rows.iter().map(move |row| unsafe { slice(*row, self.width) })
    }

    /// The rows, one after another, to be changed.
    pub(crate) fn iter_mut<'a>(self) -> impl ExactSizeIterator<Item = &'a mut [Real]> {
        // SAFETY: as many rows as the data count.
        let rows = unsafe { slice(self.rows, self.count) };
        // SAFETY: a row has as many numbers as the data say, and rows do not overlap.
        rows.iter().map(move |row| unsafe { slice_mut(*row, self.width) })
    }
}
