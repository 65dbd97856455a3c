//! Running a network on one sample.
//!
//! A fully connected layer is one dot product for each of its neurons, two at a time, then its function over blocks of sums; few
//! neurons and inputs stay in registers. Blocks may reach past the end of a layer: what they leave there belongs to neurons
//! that are computed afterwards, and the value of the bias behind the layer is set again.

use crate::error::{Error, Result};
use crate::layout::{Layer, Wiring};
use crate::network::{Network, Parts};
use crate::plain::hold;
use crate::real::{LANES, Real};
use crate::vectors::FEW;
use whimbrel_kernels::simd::{Kernel, Simd, run};

impl<T: Real> Network<T> {
    /// The outputs for some inputs.
    ///
    /// # Errors
    /// [`Error::InputNoMatch`] where the network has another number of inputs.
    // Inlined, so that the result stays in registers: a tiny network takes no longer than a result from memory.
    #[inline]
    pub fn run(&mut self, input: &[T]) -> Result<&[T]> {
        if input.len() != self.num_input() {
            return Err(Error::InputNoMatch { network: self.num_input(), data: input.len() });
        }
        self.compute(input);
        Ok(self.output())
    }

    #[inline(never)]
    fn compute(&mut self, input: &[T]) {
        if self.layout.is_narrow {
            run(Narrow { network: self, input });
        } else {
            run(Forward { parts: self.parts(), input });
        }
    }
}

/// [`Forward`] where every layer is small, and nothing else: code for others would be in the way.
struct Narrow<'a, T: Real> {
    network: &'a mut Network<T>,
    input: &'a [T],
}

impl<T: Real> Kernel for Narrow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut parts = self.network.parts();
        for (value, x) in parts.values.iter_mut().zip(self.input) {
            *value = *x;
        }
        for layer in &parts.layout.layers[1..] {
            few(s, layer, &mut parts);
        }
    }
}

struct Forward<'a, T> {
    parts: Parts<'a, T>,
    input: &'a [T],
}

impl<T: Real> Kernel for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        forward(s, &mut self.parts, self.input);
    }
}

/// Computes every neuron from the inputs, which are as many as the network has.
#[inline(always)]
pub(crate) fn forward<T: Real, S: Simd>(s: S, parts: &mut Parts<'_, T>, input: &[T]) {
    for (value, x) in parts.values.iter_mut().zip(input) {
        *value = *x;
    }
    for layer in &parts.layout.layers[1..] {
        if layer.is_small() && parts.layout.wiring == Wiring::Full {
            few(s, layer, parts);
        } else {
            weigh(s, layer, parts);
            activate(s, layer, parts);
            set_biases(layer, parts);
        }
    }
}

/// The weighted inputs of a layer.
#[inline(always)]
fn weigh<T: Real, S: Simd>(s: S, layer: &Layer, parts: &mut Parts<'_, T>) {
    match &parts.layout.wiring {
        Wiring::Full => {
            let inputs = &parts.values[layer.first_source..][..layer.sources];
            let rows = parts.weights[layer.weights()].chunks(2 * layer.sources);
            for (sums, rows) in parts.sums[layer.neurons()].chunks_mut(2).zip(rows) {
                let (a, b) = rows.split_at(layer.sources);
                match sums {
                    [first, second] => [*first, *second] = T::dots(s, [a, b], inputs),
                    sums => sums[0] = T::dot(s, a, inputs),
                }
            }
        }
        Wiring::Listed { starts, sources } => {
            for neuron in layer.first..layer.first + layer.computed {
                let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                let mut sum = T::ZERO;
                for (weight, source) in parts.weights[range.clone()].iter().zip(&sources[range]) {
                    sum += *weight * parts.values[*source as usize];
                }
                parts.sums[neuron] = sum;
            }
        }
    }
}

/// A fully connected layer that is small: its neurons are computed side by side, and their sums do not wait to be stored.
#[inline(always)]
fn few<T: Real, S: Simd>(s: S, layer: &Layer, parts: &mut Parts<'_, T>) {
    let inputs = &parts.values[layer.first_source..][..layer.sources];
    let weights = &parts.weights[layer.weights()];
    let (mut sums, mut values) = ([T::ZERO; FEW], [T::ZERO; FEW]);
    if layer.computed == 1 {
        for (x, weight) in inputs.iter().zip(weights) {
            sums[0] += *weight * *x;
        }
    } else {
        // Rows past the last repeat it: so many are always there to be computed.
        let row = |k: usize| &weights[k.min(layer.computed - 1) * layer.sources..][..layer.sources];
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        for i in 0..inputs.len() {
            let column = T::gather(s, [&a[i], &b[i], &c[i], &d[i]]);
            T::add_scaled(s.four(), &mut sums, inputs[i], &column);
        }
    }
    let kind = (parts.functions[layer.first], parts.steepness[layer.first]);
    let n = if T::PADS { FEW } else { layer.computed };
    T::activate_to_learn(s.four(), kind, &mut sums[..n], &mut values[..n]);
    if let Some(place) = parts.sums[layer.first..].first_chunk_mut() {
        *place = sums;
    }
    if let Some(place) = parts.values[layer.first..].first_chunk_mut() {
        *place = values;
    }
    if layer.computed < layer.size {
        parts.values[layer.first + layer.computed] = T::ONE;
    }
}

/// Turns the weighted inputs of a layer into sums and values.
#[inline(always)]
fn activate<T: Real, S: Simd>(s: S, layer: &Layer, parts: &mut Parts<'_, T>) {
    if layer.computed <= FEW {
        let range = layer.first..layer.first + layer.computed;
        let kinds = parts.functions[range.clone()].iter().zip(&parts.steepness[range.clone()]);
        let numbers = parts.sums[range.clone()].iter_mut().zip(&mut parts.values[range]);
        for ((sum, value), (function, steepness)) in numbers.zip(kinds) {
            *sum = hold(*steepness * *sum, *steepness);
            *value = T::value_of(*function, *sum);
        }
        return;
    }
    if layer.is_uniform {
        let kind = (parts.functions[layer.first], parts.steepness[layer.first]);
        let len = layer.computed.next_multiple_of(LANES);
        let (sums, values) = (&mut parts.sums[layer.first..], &mut parts.values[layer.first..]);
        T::activate(s, kind, &mut sums[..len], &mut values[..len]);
        return;
    }
    for neuron in layer.first..layer.first + layer.computed {
        let kind = (parts.functions[neuron], parts.steepness[neuron]);
        let (mut sum, mut value) = ([parts.sums[neuron]; LANES], [T::ZERO; LANES]);
        T::activate(s, kind, &mut sum, &mut value);
        (parts.sums[neuron], parts.values[neuron]) = (sum[0], value[0]);
    }
}

/// Gives the neurons of a layer that have no connections the value 1.
#[inline(always)]
fn set_biases<T: Real>(layer: &Layer, parts: &mut Parts<'_, T>) {
    for neuron in layer.first + layer.computed..layer.end() {
        parts.values[neuron] = T::ONE;
    }
    if let Wiring::Listed { starts, .. } = &parts.layout.wiring {
        for neuron in layer.first..layer.end() {
            if starts[neuron] == starts[neuron + 1] {
                parts.values[neuron] = T::ONE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::layout::Layout;
    use crate::parameters::NetworkType;

    /// All values of a network, from the definition.
    fn plain<T: Real>(network: &Network<T>, input: &[T]) -> Vec<T> {
        let mut values = network.values().to_vec();
        values[..input.len()].copy_from_slice(input);
        for neuron in network.layout.layers[0].size..network.layout.neurons {
            let range = network.layout.connections_of(neuron);
            if range.is_empty() {
                continue;
            }
            let ends =
                network.layout.ends().skip(range.start).zip(&network.weights()[range.clone()]);
            let mut sum = T::ZERO;
            for ((from, _), weight) in ends.take(range.len()) {
                sum += *weight * values[from];
            }
            let (function, steepness) = network.kind(neuron);
            values[neuron] = function.value(hold(steepness * sum, steepness));
        }
        values
    }

    fn small_layers_equal_the_definition<T: Real>() {
        let made = [Network::<T>::standard, Network::<T>::shortcut];
        let sizes = [&[2, 4, 1][..], &[5, 4, 3, 2], &[3, 1, 4], &[15, 3, 16, 4], &[16, 2, 17, 3]];
        for (sizes, make) in sizes.into_iter().flat_map(|sizes| made.map(|make| (sizes, make))) {
            for (function, steepness) in Activation::ALL
                .into_iter()
                .flat_map(|f| [0.5, -0.5].map(|steepness| (f, steepness)))
            {
                let mut network = make(sizes).unwrap();
                network.set_activation_function_hidden(function);
                network.set_activation_function_output(function);
                network.set_activation_steepness_hidden(T::of(steepness));
                for (i, weight) in network.weights_mut().iter_mut().enumerate() {
                    *weight = T::of((i * 37 % 23) as f64 / 8.0 - 1.4);
                }
                let input: Vec<T> = (0..sizes[0]).map(|i| T::of(0.7 - 0.2 * i as f64)).collect();
                network.run(&input).unwrap();
                for (value, wanted) in network.values().iter().zip(plain(&network, &input)) {
                    let error = (value.f64() - wanted.f64()).abs();
                    let most = 2e-5 * wanted.f64().abs().max(1.0);
                    assert!(error < most, "{sizes:?} {function:?}: {value} {wanted}");
                }
            }
        }
    }

    #[test]
    fn layers_of_few_neurons_equal_the_definition() {
        small_layers_equal_the_definition::<f32>();
        small_layers_equal_the_definition::<f64>();
    }

    #[test]
    fn a_layer_may_have_no_neuron_but_its_bias() {
        let layout = Layout::full(NetworkType::Layer, &[3, 1, 2]).unwrap();
        let mut network = Network::<f32>::of(layout, 1.0).unwrap();
        network.weights_mut().fill(0.5);
        assert_eq!(network.run(&[1.0, 2.0]).unwrap().len(), 1);
        assert_eq!(network.values(), plain(&network, &[1.0, 2.0]));
    }

    #[test]
    fn inputs_of_another_number_are_refused() {
        let mut network = Network::<f32>::standard(&[2, 3, 1]).unwrap();
        let error = network.run(&[1.0]).unwrap_err();
        assert_eq!(error.code(), 19);
    }
}
