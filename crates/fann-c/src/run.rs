//! A sample through a network, neuron by neuron over what C sees, in the order in which libfann adds.

use whimbrel_fann::{Activation, FEW, activate_few};

use crate::edge::export;
use crate::layout::{Ann, Neuron, Real};
use crate::view::{Parts, slice};

/// Weights of a neuron from which sums are computed in another order than libfann's, for speed.
const LONG: usize = 16;

/// The sum of weights times values, short ones in libfann's order: what does not fill a group of four comes first and
/// backwards, then groups of four, each added up before it is added.
pub(crate) fn weighted_sum(weights: &[Real], values: &[Real]) -> Real {
    if weights.len() >= LONG {
        return whimbrel_fann::weighted_sum(weights, values);
    }
    let (head, groups) = weights.split_at(weights.len() % 4);
    let (first, rest) = values.split_at(head.len());
    let mut sum = 0.0;
    for (weight, value) in head.iter().zip(first).rev() {
        sum += weight * value;
    }
    for (w, v) in groups.chunks_exact(4).zip(rest.chunks_exact(4)) {
        sum += w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3];
    }
    sum
}

/// Room to gather numbers that do not lie one after another; few of them need no memory of their own.
pub(crate) struct Room {
    few: [Real; 32],
    many: Vec<Real>,
}

impl Room {
    pub(crate) fn new() -> Room {
        Room { few: [0.0; 32], many: Vec::new() }
    }

    /// The numbers, one after another.
    pub(crate) fn gather(&mut self, numbers: impl ExactSizeIterator<Item = Real>) -> &[Real] {
        match self.few.get_mut(..numbers.len()) {
            Some(few) => {
                few.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
                few
            }
            None => {
                self.many.clear();
                self.many.extend(numbers);
                &self.many
            }
        }
    }
}

impl Neuron {
    /// Whether it is connected and has the function and steepness of another.
    fn is_like(&self, other: &Neuron) -> bool {
        !self.connections().is_empty()
            && self.activation_function == other.activation_function
            && self.activation_steepness == other.activation_steepness
    }

    /// Turns the weighted inputs of `n` neurons like this one into sums; gives their values. A number FANN does not know
    /// stands for no function.
    fn activate(&self, n: usize, sums: &mut [Real; FEW]) -> [Real; FEW] {
        let function = Activation::from_code(self.activation_function);
        let kind = (function.unwrap_or(Activation::Linear), self.activation_steepness);
        activate_few(kind, n, sums)
    }
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
        let (mut room, mut listed) = (Room::new(), Room::new());
        // What is listed may take neurons of its own layer.
        let most = if full { FEW } else { 1 };
        for layer in 1..layers.count() {
            let range = layers.neurons(layer);
            let base = if shortcut { 0 } else { layers.neurons(layer - 1).start };
            let before = room.gather(neurons[base..range.start].iter().map(|n| n.value));
            let mut index = range.start;
            while index < range.end {
                let first = neurons[index];
                if first.connections().is_empty() {
                    neurons[index].value = 1.0;
                    index += 1;
                    continue;
                }
                // Neurons of one kind are computed side by side.
                let (mut sums, mut count) = ([0.0; FEW], 0);
                while count < most && index + count < range.end {
                    let neuron = neurons[index + count];
                    if count > 0 && !neuron.is_like(&first) {
                        break;
                    }
                    let connections = neuron.connections();
                    let weights = &weights[connections.clone()];
                    let values = if full {
                        &before[..weights.len()]
                    } else {
                        listed.gather(sources.of(connections).map(|from| neurons[from].value))
                    };
                    sums[count] = weighted_sum(weights, values);
                    count += 1;
                }
                let values = first.activate(count, &mut sums);
                for (i, neuron) in neurons[index..index + count].iter_mut().enumerate() {
                    (neuron.sum, neuron.value) = (sums[i], values[i]);
                }
                index += count;
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
