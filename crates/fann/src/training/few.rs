//! Epochs over up to four samples of a tiny network, each sample in a lane of vectors of four.
//!
//! Everything on its way has a place of a size that the compiler knows. Lanes without a sample hold
//! zeros, and their errors are 0.

use super::follow::Weights;
use super::lanes::FEW_SAMPLES as LANES;
use super::state::State;
use super::tally::{Tally, half_if_symmetric};
use super::tiny::{Level, MOST_SOURCES, Shape, WIDTH};
use crate::data::Samples;
use crate::error::Result;
use crate::network::Network;
use crate::parameters::Algorithm;
use crate::real::Real;
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// A number of each sample.
type Block<T> = [T; LANES];

impl<T: Real> Network<T> {
    /// Whether samples, network and algorithm are those of this module.
    #[inline(always)]
    pub(super) fn is_few(&self, samples: &Samples<'_, T>) -> bool {
        let follows = matches!(
            self.training.training_algorithm,
            Algorithm::Batch | Algorithm::Rprop | Algorithm::Quickprop
        );
        follows && (1..=LANES).contains(&samples.len()) && self.is_tiny()
    }

    /// An epoch over up to four samples of a tiny network, which adds to the errors so far.
    pub(super) fn train_few(&mut self, samples: &Samples<'_, T>) -> Result<()> {
        self.state.need_slopes(self.layout.connections)?;
        match (self.num_input() < WIDTH, self.num_output() == 1) {
            (true, true) => run(Few::<T, WIDTH, 1> { network: self, samples }),
            (true, false) => run(Few::<T, WIDTH, WIDTH> { network: self, samples }),
            (false, true) => run(Few::<T, MOST_SOURCES, 1> { network: self, samples }),
            (false, false) => run(Few::<T, MOST_SOURCES, WIDTH> { network: self, samples }),
        }
        Ok(())
    }
}

/// There is room for `IN` inputs, bias included, and `OUT` outputs. A few words: what a kernel brings along is copied on
/// its way in.
struct Few<'a, T: Real, const IN: usize, const OUT: usize> {
    network: &'a mut Network<T>,
    samples: &'a Samples<'a, T>,
}

impl<T: Real, const IN: usize, const OUT: usize> Kernel for Few<'_, T, IN, OUT> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Few { network, samples } = self;
        let Shape { hidden: mid, output: last } = Shape::of(&network.parts());
        let (mid_weights, last_weights) = network.weights().split_at(mid.weights());
        let n = mid.neurons;

        // A bias follows the inputs, and one the hidden neurons.
        let mut inputs = [[T::ONE; LANES]; IN];
        columns(s, samples.inputs(), samples.len(), &mut inputs[..mid.sources - 1]);
        let inputs = &inputs[..mid.sources];
        let mut hidden = [[T::ONE; LANES]; WIDTH + 1];
        let mut hidden_sums: [_; WIDTH] = T::weigh_few(s, mid_weights, n, inputs);
        activate(s, &mid, &mut hidden_sums, &mut hidden[..WIDTH]);
        hidden[n] = [T::ONE; LANES];
        let hidden = &hidden[..=n];
        let mut output = [[T::ZERO; LANES]; OUT];
        let mut output_sums: [_; OUT] = T::weigh_few(s, last_weights, last.neurons, hidden);
        activate(s, &last, &mut output_sums, &mut output);

        let mut errors = [[T::ZERO; LANES]; OUT];
        let errors = &mut errors[..last.neurons];
        columns(s, samples.outputs(), samples.len(), errors);
        let training = &network.training;
        let tally = differ(&output, samples.len(), training.bit_fail_limit, &last, errors);
        let (values, sums) = (output.as_flattened(), output_sums.as_flattened());
        let measure = training.train_error_function;
        T::judge(s.four(), measure, last.kind, values, sums, errors.as_flattened_mut());
        let mut hidden_errors = [[T::ZERO; LANES]; WIDTH];
        let hidden_errors = &mut hidden_errors[..n];
        for (k, error) in errors.iter_mut().enumerate() {
            error[samples.len()..].fill(T::ZERO);
            let row = &last_weights[k * last.sources..][..n];
            T::spread(s.four(), error, row, hidden_errors, k > 0);
        }
        let (values, sums) = (hidden.as_flattened(), hidden_sums.as_flattened());
        T::derive(s.four(), mid.kind, values, sums, hidden_errors.as_flattened_mut());

        let mut mid_products = [[[T::ZERO; LANES]; IN]; WIDTH];
        let mid_products = &mut mid_products.as_flattened_mut()[..mid.weights()];
        multiply(hidden_errors, inputs, mid_products);
        let mut last_products = [[[T::ZERO; LANES]; WIDTH + 1]; OUT];
        let last_products = &mut last_products.as_flattened_mut()[..last.weights()];
        multiply(errors, hidden, last_products);
        let (mid_slopes, last_slopes) = network.state.slopes.split_at_mut(mid.weights());
        T::add_lanes(s, mid_products, mid_slopes);
        T::add_lanes(s, last_products, last_slopes);
        network.tally.add_all(tally);
        network.follow_few(samples.len());
    }
}

impl<T: Real> Network<T> {
    /// Lets the weights follow their slopes.
    #[inline(always)]
    fn follow_few(&mut self, samples: usize) {
        let connections = self.layout.connections;
        let State { slopes, prev_steps, prev_slopes, .. } = &mut self.state;
        // What was put there from outside may be longer; batch training remembers nothing.
        let is_batch = self.training.training_algorithm == Algorithm::Batch;
        let remembered = if is_batch { 0 } else { connections };
        let weights = Weights {
            weights: &mut self.block[..connections],
            slopes: &mut slopes[..connections],
            prev_steps: &mut prev_steps[..remembered],
            prev_slopes: &mut prev_slopes[..remembered],
        };
        weights.step_by::<LANES, true>(&self.training, samples);
    }
}

/// Numbers of a column of some rows become a block.
#[inline(always)]
fn columns<T: Real, S: Simd>(s: S, rows: &[T], len: usize, blocks: &mut [Block<T>]) {
    let n = blocks.len();
    let zeros = [T::ZERO; MOST_SOURCES];
    let row = |lane: usize| if lane < len { &rows[lane * n..][..n] } else { &zeros[..n] };
    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
    for i in 0..n {
        blocks[i] = T::gather(s, [&a[i], &b[i], &c[i], &d[i]]);
    }
}

/// Room of a layer is computed as far as it is cheap.
#[inline(always)]
fn activate<T: Real, S: Simd>(
    s: S,
    level: &Level<T>,
    sums: &mut [Block<T>],
    values: &mut [Block<T>],
) {
    let n = if T::PADS { sums.len() } else { level.neurons };
    let (sums, values) = (&mut sums[..n], &mut values[..n]);
    T::activate_to_learn(s.four(), level.kind, sums.as_flattened_mut(), values.as_flattened_mut());
}

/// What is wanted becomes differences from it, which are counted.
#[inline(always)]
fn differ<T: Real>(
    output: &[Block<T>],
    samples: usize,
    limit: T,
    level: &Level<T>,
    wanted: &mut [Block<T>],
) -> Tally {
    let scale = half_if_symmetric::<T>(level.kind.0);
    let mut tally = Tally::default();
    for (wanted, output) in wanted.iter_mut().zip(output) {
        for lane in 0..LANES {
            wanted[lane] = (wanted[lane] - output[lane]) * scale;
        }
        for difference in &wanted[..samples.min(LANES)] {
            tally.add(*difference, limit);
        }
    }
    tally
}

/// The products of every error with every value.
#[inline(always)]
fn multiply<T: Real>(errors: &[Block<T>], values: &[Block<T>], products: &mut [Block<T>]) {
    let mut rest = products;
    for error in errors {
        let (row, others) = rest.split_at_mut(values.len());
        for i in 0..values.len() {
            for lane in 0..LANES {
                row[i][lane] = error[lane] * values[i][lane];
            }
        }
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Activation;
    use crate::data::TrainData;
    use crate::parameters::ErrorFunction;

    const ALGORITHMS: [Algorithm; 3] = [Algorithm::Batch, Algorithm::Rprop, Algorithm::Quickprop];

    fn made<T: Real>(sizes: &[usize; 3], rows: usize) -> (Network<T>, TrainData<T>) {
        let mut network = Network::<T>::standard(sizes).unwrap();
        for (i, weight) in network.weights_mut().iter_mut().enumerate() {
            *weight = T::of((i * 37 % 23) as f64 / 11.3 - 0.97);
        }
        let number = |i: usize| T::of((i * 29 % 17) as f64 / 8.3 - 0.93);
        let inputs = (0..rows * sizes[0]).map(number).collect();
        let outputs = (0..rows * sizes[2]).map(|i| number(i).abs()).collect();
        (network, TrainData::from_parts(rows, (sizes[0], sizes[2]), inputs, outputs).unwrap())
    }

    /// Three epochs in the way of networks of any size.
    fn train_generally<T: Real>(network: &mut Network<T>, samples: Samples<'_, T>) {
        for _ in 0..3 {
            network.reset_mse();
            network.need_state().unwrap();
            network.add_slopes(samples, None).unwrap();
            network.take_step(0..network.layout.connections, samples.len()).unwrap();
        }
    }

    fn equals_the_general_way<T: Real>() {
        let sizes = [[2, 4, 1], [3, 3, 2], [4, 1, 4], [7, 4, 3], [1, 2, 1], [5, 4, 1]];
        let cases = sizes.into_iter().flat_map(|sizes| Activation::ALL.map(|f| (sizes, f)));
        for ((sizes, function), i) in cases.zip(0..) {
            let (mut network, data) = made::<T>(&sizes, 1 + i % LANES);
            network.set_activation_function_hidden(function);
            network.set_activation_function_output(
                Activation::ALL[(i * 7 + 3) % Activation::ALL.len()],
            );
            network.set_activation_steepness_hidden(T::of([0.5, -0.4, 0.8][i % 3]));
            network.training.training_algorithm = ALGORITHMS[i % 3];
            network.training.learning_rate = 0.1;
            if i % 2 == 1 {
                network.training.train_error_function = ErrorFunction::Linear;
            }
            let mut other = network.clone();
            assert!(network.is_few(&(&data).into()));
            (0..3).for_each(|_| _ = network.train_epoch(&data).unwrap());
            train_generally(&mut other, (&data).into());
            for (a, b) in network.weights().iter().zip(other.weights()) {
                let (a, b) = (a.f64(), b.f64());
                let error = (a - b).abs();
                assert!(error < 1e-3 * b.abs().max(1.0), "{sizes:?} {function:?} {i}: {a} {b}");
            }
            assert!((network.mse() - other.mse()).abs() < 1e-4, "{sizes:?} {function:?} {i}");
            assert_eq!(network.bit_fail(), other.bit_fail(), "{sizes:?} {function:?} {i}");
        }
    }

    #[test]
    fn few_samples_are_learnt_as_in_the_general_way() {
        equals_the_general_way::<f32>();
        equals_the_general_way::<f64>();
    }

    #[test]
    fn no_steepness_and_no_number_stops_an_epoch() {
        for (steepness, algorithm) in [f32::NAN, f32::INFINITY, 0.0, -1e30]
            .into_iter()
            .flat_map(|steepness| ALGORITHMS.map(|algorithm| (steepness, algorithm)))
        {
            let (mut network, mut data) = made::<f32>(&[2, 3, 2], 3);
            network.set_activation_steepness_hidden(steepness);
            network.training.training_algorithm = algorithm;
            data.inputs_mut()[1] = f32::NAN;
            data.outputs_mut()[1] = f32::INFINITY;
            network.train_epoch(&data).unwrap();
        }
    }
}
