//! Fourier terms: sines and cosines of a season, for models that are to know its phase.

use std::f64::consts::TAU;
use whimbrel_kernels::elementwise::{Unary, unary};

/// Which wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wave {
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
}

/// Values of a repeated season that are copied at once.
const COPIED: usize = 4096;
/// Phases that are computed at once.
const BLOCK: usize = 1024;

/// `dst[i] = wave(2 pi order t / period)` at `t = first + i`; zeros for a period that is not above 0.
///
/// Phases are reduced in f64, so that far from the start they are as exact as near it. A season of whole
/// steps is computed once and repeated.
pub fn fourier(wave: Wave, period: f64, order: usize, first: usize, dst: &mut [f32]) {
    if !(period.is_finite() && period > 0.0) {
        return dst.fill(0.0);
    }
    let turns = order as f64 / period;
    if period.fract() != 0.0 || period * 2.0 > dst.len() as f64 {
        return compute(wave, turns, first, dst);
    }
    let season = period as usize;
    let mut repeated = vec![0.0; season];
    compute(wave, turns, first % season, &mut repeated);
    let times = (COPIED.min(dst.len()) / season).max(1);
    let repeated = repeated.repeat(times);
    for part in dst.chunks_mut(repeated.len()) {
        part.copy_from_slice(&repeated[..part.len()]);
    }
}

fn compute(wave: Wave, turns: f64, first: usize, dst: &mut [f32]) {
    /// Adding and subtracting it rounds to a whole number.
    const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;
    let wave = match wave {
        Wave::Sin => Unary::Sin,
        Wave::Cos => Unary::Cos,
    };
    let mut phases = [0.0; BLOCK];
    for (block, dst) in dst.chunks_mut(BLOCK).enumerate() {
        let start = (first + block * BLOCK) as f64;
        for (i, phase) in phases.iter_mut().enumerate() {
            let turn = (start + i as f64) * turns;
            *phase = ((turn - ((turn + WHOLE) - WHOLE)) * TAU) as f32;
        }
        unary(wave, &phases[..dst.len()], dst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_from_the_start_phases_are_as_exact() {
        for (period, order) in [(24.0, 1), (24.0, 5), (7.0, 3), (365.25, 2), (1.5, 1)] {
            for first in [1, 1_000_003] {
                for wave in [Wave::Sin, Wave::Cos] {
                    let mut dst = vec![0.0; 5000];
                    fourier(wave, period, order, first, &mut dst);
                    for (i, got) in dst.iter().enumerate() {
                        let turns = (order as f64 * ((first + i) as f64 / period)).fract();
                        let want = match wave {
                            Wave::Sin => (turns * TAU).sin(),
                            Wave::Cos => (turns * TAU).cos(),
                        };
                        assert!((f64::from(*got) - want).abs() < 3e-7, "{period} {order} {i}");
                    }
                }
            }
        }
    }
}
