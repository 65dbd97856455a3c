//! Quantiles: a value becomes the share of the values seen that lie below it, as it is or as the number
//! of the normal distribution with that share below. As scikit-learn's `QuantileTransformer`.
//!
//! Values beyond those seen become the edge, so nothing beyond them can be forecast.

use super::normal;

/// Quantiles kept at most; between them shares are interpolated.
const MOST: usize = 1000;

/// Shares of the normal distribution end here, as in scikit-learn.
const EDGE: f64 = 1e-7;

/// The quantiles of the values seen at equal distances of their share.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles {
    sorted: Vec<f64>,
    normal: bool,
}

impl Quantiles {
    pub(super) fn fit(mut all: Vec<f32>, normal: bool) -> Quantiles {
        all.sort_unstable_by(f32::total_cmp);
        let count = all.len().min(MOST);
        let at = |i: usize| {
            let place = i as f64 / (count - 1).max(1) as f64 * (all.len() - 1) as f64;
            // A place that rounding puts beside a value is meant to be on it.
            let place = if all.len() == count { i as f64 } else { place };
            let below = place as usize;
            let low = f64::from(all[below]);
            let high = f64::from(*all.get(below + 1).unwrap_or(&all[below]));
            low + (high - low) * (place - below as f64)
        };
        Quantiles { sorted: (0..count).map(at).collect(), normal }
    }

    /// The share of a value, the middle one of those it has if several quantiles equal it.
    pub(super) fn apply(&self, x: f64) -> f64 {
        let [Some(&low), Some(&high)] = [self.sorted.first(), self.sorted.last()] else {
            return x;
        };
        if x.is_nan() {
            return x;
        }
        let share = match x {
            x if x <= low => 0.0,
            x if x >= high => 1.0,
            x => {
                let below = self.sorted.partition_point(|&q| q < x);
                let up_to = self.sorted.partition_point(|&q| q <= x);
                let last = (self.sorted.len() - 1) as f64;
                match up_to > below {
                    true => (below + up_to - 1) as f64 / 2.0 / last,
                    false => {
                        let (before, after) = (self.sorted[below - 1], self.sorted[below]);
                        ((below - 1) as f64 + (x - before) / (after - before)) / last
                    }
                }
            }
        };
        match self.normal {
            true => normal::number_above(share.clamp(EDGE, 1.0 - EDGE)),
            false => share,
        }
    }

    /// The value of a share.
    pub(super) fn invert(&self, z: f64) -> f64 {
        let share = if self.normal { normal::share_below(z) } else { z };
        let edge = if self.normal { 2.0 * EDGE } else { 0.0 };
        let last = self.sorted.len().saturating_sub(1);
        let place = match share {
            share if share <= edge => 0.0,
            share if share >= 1.0 - edge => last as f64,
            share => share * last as f64,
        };
        let below = (place as usize).min(last);
        let at = |i: usize| self.sorted.get(i).copied();
        let low = at(below).unwrap_or(z);
        low + (at(below + 1).unwrap_or(low) - low) * (place - below as f64)
    }
}
