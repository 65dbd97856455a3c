//! A sample through a network, neuron by neuron over what C sees, in the order in which libfann adds.

use whimbrel_fann::hold;

use crate::activation::activate;
use crate::edge::export;
use crate::layout::{Ann, Neuron, Real};
use crate::view::{Parts, slice};

/// The sum of products in libfann's order: what does not fill a group of four comes first and backwards,
/// then groups of four, each added up before it is added.
pub(crate) fn weighted_sum(weights: &[Real], value: impl Fn(usize) -> Real) -> Real {
    let (head, groups) = weights.split_at(weights.len() % 4);
    let mut sum = 0.0;
    for (i, weight) in head.iter().enumerate().rev() {
        sum += weight * value(i);
    }
    for (group, w) in groups.chunks_exact(4).enumerate() {
        let i = head.len() + 4 * group;
        sum += w[0] * value(i) + w[1] * value(i + 1) + w[2] * value(i + 2) + w[3] * value(i + 3);
    }
    sum
}

impl Ann {
    /// Runs the network. Inputs that are missing leave their neurons as they are.
    pub(crate) fn run(&mut self, input: &[Real]) -> *mut Real {
        let (full, shortcut) = (self.is_full(), self.is_shortcut());
        let Parts { layers, neurons, weights, sources, .. } = self.parts();
        for (neuron, value) in neurons.iter_mut().zip(input) {
            neuron.value = *value;
        }
        if let Some(bias) = layers.neurons(0).end.checked_sub(1) {
            neurons[bias].value = 1.0;
        }
        for layer in 1..layers.count() {
            let base = if shortcut { 0 } else { layers.neurons(layer - 1).start };
            for index in layers.neurons(layer) {
                let Neuron { activation_function, activation_steepness, .. } = neurons[index];
                let connections = neurons[index].connections();
                if connections.is_empty() {
                    neurons[index].value = 1.0;
                    continue;
                }
                let weights = &weights[connections.clone()];
                let sum = if full {
                    let before = &neurons[base..][..weights.len()];
                    weighted_sum(weights, |i| before[i].value)
                } else {
                    let from = sources.slice(connections);
                    weighted_sum(weights, |i| neurons[from.at(i)].value)
                };
                let sum = hold(activation_steepness * sum, activation_steepness);
                neurons[index].sum = sum;
                neurons[index].value = activate(activation_function, sum);
            }
        }
        self.take_outputs()
    }

    /// Copies the values of the last layer to where programs find them.
    fn take_outputs(&mut self) -> *mut Real {
        let last = self.layers().neurons(self.layer_count().wrapping_sub(1)).start;
        let output = self.output;
        let count = self.num_output as usize;
        // SAFETY: there is room for every output, apart from the neurons.
        let outputs = unsafe { crate::view::slice_mut(output, count) };
        for (output, neuron) in outputs.iter_mut().zip(&self.neurons()[last..]) {
            *output = neuron.value;
        }
        output
    }
}

export! {
    fn fann_run(ann: &mut Ann, input: *const Real) -> *mut Real {
        // SAFETY: a program passes as many inputs as the network has.
        ann.run(unsafe { slice(input, ann.num_input as usize) })
    }
}
