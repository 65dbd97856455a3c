//! Fourier terms: sines and cosines of a season, for models that are to know its phase.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use whimbrel_kernels::copy::copy;
use whimbrel_kernels::elementwise::{Unary, unary};

/// Which wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
/// steps is computed once and repeated. A value depends on its step alone, whichever others are computed.
pub fn fourier(wave: Wave, period: f64, order: usize, first: i64, dst: &mut [f32]) {
    if !(period.is_finite() && period > 0.0) {
        return dst.fill(0.0);
    }
    let turns = order as f64 / period;
    if period.fract() != 0.0 || period >= u32::MAX.into() {
        return compute(wave, turns, first, dst);
    }
    let season = period as usize;
    let phase = first.rem_euclid(season as i64) as usize;
    if dst.len() < season {
        let (now, next) = dst.split_at_mut((season - phase).min(dst.len()));
        compute(wave, turns, phase as i64, now);
        return compute(wave, turns, 0, next);
    }
    let mut once = vec![0.0; season];
    compute(wave, turns, 0, &mut once);
    let times = (COPIED.min(dst.len()) / season).max(1);
    let repeated = once.repeat(times + 1);
    for part in dst.chunks_mut(season * times) {
        copy(&repeated[phase..phase + part.len()], part);
    }
}

fn compute(wave: Wave, turns: f64, first: i64, dst: &mut [f32]) {
    /// Adding and subtracting it rounds to a whole number.
    const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;
    let wave = match wave {
        Wave::Sin => Unary::Sin,
        Wave::Cos => Unary::Cos,
    };
    let mut phases = [0.0; BLOCK];
    for (block, dst) in dst.chunks_mut(BLOCK).enumerate() {
        let start = first as f64 + (block * BLOCK) as f64;
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
    fn a_value_does_not_depend_on_the_others() {
        for period in [1.0, 7.0, 24.0, 4999.0, 365.25] {
            let mut all = vec![0.0; 10_000];
            fourier(Wave::Cos, period, 3, 1, &mut all);
            for (first, count) in [(0, 1), (5, 10_000 - 5), (4998, 3), (9000, 6), (777, 2000)] {
                let mut part = vec![0.0; count.min(10_000 - first)];
                fourier(Wave::Cos, period, 3, 1 + first as i64, &mut part);
                assert_eq!(part, all[first..first + part.len()], "{period} {first}");
            }
        }
    }

    #[test]
    fn far_from_the_start_phases_are_as_exact() {
        for (period, order) in [(24.0, 1), (24.0, 5), (7.0, 3), (365.25, 2), (1.5, 1)] {
            for first in [1, 1_000_003, -700] {
                for wave in [Wave::Sin, Wave::Cos] {
                    let mut dst = vec![0.0; 5000];
                    fourier(wave, period, order, first, &mut dst);
                    for (i, got) in dst.iter().enumerate() {
                        let turns = (order as f64 * ((first + i as i64) as f64 / period)).fract();
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
