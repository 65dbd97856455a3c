//! Best fit in order of first use, as an allocator would do it while the plan runs.
//!
//! In this order a block only has to keep clear of what is alive when it begins, so a list of free
//! ranges is enough: O(n log n) whatever the lifetimes. Seldom the best packing, always a packing.

use std::collections::{BTreeMap, BTreeSet};

use super::Block;

/// The blocks in order of first use, and the first line of each block.
pub(super) fn best_fit_by_first_use(blocks: &[Block]) -> (Vec<usize>, Vec<u64>) {
    let mut births: Vec<usize> = (0..blocks.len()).collect();
    births.sort_by_key(|&b| (blocks[b].from, std::cmp::Reverse(blocks[b].lines)));
    let mut deaths = births.clone();
    deaths.sort_by_key(|&b| blocks[b].to);
    let mut deaths = deaths.into_iter().peekable();

    let mut free = FreeRanges::default();
    let mut starts = vec![0u64; blocks.len()];
    for &b in &births {
        while let Some(dead) = deaths.next_if(|&dead| blocks[dead].to < blocks[b].from) {
            free.release(starts[dead], starts[dead].saturating_add(blocks[dead].lines));
        }
        starts[b] = free.take(blocks[b].lines);
    }
    (births, starts)
}

/// The free lines below `top`, as ranges that never touch; everything from `top` up is free.
#[derive(Default)]
struct FreeRanges {
    /// The end of each range by its start.
    ends: BTreeMap<u64, u64>,
    /// Length and start of each range.
    by_length: BTreeSet<(u64, u64)>,
    top: u64,
}

impl FreeRanges {
    /// The shortest range that is long enough, or else the end of the arena.
    fn take(&mut self, lines: u64) -> u64 {
        if let Some(&(length, start)) = self.by_length.range((lines, 0)..).next() {
            self.remove(start, start + length);
            self.insert(start + lines, start + length);
            return start;
        }
        let last = self.ends.last_key_value().map(|(&start, &end)| (start, end));
        let start = match last {
            Some((start, end)) if end == self.top => {
                self.remove(start, end);
                start
            }
            _ => self.top,
        };
        self.top = start.saturating_add(lines);
        start
    }

    fn release(&mut self, mut start: u64, mut end: u64) {
        let below = self.ends.range(..start).next_back().map(|(&start, &end)| (start, end));
        if let Some((below, touching)) = below.filter(|&(_, below_end)| below_end == start) {
            self.remove(below, touching);
            start = below;
        }
        if let Some(&above_end) = self.ends.get(&end) {
            self.remove(end, above_end);
            end = above_end;
        }
        self.insert(start, end);
    }

    fn insert(&mut self, start: u64, end: u64) {
        if start < end {
            self.ends.insert(start, end);
            self.by_length.insert((end - start, start));
        }
    }

    fn remove(&mut self, start: u64, end: u64) {
        self.ends.remove(&start);
        self.by_length.remove(&(end - start, start));
    }
}
