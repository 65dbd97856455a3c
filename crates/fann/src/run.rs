//! Running a network on one sample.
//!
//! A fully connected layer is one dot product for each of its neurons, then its function over blocks of sums. Blocks
//! may reach past the end of a layer: what they leave there belongs to neurons that are computed afterwards, and
//! the bias behind the layer is set again.

use crate::activation;
use crate::error::{Error, Result};
use crate::layout::{Layer, Wiring};
use crate::network::{Network, Parts};
use crate::real::{Block, LANES, Real};
use whimbrel_kernels::simd::{Kernel, Simd, run};

impl<T: Real> Network<T> {
    /// The outputs for some inputs.
    ///
    /// # Errors
    /// [`Error::InputNoMatch`] where the network has another number of inputs.
    pub fn run(&mut self, input: &[T]) -> Result<&[T]> {
        if input.len() != self.num_input() {
            return Err(Error::InputNoMatch { network: self.num_input(), data: input.len() });
        }
        run(Forward { parts: self.parts(), input });
        Ok(self.output())
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
        match &parts.layout.wiring {
            Wiring::Full => {
                let inputs = &parts.values[layer.first_source..][..layer.sources];
                let rows = parts.weights[layer.weights()].chunks_exact(layer.sources);
                for (sum, row) in parts.sums[layer.first..].iter_mut().zip(rows) {
                    *sum = dot(row, inputs);
                }
            }
            Wiring::Listed { starts, sources } => {
                for neuron in layer.first..layer.first + layer.computed {
                    let range = starts[neuron] as usize..starts[neuron + 1] as usize;
                    let mut sum = T::ZERO;
                    for (weight, source) in parts.weights[range.clone()].iter().zip(&sources[range])
                    {
                        sum += *weight * parts.values[*source as usize];
                    }
                    parts.sums[neuron] = sum;
                }
            }
        }
        activate(s, layer, parts);
        set_biases(layer, parts);
    }
}

/// Turns the weighted inputs of a layer into sums and values.
#[inline(always)]
fn activate<T: Real, S: Simd>(s: S, layer: &Layer, parts: &mut Parts<'_, T>) {
    let end = layer.first + layer.computed;
    let mut at = layer.first;
    while at < end {
        let (function, steepness) = (parts.functions[at], parts.steepness[at]);
        let Some(sums) = parts.sums[at..].first_chunk_mut::<LANES>() else { return };
        let Some(values) = parts.values[at..].first_chunk_mut::<LANES>() else { return };
        if layer.is_uniform {
            activation::sums(steepness, sums);
            *values = activation::values(s, function, sums);
            at += LANES;
        } else {
            sums[0] = activation::steep(sums[0], steepness, activation::most(steepness));
            values[0] = activation::values(s, function, &[sums[0]; LANES])[0];
            at += 1;
        }
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

/// The sum of products, in four chains of blocks where it is long.
#[inline(always)]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum = T::ZERO;
    let mut done = 0;
    if n >= LANES {
        let mut chains = [[T::ZERO; LANES]; 4];
        let (quads_a, quads_b) = (a.chunks_exact(4 * LANES), b.chunks_exact(4 * LANES));
        for (a, b) in quads_a.zip(quads_b) {
            for (chain, (a, b)) in
                chains.iter_mut().zip(a.chunks_exact(LANES).zip(b.chunks_exact(LANES)))
            {
                for (c, (a, b)) in chain.iter_mut().zip(a.iter().zip(b)) {
                    *c += *a * *b;
                }
            }
            done += 4 * LANES;
        }
        for (a, b) in a[done..].chunks_exact(LANES).zip(b[done..].chunks_exact(LANES)) {
            for (c, (a, b)) in chains[0].iter_mut().zip(a.iter().zip(b)) {
                *c += *a * *b;
            }
            done += LANES;
        }
        let all: Block<T> =
            std::array::from_fn(|i| (chains[0][i] + chains[1][i]) + (chains[2][i] + chains[3][i]));
        sum = total(&all);
    }
    for (a, b) in a[done..].iter().zip(&b[done..]) {
        sum += *a * *b;
    }
    sum
}

/// The sum of a block as a balanced tree.
#[inline(always)]
pub(crate) fn total<T: Real>(x: &Block<T>) -> T {
    let eight: [T; 8] = std::array::from_fn(|i| x[i] + x[i + 8]);
    let four: [T; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_of_any_length() {
        for n in [0, 1, 3, 15, 16, 17, 63, 64, 65, 200] {
            let a: Vec<f64> = (0..n).map(|i| i as f64 - 20.0).collect();
            let b: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
            let sum: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), sum, "{n}");
        }
    }

    #[test]
    fn inputs_of_another_number_are_refused() {
        let mut network = Network::<f32>::standard(&[2, 3, 1]).unwrap();
        let error = network.run(&[1.0]).unwrap_err();
        assert_eq!(error.code(), 19);
    }
}
