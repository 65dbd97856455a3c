//! The loops of `f64`, plain.

use super::{Aim, FEW, Lanes, Vectors};
use crate::activation::Activation;
use crate::parameters::ErrorFunction;
use crate::plain::hold;
use std::cmp::Ordering;
use whimbrel_kernels::simd::{Portable, Simd};

impl Vectors for f64 {
    const PADS: bool = false;

    #[inline(always)]
    fn dots<S: Simd, const N: usize>(_: S, rows: [&[f64]; N], x: &[f64]) -> [f64; N] {
        let mut sums = [0.0; N];
        for k in 0..N {
            let n = rows[k].len().min(x.len());
            let (blocks, rest) = rows[k][..n].as_chunks::<8>();
            let (x_blocks, x_rest) = x[..n].as_chunks::<8>();
            let mut chains = [0.0; 8];
            for (a, b) in blocks.iter().zip(x_blocks) {
                for i in 0..8 {
                    chains[i] += a[i] * b[i];
                }
            }
            for chain in chains {
                sums[k] += chain;
            }
            for (a, b) in rest.iter().zip(x_rest) {
                sums[k] += a * b;
            }
        }
        sums
    }

    #[inline(always)]
    fn combine<S: Simd>(_: S, weights: &[f64], rows: &[f64], stride: usize, sums: &mut [f64]) {
        sums.fill(0.0);
        for (weight, row) in weights.iter().zip(rows.chunks_exact(stride)) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += weight * x;
            }
        }
    }

    #[inline(always)]
    fn add_scaled<S: Simd, const W: usize>(_: S, sum: &mut [f64; W], weight: f64, x: &[f64; W]) {
        for (sum, x) in sum.iter_mut().zip(x) {
            *sum += weight * x;
        }
    }

    #[inline(always)]
    fn add_products<S: Simd>(s: S, factor: f64, errors: &[f64], rows: &[f64], slopes: &mut [f64]) {
        for (slope, row) in slopes.iter_mut().zip(rows.chunks_exact(errors.len())) {
            *slope += factor * f64::dot(s, errors, row);
        }
    }

    #[inline(always)]
    fn learn<S: Simd>(
        _: S,
        (error, step): (f64, f64),
        row: &mut [f64],
        x: &[f64],
        before: &mut [f64],
    ) {
        for (b, w) in before.iter_mut().zip(row.iter()) {
            *b += error * w;
        }
        for (w, x) in row.iter_mut().zip(x) {
            *w += step * x;
        }
    }

    #[inline(always)]
    fn activate<S: Simd>(
        _: S,
        (function, steepness): (Activation, f64),
        sums: &mut [f64],
        values: &mut [f64],
    ) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = hold(steepness * *sum, steepness);
            *value = function.value(*sum);
        }
    }

    #[inline(always)]
    fn activate_to_learn<S: Simd>(
        s: S,
        kind: (Activation, f64),
        sums: &mut [f64],
        values: &mut [f64],
    ) {
        f64::activate(s, kind, sums, values);
    }

    #[inline(always)]
    fn activate_few(kind: (Activation, f64), n: usize, sums: &mut [f64; FEW]) -> [f64; FEW] {
        let mut values = [0.0; FEW];
        let n = n.min(FEW);
        f64::activate(Portable::<8>, kind, &mut sums[..n], &mut values[..n]);
        values
    }

    #[inline(always)]
    fn activate_candidate<S: Simd>(
        _: S,
        (function, steepness): (Activation, f64),
        sums: &mut [f64],
        values: &mut [f64],
    ) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = hold(*sum, steepness);
            *value = function.value(steepness * *sum);
        }
    }

    #[inline(always)]
    fn derive<S: Simd>(
        _: S,
        (function, steepness): (Activation, f64),
        values: &[f64],
        sums: &[f64],
        errors: &mut [f64],
    ) {
        let sums = if sums.len() < errors.len() { values } else { sums };
        for (error, (value, sum)) in errors.iter_mut().zip(values.iter().zip(sums)) {
            *error *= function.slope(steepness, *value, *sum);
        }
    }

    #[inline(always)]
    fn judge<S: Simd>(
        _: S,
        measure: ErrorFunction,
        (function, steepness): (Activation, f64),
        values: &[f64],
        sums: &[f64],
        differences: &mut [f64],
    ) {
        for (x, (value, sum)) in differences.iter_mut().zip(values.iter().zip(sums)) {
            *x = f64::worth_of(measure, *x);
            *x *= function.slope(steepness, *value, *sum);
        }
    }

    #[inline(always)]
    fn weigh<S: Simd, const W: usize>(
        _: S,
        weights: &[f64],
        rows: &[[f64; W]],
        sums: &mut [[f64; W]],
    ) {
        for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(rows.len())) {
            *sum = [0.0; W];
            for (weight, x) in weights.iter().zip(rows) {
                for i in 0..W {
                    sum[i] += weight * x[i];
                }
            }
        }
    }

    #[inline(always)]
    fn weigh_few<S: Simd, const N: usize>(
        s: S,
        weights: &[f64],
        n: usize,
        rows: &[[f64; 4]],
    ) -> [[f64; 4]; N] {
        let mut sums = [[0.0; 4]; N];
        f64::weigh(s, weights, rows, &mut sums[..n.min(N)]);
        sums
    }

    #[inline(always)]
    fn spread<S: Simd, const W: usize>(
        _: S,
        error: &[f64; W],
        by: &[f64],
        into: &mut [[f64; W]],
        adds: bool,
    ) {
        for (by, into) in by.iter().zip(into) {
            for i in 0..W {
                into[i] = by * error[i] + if adds { into[i] } else { 0.0 };
            }
        }
    }

    #[inline(always)]
    fn fire_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, f64),
        weights: &[[f64; W]],
        rows: &[Lanes<f64, W, R>],
        sums: &mut [Lanes<f64, W, R>],
        values: &mut [Lanes<f64, W, R>],
    ) {
        for (sums, weights) in sums.iter_mut().zip(weights.chunks_exact(rows.len())) {
            *sums = [[0.0; W]; R];
            for (weights, x) in weights.iter().zip(rows) {
                for r in 0..R {
                    for i in 0..W {
                        sums[r][i] += weights[i] * x[r][i];
                    }
                }
            }
        }
        let sums = sums.as_flattened_mut().as_flattened_mut();
        f64::activate(s, kind, sums, values.as_flattened_mut().as_flattened_mut());
    }

    #[inline(always)]
    fn judge_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, f64),
        aim: &Aim<'_, f64>,
        [values, sums]: [&Lanes<f64, W, R>; 2],
        errors: &mut Lanes<f64, W, R>,
        (squares, failed): (&mut [f32; W], &mut [f32; W]),
    ) {
        *errors = [[0.0; W]; R];
        let rows = aim.wanted.len().min(R);
        for ((wanted, values), errors) in aim.wanted.iter().zip(values).zip(&mut *errors) {
            for i in 0..W {
                errors[i] = (wanted - values[i]) * aim.scale;
                squares[i] += (errors[i] * errors[i]) as f32;
                failed[i] += f32::from(errors[i].abs() >= aim.limit);
            }
        }
        let (values, sums) = (values.as_flattened(), sums.as_flattened());
        let errors = errors[..rows].as_flattened_mut();
        f64::judge(s, aim.measure, kind, values, sums, errors);
    }

    #[inline(always)]
    fn pull_lanes<S: Simd, const W: usize, const R: usize>(
        s: S,
        kind: (Activation, f64),
        [values, sums]: [&[Lanes<f64, W, R>]; 2],
        (weights, stride): (&[[f64; W]], usize),
        takers: &[Lanes<f64, W, R>],
        (is_first, is_last): (bool, bool),
        errors: &mut [Lanes<f64, W, R>],
    ) {
        for (i, errors) in errors.iter_mut().enumerate() {
            if is_first {
                *errors = [[0.0; W]; R];
            }
            for (j, taker) in takers.iter().enumerate() {
                let weights = &weights[j * stride + i];
                for r in 0..R {
                    for lane in 0..W {
                        errors[r][lane] += weights[lane] * taker[r][lane];
                    }
                }
            }
            if is_last {
                let (values, sums) = (values[i].as_flattened(), sums[i].as_flattened());
                f64::derive(s, kind, values, sums, errors.as_flattened_mut());
            }
        }
    }

    #[inline(always)]
    fn follow_lanes<S: Simd, const W: usize, const R: usize>(
        _: S,
        errors: &[Lanes<f64, W, R>],
        rows: &[Lanes<f64, W, R>],
        slopes: &mut [[f64; W]],
        adds: bool,
    ) {
        for (error, slopes) in errors.iter().zip(slopes.chunks_exact_mut(rows.len())) {
            for (x, slope) in rows.iter().zip(slopes) {
                for i in 0..W {
                    let mut sum = if adds { slope[i] } else { 0.0 };
                    for r in 0..R {
                        sum += x[r][i] * error[r][i];
                    }
                    slope[i] = sum;
                }
            }
        }
    }

    #[inline(always)]
    fn add_lanes<S: Simd, const W: usize>(_: S, blocks: &[[f64; W]], sums: &mut [f64]) {
        for (block, sum) in blocks.iter().zip(sums) {
            let mut total = 0.0;
            for x in block {
                total += x;
            }
            *sum += total;
        }
    }

    #[inline(always)]
    fn gather<S: Simd>(_: S, [a, b, c, d]: [&f64; 4]) -> [f64; 4] {
        [*a, *b, *c, *d]
    }

    #[inline(always)]
    fn four<S: Simd>(_: S, numbers: &[f64]) -> [f64; 4] {
        let mut four = [0.0; 4];
        for (place, number) in four.iter_mut().zip(numbers) {
            *place = *number;
        }
        four
    }

    #[inline(always)]
    fn put_four<S: Simd>(_: S, numbers: &[f64; 4], place: &mut [f64]) {
        for (place, number) in place.iter_mut().zip(numbers) {
            *place = *number;
        }
    }

    #[inline(always)]
    fn with_bias<S: Simd>(_: S, neurons: usize, values: &[f64; 4]) -> [f64; 4] {
        let mut values = *values;
        for (i, value) in values.iter_mut().enumerate() {
            *value = match i.cmp(&neurons) {
                Ordering::Less => *value,
                Ordering::Equal => 1.0,
                Ordering::Greater => 0.0,
            };
        }
        values
    }

    #[inline(always)]
    fn weigh_four<S: Simd>(_: S, rows: &[[[f64; 4]; 4]], values: &[[f64; 4]]) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for (rows, x) in rows.iter().zip(values) {
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += (row[0] * x[0] + row[2] * x[2]) + (row[1] * x[1] + row[3] * x[3]);
            }
        }
        sums
    }

    #[inline(always)]
    fn spread_four<S: Simd>(
        _: S,
        neurons: usize,
        errors: &[f64; 4],
        rows: &[[f64; 4]; 4],
    ) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for (error, row) in errors[..neurons].iter().zip(rows) {
            for i in 0..4 {
                sums[i] += error * row[i];
            }
        }
        sums
    }

    #[inline(always)]
    fn follow_four<S: Simd>(
        _: S,
        (neurons, sources): (usize, usize),
        steps: &[f64; 4],
        values: &[[f64; 4]],
        rows: &mut [[[f64; 4]; 4]],
    ) {
        for (k, (rows, x)) in rows.iter_mut().zip(values).enumerate() {
            let n = sources.saturating_sub(4 * k).min(4);
            for (row, step) in rows.iter_mut().zip(&steps[..neurons]) {
                for (weight, x) in row[..n].iter_mut().zip(x) {
                    *weight += step * x;
                }
            }
        }
    }

    #[inline(always)]
    fn value_of(function: Activation, sum: f64) -> f64 {
        function.value(sum)
    }

    #[inline(always)]
    fn worth_of(measure: ErrorFunction, difference: f64) -> f64 {
        match difference {
            x if measure == ErrorFunction::Linear => x,
            x if x < -0.999_999_9 => -17.0,
            x if x > 0.999_999_9 => 17.0,
            x => ((1.0 + x) / (1.0 - x)).ln(),
        }
    }
}
