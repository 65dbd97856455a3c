//! First contents of state: a pure function of seed, name and element, so that neither the order of
//! declaration nor the number of threads matters.

use crate::random::{self, mix};
use std::f64::consts::TAU;
use whimbrel_graph::Init;

/// Draws of a number before the nearer bound is taken instead.
const DRAWS: u64 = 64;

/// Fills `data`, of this shape, as `init` says.
pub fn fill(init: Init, seed: u64, name: &str, shape: &[usize], data: &mut [f32]) {
    let key = name.bytes().fold(mix(seed ^ 0x5749_4d42), |h, b| mix(h ^ u64::from(b)));
    match init {
        Init::Zeros => data.fill(0.0),
        Init::Constant(x) => data.fill(x),
        Init::Uniform { bound } => {
            for (i, x) in data.iter_mut().enumerate() {
                *x = ((2.0 * unit(key, i as u64) - 1.0) * f64::from(bound)) as f32;
            }
        }
        Init::Range { low, high } => {
            let (low, width) = (f64::from(low), f64::from(high) - f64::from(low));
            for (i, x) in data.iter_mut().enumerate() {
                *x = (low + width * unit(key, i as u64)) as f32;
            }
        }
        Init::Normal { std } => {
            for (i, x) in data.iter_mut().enumerate() {
                *x = (normal(key, i as u64) * f64::from(std)) as f32;
            }
        }
        Init::TruncatedNormal { mean, std, low, high } => {
            for (i, x) in data.iter_mut().enumerate() {
                let mut draws = (0..DRAWS)
                    .map(|draw| mean + (normal(mix(key ^ draw), i as u64) * f64::from(std)) as f32);
                let within = draws.find(|x| (low..=high).contains(x));
                *x = within.unwrap_or(if mean < low { low } else { high });
            }
        }
        Init::Orthogonal { gain } => orthogonal(key, shape, gain, data),
    }
}

/// A normal number of mean 0 and deviation 1, element `i` of the sequence `key` (Box and Muller): two
/// uniform numbers make one here; the first is kept away from 0, where its logarithm has no end.
fn normal(key: u64, i: u64) -> f64 {
    let radius = (-2.0 * (1.0 - unit(key, 2 * i)).ln()).sqrt();
    radius * (TAU * unit(key, 2 * i + 1)).cos()
}

/// Fills a weight `[.., output, input]` with orthogonal vectors: normal ones, made orthogonal one after
/// another (Gram and Schmidt, twice each since once leaves rounding). That the part of a vector at
/// right angles keeps its sign makes all directions equally likely.
fn orthogonal(key: u64, shape: &[usize], gain: f32, data: &mut [f32]) {
    let (outputs, inputs) = match *shape {
        [.., outputs, inputs] => (outputs, inputs),
        _ => (1, data.len()),
    };
    let size = outputs * inputs;
    if size == 0 || data.is_empty() {
        return;
    }
    let terms = data.len() / outputs;
    let (count, length) = (outputs.min(terms), outputs.max(terms));
    let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(count);
    for v in 0..count {
        let mut vector: Vec<f64> =
            (0..length).map(|i| normal(key, (v * length + i) as u64)).collect();
        for other in vectors.iter().chain(&vectors) {
            let along = dot(&vector, other);
            vector.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
        }
        let norm = dot(&vector, &vector).sqrt().max(f64::MIN_POSITIVE);
        vector.iter_mut().for_each(|x| *x /= norm);
        vectors.push(vector);
    }
    for (at, x) in data.iter_mut().enumerate() {
        let (output, term) = (at % size / inputs, at / size * inputs + at % inputs);
        let element = match outputs <= terms {
            true => vectors[output][term],
            false => vectors[term][output],
        };
        *x = (f64::from(gain) * element) as f32;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Uniform in [0, 1), element `i` of the sequence `key`.
fn unit(key: u64, i: u64) -> f64 {
    (random::at(key, i) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_the_asked_spread_and_depend_on_the_name() {
        let (mut a, mut b) = (vec![0.0; 10_000], vec![0.0; 10_000]);
        fill(Init::Normal { std: 2.0 }, 1, "a", &[], &mut a);
        fill(Init::Normal { std: 2.0 }, 1, "b", &[], &mut b);
        let mean = a.iter().sum::<f32>() / 1e4;
        let var = a.iter().map(|x| x * x).sum::<f32>() / 1e4;
        assert!(mean.abs() < 0.1 && (var - 4.0).abs() < 0.3, "{mean} {var}");
        assert_ne!(a, b);
        fill(Init::Normal { std: 2.0 }, 1, "a", &[], &mut b);
        assert_eq!(a, b);
    }

    #[test]
    fn uniform_numbers_fill_their_range() {
        let mut x = vec![0.0; 10_000];
        fill(Init::Uniform { bound: 0.5 }, 7, "w", &[], &mut x);
        let (low, high) = x.iter().fold((0f32, 0f32), |(l, h), &x| (l.min(x), h.max(x)));
        assert!((-0.5..-0.49).contains(&low) && (0.49..0.5).contains(&high), "{low} {high}");
    }

    #[test]
    fn truncated_numbers_stay_within_their_bounds() {
        let mut x = vec![0.0; 10_000];
        let cut = |mean, low, high| Init::TruncatedNormal { mean, std: 1.0, low, high };
        fill(cut(0.0, -1.0, 2.0), 7, "w", &[], &mut x);
        assert!(x.iter().all(|x| (-1.0..=2.0).contains(x)));
        // The mean of a normal number between -1 and 2 is (phi(1) - phi(2)) / (Phi(2) - Phi(-1)).
        let mean = x.iter().sum::<f32>() / 1e4;
        assert!((mean - 0.2296).abs() < 0.03, "{mean}");
        fill(cut(0.0, 90.0, 91.0), 7, "w", &[], &mut x);
        assert!(x.iter().all(|&x| x == 91.0 || x == 90.0));
        fill(Init::Range { low: 1.0, high: 3.0 }, 7, "w", &[], &mut x);
        assert!(x.iter().all(|x| (1.0..3.0).contains(x)));
    }

    #[test]
    fn orthogonal_weights_keep_lengths_and_angles() {
        for shape in [&[5, 8][..], &[8, 5], &[4, 4], &[3, 4, 2], &[2, 9, 3]] {
            let mut w = vec![0.0; shape.iter().product()];
            fill(Init::Orthogonal { gain: 2.0 }, 3, "w", shape, &mut w);
            let (outputs, inputs) = (shape[shape.len() - 2], shape[shape.len() - 1]);
            let (taps, terms) = (w.len() / (outputs * inputs), w.len() / outputs);
            let at = |output: usize, term: usize| {
                assert!(term / inputs < taps);
                f64::from(w[(term / inputs * outputs + output) * inputs + term % inputs])
            };
            let by_output = outputs <= terms;
            let (count, length) = (outputs.min(terms), outputs.max(terms));
            let element = |v: usize, i: usize| if by_output { at(v, i) } else { at(i, v) };
            for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                let product: f64 = (0..length).map(|i| element(a, i) * element(b, i)).sum();
                let wanted = if a == b { 4.0 } else { 0.0 };
                assert!((product - wanted).abs() < 1e-5, "{shape:?} {a} {b}: {product}");
            }
        }
    }
}
