//! What the tests of all kernels share.

use crate::simd::Isa;

/// The instruction sets of this machine.
pub(crate) fn isas() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.available())
}

/// Values in [-1, 1) whose products need all their bits.
pub(crate) fn values(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// [`values`] that are `size` times as large.
pub(crate) fn scaled(n: usize, seed: u64, size: f32) -> Vec<f32> {
    values(n, seed).into_iter().map(|value| size * value).collect()
}

pub(crate) fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

#[track_caller]
pub(crate) fn assert_same_bits(isa: Isa, name: &str, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert_eq!(g.to_bits(), w.to_bits(), "{} {name}[{i}]: {g}, not {w}", isa.name());
    }
}
