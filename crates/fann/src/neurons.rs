//! The activation function and steepness of neurons, one by one, by layer, or of all that are hidden.
//!
//! As in FANN, layers are numbered from the inputs, which have number 0 and no function, and setting a whole
//! layer sets its bias neuron too, where it has no effect.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::real::Real;
use std::ops::Range;

impl<T: Real> Network<T> {
    /// The function of a neuron.
    ///
    /// # Errors
    /// There is no such layer or neuron, or the layer is that of the inputs.
    pub fn activation_function(&self, layer: usize, neuron: usize) -> Result<Activation> {
        Ok(self.functions[self.neuron(layer, neuron)?])
    }

    /// Sets the function of a neuron.
    ///
    /// # Errors
    /// There is no such layer or neuron, or the layer is that of the inputs.
    pub fn set_activation_function(
        &mut self,
        function: Activation,
        layer: usize,
        neuron: usize,
    ) -> Result<()> {
        let neuron = self.neuron(layer, neuron)?;
        self.set_functions(neuron..neuron + 1, function);
        Ok(())
    }

    /// Sets the function of a layer.
    ///
    /// # Errors
    /// There is no such layer, or it is that of the inputs.
    pub fn set_activation_function_layer(
        &mut self,
        function: Activation,
        layer: usize,
    ) -> Result<()> {
        let neurons = self.layer(layer)?;
        self.set_functions(neurons, function);
        Ok(())
    }

    /// Sets the function of all hidden neurons.
    pub fn set_activation_function_hidden(&mut self, function: Activation) {
        self.set_functions(self.hidden(), function);
    }

    /// Sets the function of the outputs.
    pub fn set_activation_function_output(&mut self, function: Activation) {
        self.set_functions(self.outputs(), function);
    }

    /// The steepness of a neuron.
    ///
    /// # Errors
    /// There is no such layer or neuron, or the layer is that of the inputs.
    pub fn activation_steepness(&self, layer: usize, neuron: usize) -> Result<T> {
        Ok(self.steepness()[self.neuron(layer, neuron)?])
    }

    /// Sets the steepness of a neuron.
    ///
    /// # Errors
    /// There is no such layer or neuron, or the layer is that of the inputs.
    pub fn set_activation_steepness(
        &mut self,
        steepness: T,
        layer: usize,
        neuron: usize,
    ) -> Result<()> {
        let neuron = self.neuron(layer, neuron)?;
        self.set_steepnesses(neuron..neuron + 1, steepness);
        Ok(())
    }

    /// Sets the steepness of a layer.
    ///
    /// # Errors
    /// There is no such layer, or it is that of the inputs.
    pub fn set_activation_steepness_layer(&mut self, steepness: T, layer: usize) -> Result<()> {
        let neurons = self.layer(layer)?;
        self.set_steepnesses(neurons, steepness);
        Ok(())
    }

    /// Sets the steepness of all hidden neurons.
    pub fn set_activation_steepness_hidden(&mut self, steepness: T) {
        self.set_steepnesses(self.hidden(), steepness);
    }

    /// Sets the steepness of the outputs.
    pub fn set_activation_steepness_output(&mut self, steepness: T) {
        self.set_steepnesses(self.outputs(), steepness);
    }

    /// Whether every neuron can be trained.
    ///
    /// # Errors
    /// [`Error::CantTrainActivation`] where one has the function [`Activation::Threshold`]. Training goes on all the
    /// same, as in FANN; such a neuron learns nothing and passes nothing back.
    pub fn check_trainable(&self) -> Result<()> {
        let inputs = self.layout.layers[0].size;
        let bad = |n: usize| {
            !self.functions[n].is_trainable() && !self.layout.connections_of(n).is_empty()
        };
        if (inputs..self.layout.neurons).any(bad) {
            Err(Error::CantTrainActivation)
        } else {
            Ok(())
        }
    }

    fn hidden(&self) -> Range<usize> {
        self.layout.layers[0].size..self.layout.output().first
    }

    fn outputs(&self) -> Range<usize> {
        self.layout.output().first..self.layout.neurons
    }

    fn layer(&self, layer: usize) -> Result<Range<usize>> {
        match self.layout.layers.get(layer) {
            Some(found) if layer > 0 => Ok(found.first..found.end()),
            _ => Err(Error::IndexOutOfBound { index: layer as i64 }),
        }
    }

    fn neuron(&self, layer: usize, neuron: usize) -> Result<usize> {
        let layer = self.layer(layer)?;
        let index = layer.start.saturating_add(neuron);
        if index < layer.end {
            Ok(index)
        } else {
            Err(Error::IndexOutOfBound { index: neuron as i64 })
        }
    }

    fn set_functions(&mut self, neurons: Range<usize>, function: Activation) {
        self.functions[neurons].fill(function);
        self.notice_uniform();
    }

    fn set_steepnesses(&mut self, neurons: Range<usize>, steepness: T) {
        self.steepness_mut()[neurons].fill(steepness);
        self.notice_uniform();
    }

    pub(crate) fn notice_uniform(&mut self) {
        let steepness = &self.block[self.block.len() - self.layout.neurons..];
        self.layout.notice_uniform(&self.functions, steepness);
    }
}
