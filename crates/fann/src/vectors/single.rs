//! The loops of `f32`, in vectors. No closure stands between a loop and its vectors: closures are compiled for the
//! baseline instruction set. No iterator of chunks either: how many there are would take a division.

use super::curves::{Curve, Logistic, Tanh, clip, worth};
use super::{Aim, FEW, Lanes, Vectors, crowd, four};
use crate::activation::Activation;
use crate::parameters::ErrorFunction;
use whimbrel_kernels::simd::{Portable, Simd, from_slice, to_slice};

/// Rows shorter than this are not worth vectors.
const SHORT: usize = 8;

impl Vectors for f32 {
    const PADS: bool = true;

    #[inline(always)]
    fn dots<S: Simd, const N: usize>(s: S, rows: [&[f32]; N], x: &[f32]) -> [f32; N] {
        let n = rows.iter().fold(x.len(), |n, row| n.min(row.len()));
        let (rows, x) = (rows.map(|row| &row[..n]), &x[..n]);
        let (mut sums, mut at) = ([0.0; N], 0);
        if n >= S::LANES {
            let mut chains = [[s.splat(0.0); N]; 4];
            while at + 4 * S::LANES <= n {
                for chain in &mut chains {
                    let x = from_slice(s, &x[at..at + S::LANES]);
                    for k in 0..N {
                        let row = from_slice(s, &rows[k][at..at + S::LANES]);
                        chain[k] = s.fma(row, x, chain[k]);
                    }
                    at += S::LANES;
                }
            }
            while at + S::LANES <= n {
                let x = from_slice(s, &x[at..at + S::LANES]);
                for k in 0..N {
                    let row = from_slice(s, &rows[k][at..at + S::LANES]);
                    chains[0][k] = s.fma(row, x, chains[0][k]);
                }
                at += S::LANES;
            }
            for k in 0..N {
                let [a, b, c, d] = &chains;
                sums[k] = s.sum(s.add(s.add(a[k], b[k]), s.add(c[k], d[k])));
            }
        }
        for k in 0..N {
            for (a, b) in rows[k][at..].iter().zip(&x[at..]) {
                sums[k] += *a * *b;
            }
        }
        sums
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
    fn add_scaled<S: Simd, const W: usize>(s: S, sum: &mut [f32; W], weight: f32, x: &[f32; W]) {
        let weight = s.splat(weight);
        let mut at = 0;
        while at < W {
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
        match function {
            Activation::Sigmoid => activate(s, Logistic, steepness, sums, values),
            Activation::SigmoidSymmetric => activate(s, Tanh, steepness, sums, values),
            _ => activate(s, function, steepness, sums, values),
        }
    }

    #[inline(always)]
    fn activate_to_learn<S: Simd>(
        s: S,
        (function, steepness): (Activation, f32),
        sums: &mut [f32],
        values: &mut [f32],
    ) {
        match function {
            Activation::Sigmoid => value(s, Logistic, steepness, sums, values),
            Activation::SigmoidSymmetric => value(s, Tanh, steepness, sums, values),
            _ => activate(s, function, steepness, sums, values),
        }
    }

    #[inline(always)]
    fn activate_few(kind: (Activation, f32), _: usize, sums: &mut [f32; FEW]) -> [f32; FEW] {
        // In the lanes that every target has; the compiler leaves out those that nobody reads.
        let (mut wide, mut values) = ([0.0; <Portable>::LANES], [0.0; <Portable>::LANES]);
        wide[..FEW].copy_from_slice(sums);
        f32::activate(Portable::<8>, kind, &mut wide, &mut values);
        sums.copy_from_slice(&wide[..FEW]);
        [values[0], values[1], values[2], values[3]]
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
            let held = clip(s, from_slice(s, &sums[at..]), -most, most);
            to_slice(s, held, &mut sums[at..]);
            to_slice(s, function.values(s, s.mul(scale, held)), &mut values[at..]);
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
        match function {
            Activation::Sigmoid => derive(s, Logistic, steepness, values, sums, errors),
            Activation::SigmoidSymmetric => derive(s, Tanh, steepness, values, sums, errors),
            _ => derive(s, function, steepness, values, sums, errors),
        }
    }

    #[inline(always)]
    fn judge<S: Simd>(
        s: S,
        measure: ErrorFunction,
        kind: (Activation, f32),
        values: &[f32],
        sums: &[f32],
        differences: &mut [f32],
    ) {
        if measure == ErrorFunction::Tanh {
            let mut at = 0;
            while at + S::LANES <= differences.len() {
                let worths = worth(s, from_slice(s, &differences[at..]));
                to_slice(s, worths, &mut differences[at..]);
                at += S::LANES;
            }
        }
        f32::derive(s, kind, values, sums, differences);
    }

    /// Four neurons at a time, so that they share what they load and none waits for another.
    #[inline(always)]
    fn weigh<S: Simd, const W: usize>(
        s: S,
        mut weights: &[f32],
        rows: &[[f32; W]],
        sums: &mut [[f32; W]],
    ) {
        let (n, zero) = (rows.len(), s.splat(0.0));
        let (fours, rest) = sums.as_chunks_mut::<4>();
        for sums in fours {
            let Some((tile, others)) = weights.split_at_checked(4 * n) else { return };
            let ((ab, cd), m) = (tile.split_at(2 * n), n);
            let ((a, b), (c, d)) = (ab.split_at(m), cd.split_at(m));
            let mut at = 0;
            while at < W {
                let mut totals = [zero, zero, zero, zero];
                for i in 0..n {
                    let x = from_slice(s, &rows[i][at..]);
                    totals[0] = s.fma(s.splat(a[i]), x, totals[0]);
                    totals[1] = s.fma(s.splat(b[i]), x, totals[1]);
                    totals[2] = s.fma(s.splat(c[i]), x, totals[2]);
                    totals[3] = s.fma(s.splat(d[i]), x, totals[3]);
                }
                for k in 0..4 {
                    to_slice(s, totals[k], &mut sums[k][at..]);
                }
                at += S::LANES;
            }
            weights = others;
        }
        for sum in rest {
            let Some((row, others)) = weights.split_at_checked(n) else { return };
            let mut at = 0;
            while at < W {
                let mut total = zero;
                for i in 0..n {
                    total = s.fma(s.splat(row[i]), from_slice(s, &rows[i][at..]), total);
                }
                to_slice(s, total, &mut sum[at..]);
                at += S::LANES;
            }
            weights = others;
        }
    }

    #[inline(always)]
    fn weigh_few<S: Simd, const N: usize>(
        s: S,
        weights: &[f32],
        n: usize,
        rows: &[[f32; 4]],
    ) -> [[f32; 4]; N] {
        four::weigh_rows(s, weights, n, rows)
    }

    #[inline(always)]
    fn spread<S: Simd, const W: usize>(
        s: S,
        error: &[f32; W],
        by: &[f32],
        into: &mut [[f32; W]],
        adds: bool,
    ) {
        let n = by.len().min(into.len());
        let (by, into) = (&by[..n], &mut into[..n]);
        let mut at = 0;
        while at < W {
            let error = from_slice(s, &error[at..]);
            for i in 0..n {
                let sum = if adds { from_slice(s, &into[i][at..]) } else { s.splat(0.0) };
                to_slice(s, s.fma(s.splat(by[i]), error, sum), &mut into[i][at..]);
            }
            at += S::LANES;
        }
    }

    #[inline(always)]
    fn fire_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        (function, steepness): (Activation, f32),
        weights: &[[f32; W]],
        rows: &[Lanes<f32, W, R>],
        sums: &mut [Lanes<f32, W, R>],
        values: &mut [Lanes<f32, W, R>],
    ) {
        match function {
            Activation::Sigmoid => {
                crowd::fire(s, (Logistic, steepness), weights, rows, sums, values);
            }
            Activation::SigmoidSymmetric => {
                crowd::fire(s, (Tanh, steepness), weights, rows, sums, values);
            }
            _ => crowd::fire(s, (function, steepness), weights, rows, sums, values),
        }
    }

    #[inline(always)]
    fn judge_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        (function, steepness): (Activation, f32),
        aim: &Aim<'_, f32>,
        fired: [&Lanes<f32, W, R>; 2],
        errors: &mut Lanes<f32, W, R>,
        counts: (&mut [f32; W], &mut [f32; W]),
    ) {
        match function {
            Activation::Sigmoid => {
                crowd::judge(s, (Logistic, steepness), aim, fired, errors, counts);
            }
            Activation::SigmoidSymmetric => {
                crowd::judge(s, (Tanh, steepness), aim, fired, errors, counts);
            }
            _ => crowd::judge(s, (function, steepness), aim, fired, errors, counts),
        }
    }

    #[inline(always)]
    fn pull_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        (function, steepness): (Activation, f32),
        fired: [&[Lanes<f32, W, R>]; 2],
        weights: (&[[f32; W]], usize),
        takers: &[Lanes<f32, W, R>],
        ends: (bool, bool),
        errors: &mut [Lanes<f32, W, R>],
    ) {
        match function {
            Activation::Sigmoid => {
                crowd::pull(s, (Logistic, steepness), fired, weights, takers, ends, errors);
            }
            Activation::SigmoidSymmetric => {
                crowd::pull(s, (Tanh, steepness), fired, weights, takers, ends, errors);
            }
            _ => crowd::pull(s, (function, steepness), fired, weights, takers, ends, errors),
        }
    }

    #[inline(always)]
    fn follow_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        errors: &[Lanes<f32, W, R>],
        rows: &[Lanes<f32, W, R>],
        slopes: &mut [[f32; W]],
        adds: bool,
    ) {
        crowd::follow(s, errors, rows, slopes, adds);
    }

    #[inline(always)]
    fn add_lanes<S: Simd, const W: usize>(s: S, blocks: &[[f32; W]], sums: &mut [f32]) {
        if W == 4 {
            return four::add_lanes(s, blocks, sums);
        }
        for (block, sum) in blocks.iter().zip(sums) {
            let mut total = from_slice(s, block);
            for at in (S::LANES..W).step_by(S::LANES) {
                total = s.add(total, from_slice(s, &block[at..]));
            }
            *sum += s.sum(total);
        }
    }

    #[inline(always)]
    fn gather<S: Simd>(s: S, [a, b, c, d]: [&f32; 4]) -> [f32; 4] {
        four::array(s.four(), from_slice(s.four(), &[*a, *b, *c, *d]))
    }

    #[inline(always)]
    fn four<S: Simd>(s: S, numbers: &[f32]) -> [f32; 4] {
        four::four(s, numbers)
    }

    #[inline(always)]
    fn put_four<S: Simd>(s: S, numbers: &[f32; 4], place: &mut [f32]) {
        four::put(s, numbers, place);
    }

    #[inline(always)]
    fn with_bias<S: Simd>(s: S, neurons: usize, values: &[f32; 4]) -> [f32; 4] {
        four::with_bias(s, neurons, values)
    }

    #[inline(always)]
    fn weigh_four<S: Simd>(s: S, rows: &[[[f32; 4]; 4]], values: &[[f32; 4]]) -> [f32; 4] {
        four::weigh(s, rows, values)
    }

    #[inline(always)]
    fn spread_four<S: Simd>(
        s: S,
        neurons: usize,
        errors: &[f32; 4],
        rows: &[[f32; 4]; 4],
    ) -> [f32; 4] {
        four::spread(s, neurons, errors, rows)
    }

    #[inline(always)]
    fn follow_four<S: Simd>(
        s: S,
        neurons_and_sources: (usize, usize),
        steps: &[f32; 4],
        values: &[[f32; 4]],
        rows: &mut [[[f32; 4]; 4]],
    ) {
        four::follow(s, neurons_and_sources, steps, values, rows);
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

/// Turns weighted inputs into sums and values.
#[inline(always)]
fn activate<S: Simd, C: Curve>(
    s: S,
    curve: C,
    steepness: f32,
    sums: &mut [f32],
    values: &mut [f32],
) {
    let (most, scale) = (150.0 / steepness, s.splat(steepness));
    let any = most >= C::FLAT;
    let mut at = 0;
    while at + S::LANES <= sums.len() {
        let sum = s.mul(scale, from_slice(s, &sums[at..]));
        let held = clip(s, sum, -most, most);
        to_slice(s, held, &mut sums[at..]);
        // What is flat there need not wait for the sum to be held.
        to_slice(s, curve.values(s, if any { sum } else { held }), &mut values[at..]);
        at += S::LANES;
    }
}

/// Turns weighted inputs into values; slopes do not take sums.
#[inline(always)]
fn value<S: Simd, C: Curve>(s: S, curve: C, steepness: f32, sums: &mut [f32], values: &mut [f32]) {
    if 150.0 / steepness < C::FLAT || steepness.is_nan() {
        return activate(s, curve, steepness, sums, values);
    }
    let scale = s.splat(steepness);
    let mut at = 0;
    while at + S::LANES <= sums.len() {
        let sum = s.mul(scale, from_slice(s, &sums[at..]));
        to_slice(s, curve.values(s, sum), &mut values[at..]);
        at += S::LANES;
    }
}

/// Multiplies errors by slopes.
#[inline(always)]
fn derive<S: Simd, C: Curve>(
    s: S,
    curve: C,
    steepness: f32,
    values: &[f32],
    sums: &[f32],
    errors: &mut [f32],
) {
    let mut at = 0;
    while at + S::LANES <= errors.len() {
        let (value, sum) = (from_slice(s, &values[at..]), from_slice(s, &sums[at..]));
        let slope = curve.slopes(s, steepness, value, sum);
        to_slice(s, s.mul(from_slice(s, &errors[at..]), slope), &mut errors[at..]);
        at += S::LANES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel_kernels::simd::{Isa, Kernel, run_on};

    /// The sums of two rows together, then of each alone.
    struct Dots<'a>(&'a [f32], &'a [f32], &'a [f32]);

    impl Kernel for Dots<'_> {
        type Output = [[f32; 2]; 2];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let Dots(a, b, x) = self;
            [f32::dots(s, [a, b], x), [f32::dot(s, a, x), f32::dot(s, b, x)]]
        }
    }

    #[test]
    fn a_row_beside_another_has_the_sum_it_has_alone() {
        let numbers = |by: usize| (0..130).map(move |i| (i * by % 37) as f32 / 7.0 - 2.3);
        let rows = [29, 31, 17].map(|by| numbers(by).collect::<Vec<f32>>());
        for (isa, n) in Isa::ALL
            .into_iter()
            .flat_map(|isa| [0, 1, 3, 4, 7, 8, 15, 16, 63, 64, 65, 130].map(|n| (isa, n)))
        {
            if !isa.available() {
                continue;
            }
            let [together, alone] = run_on(isa, Dots(&rows[0][..n], &rows[1][..n], &rows[2][..n]));
            assert_eq!(together.map(f32::to_bits), alone.map(f32::to_bits), "{isa:?} {n}");
            let exact: f64 =
                rows[0][..n].iter().zip(&rows[2]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert!((f64::from(alone[0]) - exact).abs() < 1e-3, "{isa:?} {n}");
        }
    }
}
