//! Activation functions and steepnesses of single neurons, of layers, of the hidden and of the output
//! neurons.

use std::ffi::{c_int, c_uint};
use std::ops::Range;

use whimbrel_fann::Error;

use crate::edge::export;
use crate::layout::{Ann, Layer, Neuron, Real};

impl Ann {
    /// A layer that has connections; the first one has none and counts as out of bounds.
    fn layer(&mut self, layer: c_int) -> Option<usize> {
        let found = usize::try_from(layer).ok().filter(|l| *l > 0 && *l < self.layer_count());
        if found.is_none() {
            self.report(Error::IndexOutOfBound { index: layer.into() });
        }
        found
    }

    /// A neuron of a layer.
    fn neuron(&mut self, layer: c_int, neuron: c_int) -> Option<&mut Neuron> {
        let layer = self.layer(layer)?;
        let range = self.layers().neurons(layer);
        let found = usize::try_from(neuron).ok().filter(|n| *n < range.len());
        match found {
            Some(found) => self.neurons_mut().get_mut(range.start + found),
            None => {
                self.report(Error::IndexOutOfBound { index: neuron.into() });
                None
            }
        }
    }

    fn hidden(&self) -> Range<usize> {
        let layers = self.layers();
        layers.neurons(0).end..layers.neurons(layers.count().wrapping_sub(1)).start
    }

    fn last(&self) -> Range<usize> {
        self.layers().neurons(self.layer_count().wrapping_sub(1))
    }

    pub(crate) fn set_functions(&mut self, range: Range<usize>, function: c_uint) {
        self.neurons_mut()[range].iter_mut().for_each(|n| n.activation_function = function);
    }

    pub(crate) fn set_steepnesses(&mut self, range: Range<usize>, steepness: Real) {
        self.neurons_mut()[range].iter_mut().for_each(|n| n.activation_steepness = steepness);
    }
}

export! {
    fn fann_get_layer(ann: &mut Ann, layer: c_int) -> *mut Layer {
        match ann.layer(layer) {
            Some(layer) => &mut ann.layers_mut()[layer],
            None => std::ptr::null_mut(),
        }
    }

    fn fann_get_neuron_layer(ann: &mut Ann, layer: *mut Layer, neuron: c_int) -> *mut Neuron {
        // SAFETY: NULL or a layer of the network.
        let Some(layer) = (unsafe { layer.as_ref() }) else { return std::ptr::null_mut() };
        let count =
            layer.last_neuron.addr().wrapping_sub(layer.first_neuron.addr()) / size_of::<Neuron>();
        match usize::try_from(neuron).ok().filter(|n| *n < count) {
            Some(neuron) => layer.first_neuron.wrapping_add(neuron),
            None => {
                ann.report(Error::IndexOutOfBound { index: neuron.into() });
                std::ptr::null_mut()
            }
        }
    }

    fn fann_get_neuron(ann: &mut Ann, layer: c_uint, neuron: c_int) -> *mut Neuron {
        ann.neuron(layer as c_int, neuron).map_or(std::ptr::null_mut(), |n| n)
    }

    fn fann_get_activation_function(ann: &mut Ann, layer: c_int, neuron: c_int) -> c_uint {
        ann.neuron(layer, neuron).map_or(c_uint::MAX, |n| n.activation_function)
    }

    fn fann_set_activation_function(
        ann: &mut Ann, function: c_uint, layer: c_int, neuron: c_int,
    ) {
        if let Some(neuron) = ann.neuron(layer, neuron) {
            neuron.activation_function = function;
        }
    }

    fn fann_set_activation_function_layer(ann: &mut Ann, function: c_uint, layer: c_int) {
        if let Some(layer) = ann.layer(layer) {
            ann.set_functions(ann.layers().neurons(layer), function);
        }
    }

    fn fann_set_activation_function_hidden(ann: &mut Ann, function: c_uint) {
        ann.set_functions(ann.hidden(), function);
    }

    fn fann_set_activation_function_output(ann: &mut Ann, function: c_uint) {
        ann.set_functions(ann.last(), function);
    }

    fn fann_get_activation_steepness(ann: &mut Ann, layer: c_int, neuron: c_int) -> Real {
        ann.neuron(layer, neuron).map_or(-1.0, |n| n.activation_steepness)
    }

    fn fann_set_activation_steepness(
        ann: &mut Ann, steepness: Real, layer: c_int, neuron: c_int,
    ) {
        if let Some(neuron) = ann.neuron(layer, neuron) {
            neuron.activation_steepness = steepness;
        }
    }

    fn fann_set_activation_steepness_layer(ann: &mut Ann, steepness: Real, layer: c_int) {
        if let Some(layer) = ann.layer(layer) {
            ann.set_steepnesses(ann.layers().neurons(layer), steepness);
        }
    }

    fn fann_set_activation_steepness_hidden(ann: &mut Ann, steepness: Real) {
        ann.set_steepnesses(ann.hidden(), steepness);
    }

    fn fann_set_activation_steepness_output(ann: &mut Ann, steepness: Real) {
        ann.set_steepnesses(ann.last(), steepness);
    }
}
