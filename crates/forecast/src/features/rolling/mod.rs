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

/// The values a statistic is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
