//! Neurons of many networks at once, in vectors of `f32`: each lane has weights of its own, and `R` samples go through
//! together.
//!
//! What a neuron computes stays in registers until it is done: for tiny networks stores would take longer than the
//! arithmetic between them. `N` vectors are computed side by side, so that none waits for another and a constant is
//! loaded once for all of them: those of all samples, and where there are registers for it of two blocks of lanes.

use super::curves::{Curve, clip, worths};
use super::{Aim, Lanes};
use crate::parameters::ErrorFunction;
use whimbrel_kernels::simd::{Simd, from_slice, to_slice};

/// Whether two blocks of lanes of four samples are computed side by side, in eight of the 32 registers that vectors of
/// sixteen lanes have.
const fn is_pair<S: Simd, const W: usize, const R: usize>() -> bool {
    S::LANES == 16 && W.is_multiple_of(32) && R == 4
}

/// The vectors of lanes from `at` on, those of a block of lanes together.
#[inline(always)]
fn load<S: Simd, const W: usize, const R: usize, const N: usize>(
    s: S,
    from: &Lanes<f32, W, R>,
    at: usize,
) -> [S::F; N] {
    let mut vectors = [s.splat(0.0); N];
    for (n, vector) in vectors.iter_mut().enumerate() {
        *vector = from_slice(s, &from[n % R][at + n / R * S::LANES..]);
    }
    vectors
}

#[inline(always)]
fn store<S: Simd, const W: usize, const R: usize, const N: usize>(
    s: S,
    vectors: [S::F; N],
    to: &mut Lanes<f32, W, R>,
    at: usize,
) {
    for (n, vector) in vectors.into_iter().enumerate() {
        to_slice(s, vector, &mut to[n % R][at + n / R * S::LANES..]);
    }
}

/// Adds the products of weights, one for each lane, with what all samples have there.
#[inline(always)]
fn add_products<S: Simd, const W: usize, const R: usize, const N: usize>(
    s: S,
    weights: &[f32; W],
    x: &Lanes<f32, W, R>,
    at: usize,
    sums: &mut [S::F; N],
) {
    for (n, sum) in sums.iter_mut().enumerate() {
        let at = at + n / R * S::LANES;
        let (weight, x) = (from_slice(s, &weights[at..]), from_slice(s, &x[n % R][at..]));
        *sum = s.fma(weight, x, *sum);
    }
}

/// Weighs what neurons of one kind take, and applies their function.
#[inline(always)]
pub(super) fn fire<S: Simd, C: Curve, const W: usize, const R: usize>(
    s: S,
    kind: (C, f32),
    weights: &[[f32; W]],
    rows: &[Lanes<f32, W, R>],
    sums: &mut [Lanes<f32, W, R>],
    values: &mut [Lanes<f32, W, R>],
) {
    if is_pair::<S, W, R>() {
        fire_by::<S, C, W, R, 8>(s, kind, weights, rows, sums, values);
    } else {
        fire_by::<S, C, W, R, R>(s, kind, weights, rows, sums, values);
    }
}

#[inline(always)]
fn fire_by<S: Simd, C: Curve, const W: usize, const R: usize, const N: usize>(
    s: S,
    (curve, steepness): (C, f32),
    mut weights: &[[f32; W]],
    rows: &[Lanes<f32, W, R>],
    sums: &mut [Lanes<f32, W, R>],
    values: &mut [Lanes<f32, W, R>],
) {
    let most = 150.0 / steepness;
    // What is flat there need not be held.
    let is_flat = most >= C::FLAT;
    for (sums, values) in sums.iter_mut().zip(values) {
        let Some((own, others)) = weights.split_at_checked(rows.len()) else { return };
        weights = others;
        for at in (0..W).step_by(N / R * S::LANES) {
            let mut totals = [s.splat(0.0); N];
            for i in 0..rows.len() {
                add_products(s, &own[i], &rows[i], at, &mut totals);
            }
            for total in &mut totals {
                *total = s.mul(s.splat(steepness), *total);
                if !is_flat {
                    *total = clip(s, *total, -most, most);
                }
            }
            if C::TAKES_SUMS {
                store(s, totals, sums, at);
            }
            store(s, curve.values_of(s, totals), values, at);
        }
    }
}

/// The errors of an output, which are counted.
#[inline(always)]
pub(super) fn judge<S: Simd, C: Curve, const W: usize, const R: usize>(
    s: S,
    kind: (C, f32),
    aim: &Aim<'_, f32>,
    fired: [&Lanes<f32, W, R>; 2],
    errors: &mut Lanes<f32, W, R>,
    counts: (&mut [f32; W], &mut [f32; W]),
) {
    if is_pair::<S, W, R>() {
        judge_by::<S, C, W, R, 8>(s, kind, aim, fired, errors, counts);
    } else {
        judge_by::<S, C, W, R, R>(s, kind, aim, fired, errors, counts);
    }
}

#[inline(always)]
fn judge_by<S: Simd, C: Curve, const W: usize, const R: usize, const N: usize>(
    s: S,
    (curve, steepness): (C, f32),
    aim: &Aim<'_, f32>,
    [values, sums]: [&Lanes<f32, W, R>; 2],
    errors: &mut Lanes<f32, W, R>,
    (squares, failed): (&mut [f32; W], &mut [f32; W]),
) {
    let (zero, one, limit) = (s.splat(0.0), s.splat(1.0), s.splat(aim.limit));
    // What stands where there is no sample may be no number.
    let rows = aim.wanted.len().min(R);
    for at in (0..W).step_by(N / R * S::LANES) {
        let values = load(s, values, at);
        let sums = if C::TAKES_SUMS { load(s, sums, at) } else { values };
        let mut differences: [S::F; N] = values;
        for n in 0..N {
            if n % R < rows {
                let difference = s.sub(s.splat(aim.wanted[n % R]), values[n]);
                differences[n] = s.mul(difference, s.splat(aim.scale));
            }
        }
        for block in 0..N / R {
            let at = at + block * S::LANES;
            let mut square = from_slice(s, &squares[at..]);
            let mut fails = from_slice(s, &failed[at..]);
            for (r, &difference) in differences[block * R..][..R].iter().enumerate() {
                if r < rows {
                    square = s.fma(difference, difference, square);
                    let is_off = s.le(limit, s.abs(difference));
                    fails = s.add(fails, s.select(is_off, one, zero));
                }
            }
            to_slice(s, square, &mut squares[at..]);
            to_slice(s, fails, &mut failed[at..]);
        }
        if aim.measure == ErrorFunction::Tanh {
            differences = worths(s, differences);
        }
        for n in 0..N {
            let slope = curve.slopes(s, steepness, values[n], sums[n]);
            let error = s.mul(differences[n], slope);
            differences[n] = if n % R < rows { error } else { zero };
        }
        store(s, differences, errors, at);
    }
}

/// What a layer passes back to hidden neurons of one kind that it takes.
#[inline(always)]
pub(super) fn pull<S: Simd, C: Curve, const W: usize, const R: usize>(
    s: S,
    kind: (C, f32),
    fired: [&[Lanes<f32, W, R>]; 2],
    weights: (&[[f32; W]], usize),
    takers: &[Lanes<f32, W, R>],
    ends: (bool, bool),
    errors: &mut [Lanes<f32, W, R>],
) {
    if is_pair::<S, W, R>() {
        pull_by::<S, C, W, R, 8>(s, kind, fired, weights, takers, ends, errors);
    } else {
        pull_by::<S, C, W, R, R>(s, kind, fired, weights, takers, ends, errors);
    }
}

#[inline(always)]
fn pull_by<S: Simd, C: Curve, const W: usize, const R: usize, const N: usize>(
    s: S,
    (curve, steepness): (C, f32),
    [values, sums]: [&[Lanes<f32, W, R>]; 2],
    (weights, stride): (&[[f32; W]], usize),
    takers: &[Lanes<f32, W, R>],
    (is_first, is_last): (bool, bool),
    errors: &mut [Lanes<f32, W, R>],
) {
    let neurons = errors.iter_mut().zip(values.iter().zip(sums)).enumerate();
    for (i, (errors, (values, sums))) in neurons {
        for at in (0..W).step_by(N / R * S::LANES) {
            let mut totals = if is_first { [s.splat(0.0); N] } else { load(s, errors, at) };
            for j in 0..takers.len() {
                add_products(s, &weights[j * stride + i], &takers[j], at, &mut totals);
            }
            if is_last {
                let values: [S::F; N] = load(s, values, at);
                let sums = if C::TAKES_SUMS { load(s, sums, at) } else { values };
                for n in 0..N {
                    totals[n] = s.mul(totals[n], curve.slopes(s, steepness, values[n], sums[n]));
                }
            }
            store(s, totals, errors, at);
        }
    }
}

/// Adds to slopes of neurons the products of their errors with what they take, or begins them.
#[inline(always)]
pub(super) fn follow<S: Simd, const W: usize, const R: usize>(
    s: S,
    errors: &[Lanes<f32, W, R>],
    rows: &[Lanes<f32, W, R>],
    slopes: &mut [[f32; W]],
    adds: bool,
) {
    let (fours, ones) = errors.as_chunks::<4>();
    let (first, rest) = slopes.split_at_mut((4 * fours.len() * rows.len()).min(slopes.len()));
    follow_by(s, fours, rows, first, adds);
    follow_by(s, ones.as_chunks::<1>().0, rows, rest, adds);
}

/// [`follow`] for `J` neurons at a time, which share what they load.
#[inline(always)]
fn follow_by<S: Simd, const W: usize, const R: usize, const J: usize>(
    s: S,
    errors: &[[Lanes<f32, W, R>; J]],
    rows: &[Lanes<f32, W, R>],
    mut slopes: &mut [[f32; W]],
    adds: bool,
) {
    for errors in errors {
        let Some((own, others)) = slopes.split_at_mut_checked(J * rows.len()) else { return };
        slopes = others;
        for at in (0..W).step_by(S::LANES) {
            let mut loaded = [[s.splat(0.0); R]; J];
            for (loaded, errors) in loaded.iter_mut().zip(errors) {
                *loaded = load(s, errors, at);
            }
            for i in 0..rows.len() {
                let x: [S::F; R] = load(s, &rows[i], at);
                for j in 0..J {
                    let place = &mut own[j * rows.len() + i][at..];
                    let mut sum = if adds { from_slice(s, place) } else { s.splat(0.0) };
                    for r in 0..R {
                        sum = s.fma(x[r], loaded[j][r], sum);
                    }
                    to_slice(s, sum, place);
                }
            }
        }
    }
}
