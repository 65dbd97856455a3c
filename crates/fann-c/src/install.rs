//! A trained candidate becomes a neuron of the network, in a layer of its own before the outputs.

use std::ffi::c_uint;

use whimbrel_fann::Error;

use crate::allocate::resize;
use crate::edge::export;
use crate::layout::{Ann, Layer};
use crate::view::Parts;

impl Ann {
    /// Adds an empty layer before another one; false where there is no memory.
    fn add_layer(&mut self, position: usize) -> bool {
        let count = self.layer_count();
        let mut layers = self.first_layer;
        if position == 0 || position >= count || !resize(&mut layers, count, count + 1) {
            self.report(Error::CantAllocateMem);
            return false;
        }
        self.first_layer = layers;
        self.last_layer = layers.wrapping_add(count + 1);
        let layers = self.layers_mut();
        layers.copy_within(position..count, position + 1);
        let start = layers[position + 1].first_neuron;
        layers[position] = Layer { first_neuron: start, last_neuron: start };
        true
    }

    /// Puts the best candidate at the end of a layer: neurons behind it move on by one, and each gets a weight
    /// from it.
    fn add_candidate(&mut self, layer: usize) {
        let place = self.layers().neurons(layer).end;
        let candidate = self.neurons()[self.cascade_best_candidate as usize];
        let multiplier = self.cascade_weight_multiplier;
        let total = self.total_neurons as usize;
        let behind = total - place;
        let Parts { neurons, weights, .. } = self.parts();
        for step in (0..behind).rev() {
            // Every neuron moved before this one has taken one weight more.
            let mut neuron = neurons[place + step];
            let old = neuron.connections();
            let start = old.start + place + step;
            let end = start + old.len();
            weights.copy_within(old, start);
            weights[end] = weights[candidate.last_con as usize + step] * multiplier;
            (neuron.first_con, neuron.last_con) = (start as c_uint, end as c_uint + 1);
            neurons[place + step + 1] = neuron;
        }
        let start = neurons.get(place + 1).map_or(0, |n| n.first_con as usize) - place;
        weights.copy_within(candidate.connections(), start);
        let installed = &mut neurons[place];
        *installed = candidate;
        (installed.first_con, installed.last_con) = (start as c_uint, (start + place) as c_uint);
        (installed.sum, installed.value) = (0.0, 0.0);
        for (index, layer_it) in self.layers_mut().iter_mut().enumerate().skip(layer) {
            layer_it.last_neuron = layer_it.last_neuron.wrapping_add(1);
            if index > layer {
                layer_it.first_neuron = layer_it.first_neuron.wrapping_add(1);
            }
        }
        self.total_neurons += 1;
        self.total_connections += (place + behind) as c_uint;
    }

    /// Installs the best candidate in a new layer.
    pub(crate) fn install(&mut self) {
        let position = self.layer_count().wrapping_sub(1);
        if self.add_layer(position) {
            self.add_candidate(position);
        }
    }

    /// Sets where connections come from in a network all of whose neurons are connected with all before them.
    pub(crate) fn connect_shortcuts(&mut self) {
        let mut next = 0;
        for layer in 1..self.layer_count() {
            for neuron in self.layers().neurons(layer) {
                for from in 0..self.neurons()[neuron].connections().len() {
                    self.set_source(next, from);
                    next += 1;
                }
            }
        }
    }

    /// The number of a layer.
    fn layer_index(&self, layer: *const Layer) -> usize {
        layer.addr().wrapping_sub(self.first_layer.addr()) / size_of::<Layer>()
    }
}

export! {
    fn fann_install_candidate(ann: &mut Ann) {
        if ann.can_grow() {
            ann.install();
        }
    }

    fn fann_add_layer(ann: &mut Ann, layer: *mut Layer) -> *mut Layer {
        let position = ann.layer_index(layer);
        if ann.add_layer(position) {
            ann.first_layer.wrapping_add(position)
        } else {
            std::ptr::null_mut()
        }
    }

    fn fann_add_candidate_neuron(ann: &mut Ann, layer: *mut Layer) {
        if ann.can_grow() {
            ann.add_candidate(ann.layer_index(layer));
        }
    }

    fn fann_set_shortcut_connections(ann: &mut Ann) {
        ann.connect_shortcuts();
    }
}
