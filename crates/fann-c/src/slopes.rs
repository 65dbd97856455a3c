//! The steps of a training on one sample: the error of the outputs, its way back through the layers, and
//! the slopes of the weights. FANN exports them one by one.

use std::ffi::{c_int, c_uint};

use crate::activation::{is_symmetric, slope};
use crate::allocate;
use crate::edge::export;
use crate::layout::{Ann, ERRORFUNC_LINEAR, Layer, Neuron, Real, algorithm, stop_function};
use crate::run::Room;
use crate::view::{Parts, slice};

impl Ann {
    /// Counts the difference of an output, halved where the function's range is twice as wide.
    pub(crate) fn count_error(&mut self, function: c_uint, difference: Real) -> Real {
        let difference = if is_symmetric(function) { difference / 2.0 } else { difference };
        self.MSE_value += (difference * difference) as f32;
        if difference.abs() >= self.bit_fail_limit {
            self.num_bit_fail = self.num_bit_fail.wrapping_add(1);
        }
        difference
    }

    /// The outputs' part of the errors, for what the last run gave.
    pub(crate) fn compute_errors(&mut self, desired: &[Real]) {
        if !allocate::errors(self) {
            return;
        }
        self.parts().errors.fill(0.0);
        let first = self.layers().neurons(self.layer_count().wrapping_sub(1)).start;
        for (offset, desired) in desired.iter().enumerate().take(self.num_output as usize) {
            let Neuron { value, sum, activation_function, activation_steepness, .. } =
                self.neurons()[first + offset];
            let mut difference = self.count_error(activation_function, desired - value);
            if self.train_error_function != ERRORFUNC_LINEAR {
                difference = widen(difference);
            }
            let error = slope(activation_function, activation_steepness, value, sum) * difference;
            self.parts().errors[first + offset] = error;
            self.num_MSE = self.num_MSE.wrapping_add(1);
        }
    }

    /// Carries the errors of the outputs back to every hidden neuron.
    pub(crate) fn backpropagate(&mut self) {
        let (full, shortcut) = (self.is_full(), self.is_shortcut());
        let Parts { layers, neurons, weights, sources, errors, .. } = self.parts();
        if errors.is_empty() {
            return;
        }
        for layer in (2..layers.count()).rev() {
            let before = layers.neurons(layer - 1);
            let base = if shortcut { 0 } else { before.start };
            for index in layers.neurons(layer) {
                let error = errors[index];
                let connections = neurons[index].connections();
                let weights = &weights[connections.clone()];
                if full {
                    for (into, weight) in errors[base..][..weights.len()].iter_mut().zip(weights) {
                        *into += error * weight;
                    }
                } else {
                    for (from, weight) in sources.of(connections).zip(weights).rev() {
                        errors[from] += error * weight;
                    }
                }
            }
            for index in before {
                let neuron = neurons[index];
                errors[index] *= slope(
                    neuron.activation_function,
                    neuron.activation_steepness,
                    neuron.value,
                    neuron.sum,
                );
            }
        }
    }

    /// Adds the slopes of the weights into a range of layers.
    pub(crate) fn add_slopes(&mut self, first: usize, last: usize) {
        if !allocate::slopes(self) {
            return;
        }
        let (full, shortcut) = (self.is_full(), self.is_shortcut());
        let Parts { layers, neurons, sources, errors, slopes, .. } = self.parts();
        if errors.is_empty() {
            return;
        }
        let mut room = Room::new();
        for layer in first..=last.min(layers.count().wrapping_sub(1)) {
            let range = layers.neurons(layer);
            let base = if shortcut || layer == 0 { 0 } else { layers.neurons(layer - 1).start };
            let before = room.gather(neurons[base..range.start].iter().map(|n| n.value));
            for index in range {
                let error = errors[index];
                let connections = neurons[index].connections();
                let slopes = &mut slopes[connections.clone()];
                if full {
                    for (slope, value) in slopes.iter_mut().zip(before) {
                        *slope += error * value;
                    }
                } else {
                    for (slope, from) in slopes.iter_mut().zip(sources.of(connections)) {
                        *slope += error * neurons[from].value;
                    }
                }
            }
        }
    }

    /// Prepares for a training that starts anew: no slopes, and steps of the first size.
    pub(crate) fn clear_training(&mut self) {
        if !(allocate::slopes(self) && allocate::steps(self)) {
            return;
        }
        let step = if self.training_algorithm == algorithm::RPROP {
            Real::from(self.rprop_delta_zero)
        } else {
            0.0
        };
        let parts = self.parts();
        parts.slopes.fill(0.0);
        parts.previous_slopes.fill(0.0);
        parts.previous_steps.fill(step);
    }

    pub(crate) fn mse(&self) -> f32 {
        if self.num_MSE == 0 { 0.0 } else { self.MSE_value / self.num_MSE as f32 }
    }

    pub(crate) fn reset_mse(&mut self) {
        (self.num_MSE, self.MSE_value, self.num_bit_fail) = (0, 0.0, 0);
    }

    /// Whether a training may stop.
    pub(crate) fn has_reached(&self, desired_error: f32) -> bool {
        match self.train_stop_function {
            stop_function::MSE => self.mse() <= desired_error,
            stop_function::BIT => self.num_bit_fail <= desired_error as c_uint,
            _ => false,
        }
    }
}

/// The error function that makes large differences count for more.
fn widen(difference: Real) -> Real {
    let wide = f64::from(difference);
    if wide < -0.999_999_9 {
        -17.0
    } else if wide > 0.999_999_9 {
        17.0
    } else {
        ((1.0 + wide) / (1.0 - wide)).ln() as Real
    }
}

export! {
    fn fann_update_MSE(ann: &mut Ann, neuron: *mut Neuron, difference: Real) -> Real {
        if neuron.is_null() {
            return 0.0;
        }
        // SAFETY: a neuron of the network, not NULL.
        let function = unsafe { neuron.read_unaligned() }.activation_function;
        ann.count_error(function, difference)
    }

    fn fann_test(ann: &mut Ann, input: *const Real, desired: *const Real) -> *mut Real {
        // SAFETY: a program passes as many inputs and outputs as the network has.
        let input = unsafe { slice(input, ann.num_input as usize) };
        // SAFETY: as above.
        let desired = unsafe { slice(desired, ann.num_output as usize) };
        ann.test(input, desired)
    }

    fn fann_get_MSE(ann: &mut Ann) -> f32 {
        ann.mse()
    }

    fn fann_get_bit_fail(ann: &mut Ann) -> c_uint {
        ann.num_bit_fail
    }

    fn fann_reset_MSE(ann: &mut Ann) {
        ann.reset_mse();
    }

    fn fann_compute_MSE(ann: &mut Ann, desired: *const Real) {
        // SAFETY: a program passes as many outputs as the network has.
        ann.compute_errors(unsafe { slice(desired, ann.num_output as usize) });
    }

    fn fann_backpropagate_MSE(ann: &mut Ann) {
        ann.backpropagate();
    }

    fn fann_update_slopes_batch(ann: &mut Ann, first: *mut Layer, last: *mut Layer) {
        let index = |layer: *mut Layer, otherwise: usize| {
            if layer.is_null() {
                otherwise
            } else {
                layer.addr().wrapping_sub(ann.first_layer.addr()) / size_of::<Layer>()
            }
        };
        let (first, last) = (index(first, 1), index(last, ann.layer_count().wrapping_sub(1)));
        ann.add_slopes(first, last);
    }

    fn fann_clear_train_arrays(ann: &mut Ann) {
        ann.clear_training();
    }

    fn fann_desired_error_reached(ann: &mut Ann, desired_error: f32) -> c_int {
        if ann.has_reached(desired_error) { 0 } else { -1 }
    }
}

impl Ann {
    /// Runs the network and counts its errors.
    pub(crate) fn test(&mut self, input: &[Real], desired: &[Real]) -> *mut Real {
        let output = self.run(input);
        let first = self.layers().neurons(self.layer_count().wrapping_sub(1)).start;
        for (offset, desired) in desired.iter().enumerate() {
            let Neuron { value, activation_function, .. } = self.neurons()[first + offset];
            self.count_error(activation_function, desired - value);
            self.num_MSE = self.num_MSE.wrapping_add(1);
        }
        output
    }
}
