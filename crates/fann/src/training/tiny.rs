//! Incremental training of networks of up to seven inputs, four hidden neurons and four outputs, as those for XOR.
//!
//! A layer is one vector, or two with its bias, which is one more lane, and the whole network fits the registers:
//! weights are taken out of it once for all samples, in rows padded with zeros. How many vectors hold the inputs and how
//! many the hidden layer is known to the compiler, so that no number goes through memory on its way.
//!
//! A sample waits for the weights that the one before has changed. What hidden neurons take of it is therefore weighed
//! ahead, with the weights as they were: `(w + step x) x'` is `w x' + step (x x')`, and only the step is waited for.

use super::tally::{Tally, half_if_symmetric};
use crate::activation::Activation;
use crate::data::Samples;
use crate::layout::{Layer, Wiring};
use crate::network::{Network, Parts};
use crate::parameters::{NetworkType, TrainParameters};
use crate::real::Real;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// Numbers side by side.
type Four<T> = [T; 4];
/// For each vector that a layer takes, a row of each neuron.
type Rows<T, const VECTORS: usize> = [[Four<T>; 4]; VECTORS];

/// Lanes of a vector, and neurons of a layer.
pub(super) const WIDTH: usize = 4;
/// Inputs and their bias.
pub(super) const MOST_SOURCES: usize = 2 * WIDTH;

impl<T: Real> Network<T> {
    /// Whether the network is one of this module's.
    #[inline(always)]
    pub(super) fn is_tiny(&self) -> bool {
        let fits = |l: &Layer| l.is_uniform && (1..=WIDTH).contains(&l.computed);
        match &self.layout.layers[..] {
            [inputs, hidden, output] => {
                inputs.size <= MOST_SOURCES
                    && fits(hidden)
                    && fits(output)
                    && self.layout.wiring == Wiring::Full
                    && self.layout.network_type == NetworkType::Layer
            }
            _ => false,
        }
    }

    /// An epoch of incremental training of a tiny network, without momentum, which adds to the errors so far. There is a
    /// sample at least.
    pub(super) fn train_tiny(&mut self, samples: &Samples<'_, T>) {
        match self.vectors() {
            (1, 1) => run(Incremental::<T, 1, 1> { network: self, samples }),
            (1, _) => run(Incremental::<T, 1, 2> { network: self, samples }),
            (_, 1) => run(Incremental::<T, 2, 1> { network: self, samples }),
            _ => run(Incremental::<T, 2, 2> { network: self, samples }),
        }
    }

    /// Vectors that hold the inputs, and the hidden layer.
    #[inline(always)]
    fn vectors(&self) -> (usize, usize) {
        let layers = &self.layout.layers;
        (layers[0].size.div_ceil(WIDTH), layers[1].size.div_ceil(WIDTH))
    }
}

/// Weights. `IN` vectors hold the inputs, `MID` the hidden layer.
struct Weights<T, const IN: usize, const MID: usize> {
    hidden: Rows<T, IN>,
    output: Rows<T, MID>,
}

impl<T: Real, const IN: usize, const MID: usize> Weights<T, IN, MID> {
    #[inline(always)]
    fn of<S: Simd>(s: S, shape: &Shape<T>, weights: &[T]) -> Self {
        let (hidden, output) = weights.split_at(shape.hidden.weights());
        Weights { hidden: rows(s, &shape.hidden, hidden), output: rows(s, &shape.output, output) }
    }

    /// Puts them back where they were taken from.
    #[inline(always)]
    fn put<S: Simd>(&self, s: S, shape: &Shape<T>, weights: &mut [T]) {
        let (hidden, output) = weights.split_at_mut(shape.hidden.weights());
        put_rows(s, &shape.hidden, &self.hidden, hidden);
        put_rows(s, &shape.output, &self.output, output);
    }
}

/// The rows of a layer.
#[inline(always)]
fn rows<T: Real, S: Simd, const N: usize>(s: S, level: &Level<T>, weights: &[T]) -> Rows<T, N> {
    let mut rows = [[[T::ZERO; WIDTH]; WIDTH]; N];
    for j in 0..WIDTH {
        if j < level.neurons {
            let row = &weights[j * level.sources..][..level.sources];
            for k in 0..N {
                rows[k][j] = T::four(s, &row[row.len().min(k * WIDTH)..]);
            }
        }
    }
    rows
}

#[inline(always)]
fn put_rows<T: Real, S: Simd, const N: usize>(
    s: S,
    level: &Level<T>,
    rows: &Rows<T, N>,
    weights: &mut [T],
) {
    for j in 0..WIDTH {
        if j < level.neurons {
            let row = &mut weights[j * level.sources..][..level.sources];
            for (k, rows) in rows.iter().enumerate() {
                let from = row.len().min(k * WIDTH);
                T::put_four(s, &rows[j], &mut row[from..]);
            }
        }
    }
}

/// What a layer is, beside its weights.
#[derive(Clone, Copy)]
pub(super) struct Level<T> {
    pub kind: (Activation, T),
    pub neurons: usize,
    /// Numbers each takes, bias included.
    pub sources: usize,
}

impl<T: Real> Level<T> {
    /// Weights of all its neurons.
    #[inline(always)]
    pub fn weights(&self) -> usize {
        self.neurons * self.sources
    }

    /// Lanes that functions are taken of.
    #[inline(always)]
    fn lanes(&self) -> usize {
        if T::PADS { WIDTH } else { self.neurons }
    }
}

/// What a network is, beside its weights.
#[derive(Clone, Copy)]
pub(super) struct Shape<T> {
    pub hidden: Level<T>,
    pub output: Level<T>,
}

impl<T: Real> Shape<T> {
    #[inline(always)]
    pub fn of(parts: &Parts<'_, T>) -> Shape<T> {
        let level = |layer: &Layer| {
            let Layer { first, computed: neurons, sources, .. } = *layer;
            let kind = (parts.functions[first], parts.steepness[first]);
            Level { kind, neurons, sources }
        };
        Shape { hidden: level(&parts.layout.layers[1]), output: level(&parts.layout.layers[2]) }
    }
}

/// The inputs of a sample, and their bias.
#[inline(always)]
fn with_bias<T: Real, S: Simd, const IN: usize>(s: S, input: &[T]) -> [Four<T>; IN] {
    let mut inputs = [[T::ZERO; WIDTH]; IN];
    for k in 0..IN {
        let rest = &input[input.len().min(k * WIDTH)..];
        inputs[k] = T::with_bias(s, rest.len(), &T::four(s, rest));
    }
    inputs
}

/// The sum of products of the inputs of two samples, in each lane.
#[inline(always)]
fn likeness<T: Real, S: Simd, const IN: usize>(
    s: S,
    one: &[Four<T>; IN],
    other: &[Four<T>; IN],
) -> Four<T> {
    let mut rows = [[[T::ZERO; WIDTH]; WIDTH]; IN];
    for k in 0..IN {
        rows[k] = [one[k]; WIDTH];
    }
    T::weigh_four(s, &rows, other)
}

/// A sample on its way through a network.
struct Sample<T, const IN: usize, const MID: usize> {
    inputs: [Four<T>; IN],
    /// The values of the hidden layer, and its bias.
    hidden: [Four<T>; MID],
    output: Four<T>,
    hidden_sums: Four<T>,
    output_sums: Four<T>,
}

impl<T: Real, const IN: usize, const MID: usize> Sample<T, IN, MID> {
    /// Runs a sample whose inputs have been weighed.
    #[inline(always)]
    fn forward<S: Simd>(
        s: S,
        shape: &Shape<T>,
        weights: &Weights<T, IN, MID>,
        inputs: [Four<T>; IN],
        mut hidden_sums: Four<T>,
    ) -> Self {
        let Shape { hidden: mid, output: last } = shape;
        let mut values = [T::ZERO; WIDTH];
        let n = mid.lanes();
        T::activate(s.four(), mid.kind, &mut hidden_sums[..n], &mut values[..n]);
        // Where the neurons fill their vector, the bias has one of its own.
        let mut hidden = [[T::ONE, T::ZERO, T::ZERO, T::ZERO]; MID];
        hidden[0] = T::with_bias(s, mid.neurons, &values);
        let mut output_sums = T::weigh_four(s, &weights.output, &hidden);
        let mut output = [T::ZERO; WIDTH];
        let n = last.lanes();
        T::activate(s.four(), last.kind, &mut output_sums[..n], &mut output[..n]);
        Sample { inputs, hidden, output, hidden_sums, output_sums }
    }

    /// The errors of the outputs, which are added up.
    #[inline(always)]
    fn find_errors<S: Simd>(
        &self,
        s: S,
        level: &Level<T>,
        training: &TrainParameters<T>,
        wanted: &[T],
        tally: &mut Tally,
    ) -> Four<T> {
        let scale = half_if_symmetric::<T>(level.kind.0);
        let mut errors = T::four(s, wanted);
        for (i, error) in errors.iter_mut().enumerate() {
            let difference = (*error - self.output[i]) * scale;
            *error = if i < level.neurons { difference } else { T::ZERO };
        }
        for (i, difference) in errors.iter().enumerate() {
            if i < level.neurons {
                tally.add(*difference, training.bit_fail_limit);
            }
        }
        let measure = training.train_error_function;
        let (n, values, sums) = (level.lanes(), &self.output, &self.output_sums);
        T::judge(s.four(), measure, level.kind, &values[..n], &sums[..n], &mut errors[..n]);
        errors
    }

    /// The errors of the hidden layer.
    #[inline(always)]
    fn pass_back<S: Simd>(
        &self,
        s: S,
        shape: &Shape<T>,
        weights: &Weights<T, IN, MID>,
        errors: &Four<T>,
    ) -> Four<T> {
        let mut hidden = T::spread_four(s, shape.output.neurons, errors, &weights.output[0]);
        let (n, kind) = (shape.hidden.lanes(), shape.hidden.kind);
        let (values, sums) = (&self.hidden[0][..n], &self.hidden_sums[..n]);
        T::derive(s.four(), kind, values, sums, &mut hidden[..n]);
        hidden
    }

    /// Adds errors times values.
    #[inline(always)]
    fn follow<S: Simd>(
        &self,
        s: S,
        shape: &Shape<T>,
        (hidden, output): (&Four<T>, &Four<T>),
        into: &mut Weights<T, IN, MID>,
    ) {
        let Level { neurons, sources, .. } = shape.output;
        T::follow_four(s, (neurons, sources), output, &self.hidden, &mut into.output);
        let Level { neurons, sources, .. } = shape.hidden;
        T::follow_four(s, (neurons, sources), hidden, &self.inputs, &mut into.hidden);
    }

    /// Leaves inputs, values and sums where they are looked for. A vector of values may reach beyond its layer, into
    /// what is written next; sums past the neurons mean nothing.
    #[inline(always)]
    fn keep<S: Simd>(&self, s: S, parts: &mut Parts<'_, T>) {
        for (k, inputs) in self.inputs.iter().enumerate() {
            put(inputs, &mut parts.values[k * WIDTH..]);
        }
        let [_, mid, last] = &parts.layout.layers[..] else { return };
        for (layer, values) in [(mid, &self.hidden[0]), (last, &self.output)] {
            put(values, &mut parts.values[layer.first..]);
            parts.values[layer.first + layer.computed] = T::ONE;
        }
        for (layer, sums) in [(mid, &self.hidden_sums), (last, &self.output_sums)] {
            T::put_four(s, sums, &mut parts.sums[layer.first..][..layer.computed]);
        }
    }
}

/// A vector at the beginning of a slice.
#[inline(always)]
fn put<T: Real>(four: &Four<T>, place: &mut [T]) {
    if let Some(place) = place.first_chunk_mut() {
        *place = *four;
    }
}

/// Weights follow each sample. A few words: what a kernel brings along is copied on its way in.
struct Incremental<'a, T: Real, const IN: usize, const MID: usize> {
    network: &'a mut Network<T>,
    samples: &'a Samples<'a, T>,
}

impl<T: Real, const IN: usize, const MID: usize> Kernel for Incremental<'_, T, IN, MID> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Incremental { network, samples } = self;
        let (training, mut tally) = (network.training.clone(), network.tally);
        let mut parts = network.parts();
        let shape = Shape::of(&parts);
        let mut weights = Weights::<T, IN, MID>::of(s, &shape, parts.weights);
        let rate = T::of_f32(training.learning_rate);
        let rows = samples.len();
        let mut inputs = with_bias(s, samples.input(0));
        let mut sums = T::weigh_four(s, &weights.hidden, &inputs);
        for row in 0..rows {
            let sample = Sample::forward(s, &shape, &weights, inputs, sums);
            // After the last comes none, and it may as well come again.
            inputs = with_bias(s, samples.input((row + 1).min(rows - 1)));
            sums = T::weigh_four(s, &weights.hidden, &inputs);
            let alike = likeness(s, &sample.inputs, &inputs);
            let wanted = samples.output(row);
            let mut output = sample.find_errors(s, &shape.output, &training, wanted, &mut tally);
            let mut hidden = sample.pass_back(s, &shape, &weights, &output);
            for i in 0..WIDTH {
                sums[i] += hidden[i] * (rate * alike[i]);
                (output[i], hidden[i]) = (output[i] * rate, hidden[i] * rate);
            }
            sample.follow(s, &shape, (&hidden, &output), &mut weights);
            // A product too large for a number tells nothing of a step that is 0 or small.
            if !(rate * alike[0]).f64().is_finite() {
                sums = T::weigh_four(s, &weights.hidden, &inputs);
            }
            if row + 1 == rows {
                sample.keep(s, &mut parts);
            }
        }
        weights.put(s, &shape, parts.weights);
        network.tally = tally;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TrainData;
    use crate::parameters::{Algorithm, ErrorFunction};

    /// A network of these sizes, and samples for it.
    fn made<T: Real>(sizes: &[usize; 3], function: Activation) -> (Network<T>, TrainData<T>) {
        let mut network = Network::<T>::standard(sizes).unwrap();
        network.set_activation_function_hidden(function);
        network.set_activation_function_output(Activation::Sigmoid);
        network.training.training_algorithm = Algorithm::Incremental;
        for (i, weight) in network.weights_mut().iter_mut().enumerate() {
            *weight = T::of((i * 37 % 23) as f64 / 11.3 - 0.97);
        }
        let number = |i: usize| T::of((i * 29 % 17) as f64 / 8.3 - 0.93);
        let inputs = (0..5 * sizes[0]).map(number).collect();
        let outputs = (0..5 * sizes[2]).map(|i| number(i).abs()).collect();
        (network, TrainData::from_parts(5, (sizes[0], sizes[2]), inputs, outputs).unwrap())
    }

    /// Trained here, and, with a momentum that adds nothing, in the general way.
    fn both_ways<T: Real>(network: Network<T>, data: &TrainData<T>) -> [Network<T>; 2] {
        assert!(network.is_tiny());
        [0.0, f32::MIN_POSITIVE].map(|momentum| {
            let mut network = network.clone();
            network.training.learning_momentum = momentum;
            for _ in 0..3 {
                network.train_epoch(data).unwrap();
            }
            network
        })
    }

    fn equals_the_general_way<T: Real>() {
        let sizes = [[2, 4, 1], [3, 3, 2], [4, 1, 4], [7, 4, 3], [1, 2, 1]];
        let cases = sizes.into_iter().flat_map(|sizes| Activation::ALL.map(|f| (sizes, f)));
        for ((sizes, function), i) in cases.zip(0..) {
            let (mut network, data) = made::<T>(&sizes, function);
            network.set_activation_steepness_hidden(T::of([0.5, -0.4, 0.8][i % 3]));
            if i % 2 == 1 {
                network.training.train_error_function = ErrorFunction::Linear;
            }
            let [here, there] = both_ways(network, &data);
            let close =
                |a: &[T], b: &[T]| a.iter().zip(b).all(|(a, b)| (a.f64() - b.f64()).abs() < 2e-4);
            assert!(close(here.weights(), there.weights()), "{sizes:?} {function:?}");
            assert!(close(here.values(), there.values()), "{sizes:?} {function:?}");
            assert!((here.mse() - there.mse()).abs() < 1e-5, "{sizes:?} {function:?}");
            assert_eq!(here.bit_fail(), there.bit_fail(), "{sizes:?} {function:?}");
        }
    }

    #[test]
    fn incremental_training_equals_the_general_way() {
        equals_the_general_way::<f32>();
        equals_the_general_way::<f64>();
    }

    fn huge_inputs_stay_numbers<T: Real>(huge: f64) {
        let (network, _) = made::<T>(&[2, 3, 1], Activation::ThresholdSymmetric);
        let inputs = [1.0, -1.0, 1.0, 1.0].map(|x| T::of(x * huge)).to_vec();
        let outputs = vec![T::of(0.2), T::of(0.7)];
        let data = TrainData::from_parts(2, (2, 1), inputs, outputs).unwrap();
        let [here, there] = both_ways(network, &data);
        for (a, b) in here.weights().iter().zip(there.weights()) {
            assert!((a.f64() - b.f64()).abs() < 2e-4, "{a} {b}");
        }
    }

    #[test]
    fn inputs_whose_products_are_no_numbers_are_learned_in_the_general_way() {
        huge_inputs_stay_numbers::<f32>(1e20);
        huge_inputs_stay_numbers::<f64>(1e160);
    }

    #[test]
    fn layers_of_several_kinds_are_left_to_the_general_way() {
        let (mut network, _) = made::<f32>(&[2, 4, 1], Activation::SigmoidSymmetric);
        network.set_activation_function(Activation::Linear, 1, 2).unwrap();
        assert!(!network.is_tiny());
        assert!(!Network::<f32>::shortcut(&[2, 4, 1]).unwrap().is_tiny());
        assert!(!Network::<f32>::standard(&[8, 4, 1]).unwrap().is_tiny());
    }
}
