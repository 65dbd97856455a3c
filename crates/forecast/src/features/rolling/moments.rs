//! Rolling mean and standard deviation.
//!
//! Sums are those of distances from a pivot, the first value of the block, which every window that
//! reaches into the block holds. Distances of f32 are exact in f64, so a large common offset costs
//! nothing, and of equal values the deviation is 0 exactly.

use super::sums::Parts;
use super::{Window, blocks};
use std::ops::Range;

/// The mean of each window.
pub fn rolling_mean(src: &[f32], window: Window, dst: &mut [f32]) {
    moments_from(src, window, 0, Some(dst), None);
}

/// The standard deviation of each window, divided by one less than there are values; NaN of one.
pub fn rolling_std(src: &[f32], window: Window, dst: &mut [f32]) {
    moments_from(src, window, 0, None, Some(dst));
}

/// Both at once, for little more than either.
pub fn rolling_mean_std(src: &[f32], window: Window, mean: &mut [f32], std: &mut [f32]) {
    moments_from(src, window, 0, Some(mean), Some(std));
}

/// The rows from `first` on of the mean, the deviation or both, which are then as long.
pub(in crate::features) fn moments_from(
    src: &[f32],
    window: Window,
    first: usize,
    mean: Option<&mut [f32]>,
    std: Option<&mut [f32]>,
) {
    let mut results = Results { mean: mean.unwrap_or_default(), std: std.unwrap_or_default() };
    let rows = results.mean.len().max(results.std.len()).min(src.len().saturating_sub(first));
    if rows == 0 {
        return;
    }
    let length = window.length(src.len());
    let reach = first.saturating_sub(2 * length);
    let whole = src[reach..first + rows].iter().fold(true, |whole, x| whole & x.is_finite());
    let mut parts = Parts::new(length, window);
    let mut blocks = blocks(length, first, rows).peekable();
    while let Some(block) = blocks.next() {
        let is_full = |wanted: &Range<usize>| wanted.len() == length;
        if !(whole && block.start > 0 && is_full(&block.wanted)) {
            let before = &src[block.start.saturating_sub(length)..block.start];
            let rows = &src[block.start..block.wanted.end + first];
            parts.run(before, rows, results.part(block.wanted));
            continue;
        }
        let mut wanted = block.wanted;
        while wanted.len() < parts.room()
            && let Some(next) = blocks.next_if(|next| is_full(&next.wanted))
        {
            wanted.end = next.wanted.end;
        }
        let rows = &src[block.start - length..wanted.end + first];
        parts.run_whole(rows, results.part(wanted));
    }
}

/// Where results go; one that is not wanted is empty.
pub(super) struct Results<'a> {
    pub mean: &'a mut [f32],
    pub std: &'a mut [f32],
}

impl Results<'_> {
    fn part(&mut self, rows: Range<usize>) -> Results<'_> {
        Results {
            mean: self.mean.get_mut(rows.clone()).unwrap_or_default(),
            std: self.std.get_mut(rows).unwrap_or_default(),
        }
    }
}
