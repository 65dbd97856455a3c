//! Rolling statistics: of the last values up to and including each one, as pandas' `rolling`.
//!
//! What is not finite is left out; where fewer than `min_periods` values are left the result is NaN.
//!
//! Mean, deviation, minimum and maximum are made of blocks as long as the window. A window reaches
//! from somewhere in one block to somewhere in the next, so it is a suffix of the one and a prefix of the
//! other, and both are running sums over nothing but values of the window. Nothing is ever
//! subtracted again: neither do errors add up over a series nor does a huge value leave a trace, and a
//! row comes out the same wherever the work is cut. Start reading at `extremes.rs`.

mod extremes;
mod moments;
mod quantile;
mod sums;

pub use extremes::{rolling_max, rolling_min};
pub use moments::{rolling_mean, rolling_mean_std, rolling_std};
pub use quantile::rolling_quantile;

pub(super) use extremes::{max_from, min_from};
pub(super) use moments::moments_from;
pub(super) use quantile::quantile_from;

use serde::{Deserialize, Serialize};

/// The values a statistic is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// How many values, the latest included; 0 counts as 1.
    pub size: usize,
    /// How many of them must be known.
    pub min_periods: usize,
}

impl Window {
    /// A window of which all values must be known, as it is in pandas unless `min_periods` is given.
    pub fn of(size: usize) -> Window {
        Window { size, min_periods: size }
    }

    /// A window of which some values must be known.
    pub fn at_least(min_periods: usize, size: usize) -> Window {
        Window { size, min_periods }
    }

    /// Its length as far as a series of `rows` can fill it.
    fn length(self, rows: usize) -> usize {
        self.size.clamp(1, rows.max(1))
    }

    /// The fewest known values that give a result.
    fn needs(self) -> usize {
        self.min_periods.max(1)
    }
}

/// A block of rows, and which of them are wanted.
struct Block {
    /// The first row of the block; a multiple of the length.
    start: usize,
    /// The rows wanted, counted from the start of the walk.
    wanted: std::ops::Range<usize>,
}

/// The blocks that hold the `count` rows from `first` on.
fn blocks(length: usize, first: usize, count: usize) -> impl Iterator<Item = Block> {
    let end = first + count;
    let starts = (first / length * length..end).step_by(length);
    starts.map(move |start| {
        let wanted = start.max(first) - first..end.min(start + length) - first;
        Block { start, wanted }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: a statistic of the known values of each window.
    fn plain(src: &[f32], window: Window, statistic: impl Fn(&mut [f64]) -> f64) -> Vec<f64> {
        let size = window.size.max(1);
        let each = |row: usize| {
            let values = &src[(row + 1).saturating_sub(size)..=row];
            let known = values.iter().filter(|x| x.is_finite()).map(|&x| f64::from(x));
            let mut known: Vec<f64> = known.collect();
            match known.len() >= window.min_periods.max(1) {
                true => statistic(&mut known),
                false => f64::NAN,
            }
        };
        (0..src.len()).map(each).collect()
    }

    fn mean(values: &mut [f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn std(values: &mut [f64]) -> f64 {
        let mean = mean(values);
        let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (squares / (values.len() as f64 - 1.0)).sqrt()
    }

    fn quantile(values: &mut [f64], q: f64) -> f64 {
        values.sort_unstable_by(f64::total_cmp);
        let place = q * (values.len() - 1) as f64;
        let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
        low + (high - low) * place.fract()
    }

    fn value() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => -100f32..100.0,
            1 => Just(f32::NAN),
            1 => prop_oneof![Just(f32::INFINITY), Just(1e20f32), Just(-3e-20f32)],
        ]
    }

    proptest! {
        #[test]
        fn every_statistic_is_that_of_its_window_wherever_the_work_begins(
            src in prop::collection::vec(value(), 0..300),
            size in 0usize..40,
            min_periods in 0usize..10,
            first in 0usize..310,
            q in 0f64..=1.0,
        ) {
            let window = Window { size, min_periods };
            let rows = src.len().saturating_sub(first);
            let [mut m, mut s, mut low, mut high, mut middle] = [(); 5].map(|()| vec![0.0; rows]);
            moments_from(&src, window, first, Some(&mut m), Some(&mut s));
            min_from(&src, window, first, &mut low);
            max_from(&src, window, first, &mut high);
            quantile_from(&src, window, q, first, &mut middle);
            for (name, got, want) in [
                ("mean", m, plain(&src, window, mean)),
                ("std", s, plain(&src, window, std)),
                ("min", low, plain(&src, window, |x| quantile(x, 0.0))),
                ("max", high, plain(&src, window, |x| quantile(x, 1.0))),
                ("quantile", middle, plain(&src, window, |x| quantile(x, q))),
            ] {
                for (row, (got, want)) in (first..).zip(got.iter().zip(&want[first.min(want.len())..])) {
                    let got = f64::from(*got);
                    let same = got.is_nan() && want.is_nan()
                        || (got - want).abs() <= 1e-6 * want.abs().max(1e-3);
                    prop_assert!(same, "{name} at {row}: {got} is not {want}");
                }
            }
        }
    }
}
