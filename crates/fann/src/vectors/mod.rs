//! The inner loops of networks, for both number types.
//!
//! [`Vectors`] for `f32` (`single`, `curves`, `four` for tiny networks, `crowd` for many) holds its numbers in vectors of
//! the instruction set in use; for `f64` (`double`) it is plain loops. Lengths of rows that are called blocks are multiples
//! of the lanes of the vectors given.

mod crowd;
mod curves;
mod double;
mod four;
mod single;

use crate::activation::Activation;
use crate::parameters::ErrorFunction;
use whimbrel_kernels::simd::Simd;

/// Neurons up to which a layer is computed in registers, or, where they or their inputs are of many kinds, one by one:
/// blocks would be mostly empty, and would wait for their parts.
#[doc(hidden)]
pub const FEW: usize = 4;

/// Numbers in `W` lanes, each of them a network, for each of `R` samples; where a network is alone, lanes are samples.
#[doc(hidden)]
pub type Lanes<T, const W: usize, const R: usize> = [[T; W]; R];

/// What an output is to be, and how far off it is.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Aim<'a, T> {
    /// What is wanted of each sample there is.
    pub wanted: &'a [T],
    /// By what differences count.
    pub scale: T,
    /// The difference from which on a bit has failed.
    pub limit: T,
    pub measure: ErrorFunction,
}

/// The inner loops of a number type.
#[doc(hidden)]
pub trait Vectors: Sized {
    /// Whether numbers of few neurons are padded to a vector of four.
    const PADS: bool;

    /// The sum of products of two rows of the same length.
    #[inline(always)]
    fn dot<S: Simd>(s: S, a: &[Self], b: &[Self]) -> Self {
        let [sum] = Self::dots(s, [a], b);
        sum
    }

    /// The sums of products of each row with `x`, all of the same length: together they load `x` once. A
    /// row beside others has the sum it has alone.
    fn dots<S: Simd, const N: usize>(s: S, rows: [&[Self]; N], x: &[Self]) -> [Self; N];

    /// `sums[k] = sum over i of weights[i] rows[i * stride + k]`; sums are blocks.
    fn combine<S: Simd>(s: S, weights: &[Self], rows: &[Self], stride: usize, sums: &mut [Self]);

    /// `sum += weight x` for one block.
    fn add_scaled<S: Simd, const W: usize>(s: S, sum: &mut [Self; W], weight: Self, x: &[Self; W]);

    /// `slopes[i] += factor * sum over k of errors[k] rows[i * errors.len() + k]`; errors are blocks.
    fn add_products<S: Simd>(
        s: S,
        factor: Self,
        errors: &[Self],
        rows: &[Self],
        slopes: &mut [Self],
    );

    /// A row passes its neuron's error on to `before` where that is not empty, then follows it:
    /// `before += error row; row += step x`.
    fn learn<S: Simd>(
        s: S,
        error_and_step: (Self, Self),
        row: &mut [Self],
        x: &[Self],
        before: &mut [Self],
    );

    /// Weighted inputs, in blocks, become sums; values are those of the function.
    fn activate<S: Simd>(s: S, kind: (Activation, Self), sums: &mut [Self], values: &mut [Self]);

    /// [`activate`](Vectors::activate) where sums are asked for by [`derive`](Vectors::derive) alone: those of functions
    /// whose slopes do not take them mean nothing afterwards.
    fn activate_to_learn<S: Simd>(
        s: S,
        kind: (Activation, Self),
        sums: &mut [Self],
        values: &mut [Self],
    );

    /// [`activate`](Vectors::activate) for `n` neurons, few enough to stay in registers; gives the values. Past `n` both
    /// are numbers that mean nothing.
    fn activate_few(kind: (Activation, Self), n: usize, sums: &mut [Self; FEW]) -> [Self; FEW];

    /// Sums that hold no steepness yet, in blocks: holds them to their range; values are those of the function.
    fn activate_candidate<S: Simd>(
        s: S,
        kind: (Activation, Self),
        sums: &mut [Self],
        values: &mut [Self],
    );

    /// Multiplies errors, in blocks, by the slopes of the function. Without sums, values stand for them.
    fn derive<S: Simd>(
        s: S,
        kind: (Activation, Self),
        values: &[Self],
        sums: &[Self],
        errors: &mut [Self],
    );

    /// Turns differences, in blocks, into errors: what they are worth times the slopes of the function.
    fn judge<S: Simd>(
        s: S,
        measure: ErrorFunction,
        kind: (Activation, Self),
        values: &[Self],
        sums: &[Self],
        differences: &mut [Self],
    );

    /// `sums[j] = sum over i of weights[j * rows.len() + i] rows[i]`: a layer whose lanes share their weights.
    fn weigh<S: Simd, const W: usize>(
        s: S,
        weights: &[Self],
        rows: &[[Self; W]],
        sums: &mut [[Self; W]],
    );

    /// [`weigh`](Vectors::weigh) for `n` neurons and four lanes; sums past the `n`-th mean nothing. There is a row of
    /// weights for each neuron.
    fn weigh_few<S: Simd, const N: usize>(
        s: S,
        weights: &[Self],
        n: usize,
        rows: &[[Self; 4]],
    ) -> [[Self; 4]; N];

    /// `into[i] = by[i] error`, or added to what is there.
    fn spread<S: Simd, const W: usize>(
        s: S,
        error: &[Self; W],
        by: &[Self],
        into: &mut [[Self; W]],
        adds: bool,
    );

    /// Weighs what neurons of one kind take, with weights of each lane's own, and applies their function. Sums of
    /// functions whose slopes do not take them mean nothing afterwards.
    fn fire_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, Self),
        weights: &[[Self; W]],
        rows: &[Lanes<Self, W, R>],
        sums: &mut [Lanes<Self, W, R>],
        values: &mut [Lanes<Self, W, R>],
    );

    /// The errors of an output from its values and sums, 0 where there is no sample; squares and failed bits of its
    /// differences are counted.
    fn judge_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, Self),
        aim: &Aim<'_, Self>,
        values_and_sums: [&Lanes<Self, W, R>; 2],
        errors: &mut Lanes<Self, W, R>,
        counts: (&mut [f32; W], &mut [f32; W]),
    );

    /// What a layer passes back to hidden neurons of one kind that it takes: errors times their weights, which are
    /// `weights[i]`, `weights[stride + i]` and so on for neuron `i`. The first layer begins the neurons' errors, and with
    /// the last they are multiplied by the slopes of the function at their values and sums.
    fn pull_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, Self),
        values_and_sums: [&[Lanes<Self, W, R>]; 2],
        weights_and_stride: (&[[Self; W]], usize),
        takers: &[Lanes<Self, W, R>],
        is_first_and_last: (bool, bool),
        errors: &mut [Lanes<Self, W, R>],
    );

    /// `slopes[j * rows.len() + i] =` the sum over `R` samples of `errors[j] rows[i]`, or added to what is there.
    fn follow_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        errors: &[Lanes<Self, W, R>],
        rows: &[Lanes<Self, W, R>],
        slopes: &mut [[Self; W]],
        adds: bool,
    );

    /// `sums[i] +=` the sum of the lanes of `blocks[i]`.
    fn add_lanes<S: Simd, const W: usize>(s: S, blocks: &[[Self; W]], sums: &mut [Self]);

    /// Four numbers from four places, put into a vector before they are stored: it will be loaded as one.
    fn gather<S: Simd>(s: S, from: [&Self; 4]) -> [Self; 4];

    /// The first of some numbers, zeros past their end.
    fn four<S: Simd>(s: S, numbers: &[Self]) -> [Self; 4];

    /// Puts as many numbers as there is room for.
    fn put_four<S: Simd>(s: S, numbers: &[Self; 4], place: &mut [Self]);

    /// The values of the first `neurons`, then a 1, then zeros.
    fn with_bias<S: Simd>(s: S, neurons: usize, values: &[Self; 4]) -> [Self; 4];

    /// Sums of weights times values. There are four rows for every four values.
    fn weigh_four<S: Simd>(s: S, rows: &[[[Self; 4]; 4]], values: &[[Self; 4]]) -> [Self; 4];

    /// What the errors of the first `neurons` pass on to the four that they take.
    fn spread_four<S: Simd>(
        s: S,
        neurons: usize,
        errors: &[Self; 4],
        rows: &[[Self; 4]; 4],
    ) -> [Self; 4];

    /// Adds steps times values to the first `sources` weights of the first `neurons`. What pads them stays 0.
    fn follow_four<S: Simd>(
        s: S,
        neurons_and_sources: (usize, usize),
        steps: &[Self; 4],
        values: &[[Self; 4]],
        rows: &mut [[[Self; 4]; 4]],
    );

    /// The value of one sum, for layers too small for vectors.
    fn value_of(function: Activation, sum: Self) -> Self;

    /// What one difference is worth to training.
    fn worth_of(measure: ErrorFunction, difference: Self) -> Self;
}
