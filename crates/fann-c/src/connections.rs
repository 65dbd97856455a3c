//! The shape of a network and its connections, as programs ask for them.

use std::ffi::c_uint;

use crate::edge::export;
use crate::layout::{Ann, Connection, Real, nettype};
use crate::view::slice_mut;

/// How many of a layer's neurons are biases, the unused one of the last layer included.
fn biases(network_type: c_uint, layer: usize) -> usize {
    usize::from(network_type == nettype::LAYER || (network_type == nettype::SHORTCUT && layer == 0))
}

impl Ann {
    /// Every connection with the neurons it goes from and to.
    pub(crate) fn each_connection(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let sources = self.sources();
        let mut index = 0;
        for layer in 0..self.layer_count() {
            for to in self.layers().neurons(layer) {
                for _ in self.neurons()[to].connections() {
                    visit(index, sources.at(index), to);
                    index += 1;
                }
            }
        }
    }

    /// How many neurons a program is told of: not the bias of the last layer.
    pub(crate) fn told_neurons(&self) -> c_uint {
        self.total_neurons.wrapping_sub(c_uint::from(!self.is_shortcut()))
    }
}

export! {
    fn fann_get_num_input(ann: &mut Ann) -> c_uint {
        ann.num_input
    }

    fn fann_get_num_output(ann: &mut Ann) -> c_uint {
        ann.num_output
    }

    fn fann_get_total_neurons(ann: &mut Ann) -> c_uint {
        ann.told_neurons()
    }

    fn fann_get_total_connections(ann: &mut Ann) -> c_uint {
        ann.total_connections
    }

    fn fann_get_network_type(ann: &mut Ann) -> c_uint {
        ann.network_type
    }

    fn fann_get_connection_rate(ann: &mut Ann) -> f32 {
        ann.connection_rate
    }

    fn fann_get_num_layers(ann: &mut Ann) -> c_uint {
        ann.layer_count() as c_uint
    }

    /// The neurons of every layer without its biases.
    fn fann_get_layer_array(ann: &mut Ann, sizes: *mut c_uint) {
        // SAFETY: the program has room for every layer.
        let sizes = unsafe { slice_mut(sizes, ann.layer_count()) };
        for (layer, size) in sizes.iter_mut().enumerate() {
            let neurons = ann.layers().neurons(layer).len();
            *size = neurons.saturating_sub(biases(ann.network_type, layer)) as c_uint;
        }
    }

    /// The biases of every layer; the last has none that is used.
    fn fann_get_bias_array(ann: &mut Ann, counts: *mut c_uint) {
        // SAFETY: the program has room for every layer.
        let counts = unsafe { slice_mut(counts, ann.layer_count()) };
        let last = counts.len().wrapping_sub(1);
        for (layer, count) in counts.iter_mut().enumerate() {
            *count = if layer == last { 0 } else { biases(ann.network_type, layer) as c_uint };
        }
    }

    fn fann_get_connection_array(ann: &mut Ann, connections: *mut Connection) {
        // SAFETY: the program has room for every connection.
        let places = unsafe { slice_mut(connections, ann.total_connections as usize) };
        let weights = ann.weights();
        ann.each_connection(|index, from, to| {
            places[index] = Connection {
                from_neuron: from as c_uint,
                to_neuron: to as c_uint,
                weight: weights[index],
            };
        });
    }

    fn fann_set_weight_array(ann: &mut Ann, connections: *mut Connection, count: c_uint) {
        // SAFETY: as many as are counted.
        for one in unsafe { slice_mut(connections, count as usize) } {
            set(ann, one.from_neuron, one.to_neuron, one.weight);
        }
    }

    fn fann_set_weight(ann: &mut Ann, from: c_uint, to: c_uint, weight: Real) {
        set(ann, from, to, weight);
    }
}

/// Sets the weight between two neurons that are connected.
fn set(ann: &mut Ann, from: c_uint, to: c_uint, weight: Real) {
    let inside = (to as usize) < ann.total_neurons as usize;
    let Some(neuron) = ann.neurons().get(to as usize).filter(|_| inside) else { return };
    for index in neuron.connections() {
        if ann.sources().at(index) == from as usize {
            ann.weights_mut()[index] = weight;
        }
    }
}
