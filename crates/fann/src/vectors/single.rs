//! The loops of `f32`, in vectors. No closure stands between a loop and its vectors: closures are compiled for the
//! baseline instruction set.

use super::Vectors;
use crate::activation::{Activation, Pieces, STEPWISE, STEPWISE_SYMMETRIC};
use crate::parameters::ErrorFunction;
use crate::real::LANES;
use whimbrel_kernels::maths;
use whimbrel_kernels::simd::{Simd, from_slice, to_slice};

/// Rows shorter than this are not worth vectors.
const SHORT: usize = 8;

impl Vectors for f32 {
    #[inline(always)]
    fn dot<S: Simd>(s: S, a: &[f32], b: &[f32]) -> f32 {
        let n = a.len().min(b.len());
        let (mut a, mut b) = (&a[..n], &b[..n]);
        let mut sum = 0.0;
        if n >= S::LANES {
            let zero = s.splat(0.0);
            let mut chains = [zero; 4];
            while a.len() >= 4 * S::LANES {
                let (first_a, rest_a) = a.split_at(4 * S::LANES);
                let (first_b, rest_b) = b.split_at(4 * S::LANES);
                chains[0] = s.fma(from_slice(s, first_a), from_slice(s, first_b), chains[0]);
                for i in 1..4 {
                    let x = from_slice(s, &first_a[i * S::LANES..]);
                    chains[i] = s.fma(x, from_slice(s, &first_b[i * S::LANES..]), chains[i]);
                }
                (a, b) = (rest_a, rest_b);
            }
            while a.len() >= S::LANES {
                chains[0] = s.fma(from_slice(s, a), from_slice(s, b), chains[0]);
                (a, b) = (&a[S::LANES..], &b[S::LANES..]);
            }
            let all = s.add(s.add(chains[0], chains[1]), s.add(chains[2], chains[3]));
            sum = s.sum(all);
        }
        for (a, b) in a.iter().zip(b) {
            sum += *a * *b;
        }
        sum
    }

    #[inline(always)]
    fn combine<S: Simd>(s: S, weights: &[f32], rows: &[f32], stride: usize, sums: &mut [f32]) {
        let mut at = 0;
        while at + 4 * S::LANES <= sums.len() {
            let mut four = [s.splat(0.0); 4];
            for (weight, row) in weights.iter().zip(rows.chunks_exact(stride)) {
                let (weight, row) = (s.splat(*weight), &row[at..at + 4 * S::LANES]);
                for i in 0..4 {
                    four[i] = s.fma(weight, from_slice(s, &row[i * S::LANES..]), four[i]);
                }
            }
            for i in 0..4 {
                to_slice(s, four[i], &mut sums[at + i * S::LANES..]);
            }
            at += 4 * S::LANES;
        }
        while at < sums.len() {
            let mut sum = s.splat(0.0);
            for (weight, row) in weights.iter().zip(rows.chunks_exact(stride)) {
                sum = s.fma(s.splat(*weight), from_slice(s, &row[at..]), sum);
            }
            to_slice(s, sum, &mut sums[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn add_scaled<S: Simd>(s: S, sum: &mut [f32; LANES], weight: f32, x: &[f32; LANES]) {
        let weight = s.splat(weight);
        let mut at = 0;
        while at < LANES {
            let v = s.fma(weight, from_slice(s, &x[at..]), from_slice(s, &sum[at..]));
            to_slice(s, v, &mut sum[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn add_products<S: Simd>(s: S, factor: f32, errors: &[f32], rows: &[f32], slopes: &mut [f32]) {
        for (slope, row) in slopes.iter_mut().zip(rows.chunks_exact(errors.len())) {
            *slope += factor * f32::dot(s, errors, row);
        }
    }

    #[inline(always)]
    fn learn<S: Simd>(
        s: S,
        (error, step): (f32, f32),
        row: &mut [f32],
        x: &[f32],
        before: &mut [f32],
    ) {
        let n = row.len().min(x.len());
        let passes_on = before.len() >= n;
        let mut at = 0;
        if n >= SHORT {
            let (errors, steps) = (s.splat(error), s.splat(step));
            while at + S::LANES <= n {
                let w = from_slice(s, &row[at..]);
                if passes_on {
                    let b = s.fma(errors, w, from_slice(s, &before[at..]));
                    to_slice(s, b, &mut before[at..]);
                }
                to_slice(s, s.fma(steps, from_slice(s, &x[at..]), w), &mut row[at..]);
                at += S::LANES;
            }
        }
        if passes_on {
            for ((w, x), b) in row[at..n].iter_mut().zip(&x[at..n]).zip(&mut before[at..n]) {
                *b += error * *w;
                *w += step * *x;
            }
        } else {
            for (w, x) in row[at..n].iter_mut().zip(&x[at..n]) {
                *w += step * *x;
            }
        }
    }

    #[inline(always)]
    fn activate<S: Simd>(
        s: S,
        (function, steepness): (Activation, f32),
        sums: &mut [f32],
        values: &mut [f32],
    ) {
        let (most, scale) = (150.0 / steepness, s.splat(steepness));
        let mut at = 0;
        while at + S::LANES <= sums.len() {
            let sum = hold(s, s.mul(scale, from_slice(s, &sums[at..])), most);
            to_slice(s, sum, &mut sums[at..]);
            to_slice(s, value(s, function, sum), &mut values[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn activate_candidate<S: Simd>(
        s: S,
        (function, steepness): (Activation, f32),
        sums: &mut [f32],
        values: &mut [f32],
    ) {
        let (most, scale) = (150.0 / steepness, s.splat(steepness));
        let mut at = 0;
        while at + S::LANES <= sums.len() {
            let sum = hold(s, from_slice(s, &sums[at..]), most);
            to_slice(s, sum, &mut sums[at..]);
            to_slice(s, value(s, function, s.mul(scale, sum)), &mut values[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn derive<S: Simd>(
        s: S,
        (function, steepness): (Activation, f32),
        values: &[f32],
        sums: &[f32],
        errors: &mut [f32],
    ) {
        let sums = if sums.len() < errors.len() { values } else { sums };
        let mut at = 0;
        while at + S::LANES <= errors.len() {
            let (v, sum) = (from_slice(s, &values[at..]), from_slice(s, &sums[at..]));
            let error = s.mul(from_slice(s, &errors[at..]), slope(s, function, steepness, v, sum));
            to_slice(s, error, &mut errors[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn judge<S: Simd>(
        s: S,
        measure: ErrorFunction,
        (function, steepness): (Activation, f32),
        values: &[f32; LANES],
        sums: &[f32; LANES],
        differences: &mut [f32; LANES],
    ) {
        let mut at = 0;
        while at < LANES {
            let mut x = from_slice(s, &differences[at..]);
            if measure == ErrorFunction::Tanh {
                let (one, near, most) = (s.splat(1.0), s.splat(0.999_999_9), s.splat(17.0));
                let worth = maths::log(s, s.div(s.add(one, x), s.sub(one, x)));
                let worth = s.select(s.lt(x, s.neg(near)), s.neg(most), worth);
                x = s.select(s.lt(near, x), most, worth);
            }
            let (v, sum) = (from_slice(s, &values[at..]), from_slice(s, &sums[at..]));
            to_slice(s, s.mul(x, slope(s, function, steepness, v, sum)), &mut differences[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn combine_lanes<S: Simd>(s: S, weights: &[f32], rows: &[f32], sum: &mut [f32; LANES]) {
        let mut at = 0;
        while at < LANES {
            let mut total = s.splat(0.0);
            for (w, x) in weights.chunks_exact(LANES).zip(rows.chunks_exact(LANES)) {
                total = s.fma(from_slice(s, &w[at..]), from_slice(s, &x[at..]), total);
            }
            to_slice(s, total, &mut sum[at..]);
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn spread_lanes<S: Simd>(s: S, error: &[f32; LANES], by: &[f32], into: &mut [f32]) {
        let mut at = 0;
        while at < LANES {
            let error = from_slice(s, &error[at..]);
            for (by, into) in by.chunks_exact(LANES).zip(into.chunks_exact_mut(LANES)) {
                let v = s.fma(error, from_slice(s, &by[at..]), from_slice(s, &into[at..]));
                to_slice(s, v, &mut into[at..]);
            }
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn value_of(function: Activation, sum: f32) -> f32 {
        match function {
            Activation::Sigmoid => 1.0 / (1.0 + (-2.0 * sum).exp()),
            Activation::SigmoidSymmetric => 2.0 / (1.0 + (-2.0 * sum).exp()) - 1.0,
            _ => function.value(sum),
        }
    }

    #[inline(always)]
    fn worth_of(measure: ErrorFunction, difference: f32) -> f32 {
        match difference {
            x if measure == ErrorFunction::Linear => x,
            x if x < -0.999_999_9 => -17.0,
            x if x > 0.999_999_9 => 17.0,
            x => ((1.0 + x) / (1.0 - x)).ln(),
        }
    }
}

/// Holds sums to `-most ..= most`, in FANN's order of comparisons.
#[inline(always)]
fn hold<S: Simd>(s: S, sum: S::F, most: f32) -> S::F {
    let (low, high) = (s.splat(-most), s.splat(most));
    s.select(s.lt(high, sum), high, s.select(s.lt(sum, low), low, sum))
}

/// Values of sums.
#[inline(always)]
fn value<S: Simd>(s: S, function: Activation, x: S::F) -> S::F {
    use Activation::*;
    let (zero, one, half) = (s.splat(0.0), s.splat(1.0), s.splat(0.5));
    match function {
        Linear => x,
        Threshold => s.select(s.lt(x, zero), zero, one),
        ThresholdSymmetric => s.select(s.lt(x, zero), s.neg(one), one),
        Sigmoid => maths::sigmoid(s, s.add(x, x)),
        SigmoidStepwise => stepwise(s, &STEPWISE, x),
        SigmoidSymmetric => maths::tanh(s, x),
        SigmoidSymmetricStepwise => stepwise(s, &STEPWISE_SYMMETRIC, x),
        Gaussian => maths::exp(s, s.neg(s.mul(x, x))),
        GaussianSymmetric => {
            let bell = maths::exp(s, s.neg(s.mul(x, x)));
            s.sub(s.add(bell, bell), one)
        }
        GaussianStepwise => zero,
        Elliot => s.add(s.div(s.mul(half, x), s.add(one, s.abs(x))), half),
        ElliotSymmetric => s.div(x, s.add(one, s.abs(x))),
        LinearPiece => clip(s, x, 0.0, 1.0),
        LinearPieceSymmetric => clip(s, x, -1.0, 1.0),
        SinSymmetric => maths::sin(s, x),
        CosSymmetric => maths::cos(s, x),
        Sin => s.fma(maths::sin(s, x), half, half),
        Cos => s.fma(maths::cos(s, x), half, half),
    }
}

#[inline(always)]
fn clip<S: Simd>(s: S, x: S::F, low: f32, high: f32) -> S::F {
    let (low, high) = (s.splat(low), s.splat(high));
    s.select(s.lt(x, low), low, s.select(s.lt(high, x), high, x))
}

#[inline(always)]
fn stepwise<S: Simd>(s: S, pieces: &Pieces, x: S::F) -> S::F {
    let mut value = s.splat(pieces.lowest as f32);
    for i in 0..5 {
        let (v1, v2) = (pieces.sums[i], pieces.sums[i + 1]);
        let (r1, r2) = (pieces.values[i], pieces.values[i + 1]);
        let along = s.sub(x, s.splat(v1 as f32));
        let piece = s.fma(s.splat(((r2 - r1) / (v2 - v1)) as f32), along, s.splat(r1 as f32));
        value = s.select(s.lt(x, s.splat(v1 as f32)), value, piece);
    }
    s.select(s.lt(x, s.splat(pieces.sums[5] as f32)), value, s.splat(1.0))
}

/// Derivatives at values and sums.
#[inline(always)]
fn slope<S: Simd>(s: S, function: Activation, steepness: f32, value: S::F, sum: S::F) -> S::F {
    use Activation::*;
    let one = s.splat(1.0);
    match function {
        Linear | LinearPiece | LinearPieceSymmetric => s.splat(steepness),
        Sigmoid | SigmoidStepwise => {
            let v = clip(s, value, 0.01, 0.99);
            s.mul(s.mul(s.splat(2.0 * steepness), v), s.sub(one, v))
        }
        SigmoidSymmetric | SigmoidSymmetricStepwise => {
            let v = clip(s, value, -0.98, 0.98);
            s.mul(s.splat(steepness), s.fnma(v, v, one))
        }
        Gaussian => s.mul(s.mul(s.splat(-2.0 * steepness * steepness), sum), value),
        GaussianSymmetric => {
            s.mul(s.mul(s.splat(-2.0 * steepness * steepness), sum), s.add(value, one))
        }
        Elliot | ElliotSymmetric => {
            let scale = if function == Elliot { 0.5 * steepness } else { steepness };
            let below = s.add(one, s.abs(sum));
            s.div(s.splat(scale), s.mul(below, below))
        }
        SinSymmetric | Sin => {
            let scale = if function == Sin { 0.5 * steepness } else { steepness };
            s.mul(s.splat(scale), maths::cos(s, s.mul(s.splat(steepness), sum)))
        }
        CosSymmetric | Cos => {
            let scale = if function == Cos { 0.5 * steepness } else { steepness };
            s.mul(s.splat(-scale), maths::sin(s, s.mul(s.splat(steepness), sum)))
        }
        Threshold | ThresholdSymmetric | GaussianStepwise => s.splat(0.0),
    }
}
