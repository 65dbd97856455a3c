//! The cells against plain loops in f64, and lanes alone against lanes in a crowd, on every
//! instruction set of the machine.

mod gru;
mod lstm;
mod rnn;

use super::*;
use crate::check::{assert_same_bits, isas, scaled, values, wide};
use crate::gemm::{pack, turn};
use crate::simd::Isa;
use proptest::prelude::*;

/// A row-major recurrent weight under which states neither die nor explode, and its packed form.
fn weight(d: Dims, gates: usize) -> (Vec<f32>, Vec<f32>) {
    let size = 1.0 / (d.hidden.max(1) as f32).sqrt();
    let w = scaled(gates * d.hidden * d.hidden, 1, size);
    let mut packed = vec![f32::NAN; packed_len(gates * d.hidden, d.hidden)];
    pack(gates * d.hidden, d.hidden, &w, &mut packed);
    (w, packed)
}

/// The packed transpose of a packed recurrent weight.
fn turned(d: Dims, gates: usize, packed: &[f32]) -> Vec<f32> {
    let mut turned = vec![f32::NAN; packed_len(d.hidden, gates * d.hidden)];
    turn(gates * d.hidden, d.hidden, packed, &mut turned);
    turned
}

/// A sequence of states of which only the first is known.
fn from_first(first: &[f32], steps: usize) -> Vec<f32> {
    let mut all = vec![f32::NAN; first.len() * (steps + 1)];
    all[..first.len()].copy_from_slice(first);
    all
}

/// Lane `lane` of rows of `lanes`.
fn lane(values: &[f32], lanes: usize, lane: usize) -> Vec<f32> {
    values.chunks(lanes).map(|row| row[lane]).collect()
}

/// Rows of `from` lanes cut down to the first `to` of them.
fn first_lanes(values: &[f32], from: usize, to: usize) -> Vec<f32> {
    values.chunks(from).flat_map(|row| row[..to].iter().copied()).collect()
}

#[track_caller]
fn assert_close(isa: Isa, name: &str, got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(*g) - w).abs();
        assert!(error <= 3e-5 * (1.0 + w.abs()), "{} {name}[{i}]: {g}, not {w}", isa.name());
    }
}

/// The slope of `loss` along each element of `at`.
fn differences(at: &mut [f64], mut loss: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let step = 1e-5;
    let mut slopes = Vec::new();
    for i in 0..at.len() {
        let middle = at[i];
        at[i] = middle + step;
        let above = loss(at);
        at[i] = middle - step;
        let below = loss(at);
        at[i] = middle;
        slopes.push((above - below) / (2.0 * step));
    }
    slopes
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[track_caller]
fn assert_slopes(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-7 * (1.0 + w.abs()), "{g}, not {w}");
    }
}

/// Sizes around the edges of tiles, panels and blocks.
fn dims() -> impl Strategy<Value = Dims> {
    let hidden = prop::sample::select(vec![0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 64]);
    let lanes = prop::sample::select(vec![0, 1, 2, 7, 8, 15, 16, 17, 32, 33, 48]);
    (0usize..4, hidden, lanes).prop_map(|(time, hidden, lanes)| Dims { time, hidden, lanes })
}

const SMALL: Dims = Dims { time: 3, hidden: 3, lanes: 2 };
const LARGE: Dims = Dims { time: 5, hidden: 128, lanes: 33 };
/// Enough for several blocks of units.
const BLOCKS: Dims = Dims { time: 2, hidden: 144, lanes: 240 };
