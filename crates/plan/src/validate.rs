//! The proof that a placement is sound: no two buffers alive at the same step share a byte.
//!
//! Comparing neighbours in a sorted list of all buffers is not enough, since a buffer of another
//! time may stand between two that conflict. Time is swept instead, holding the ranges alive now:
//! they are disjoint, so a new one conflicts with one of its two neighbours among them or with none.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use crate::place::{Lifetime, Placement};

/// A buffer in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its index in the list of buffers.
    pub buffer: usize,
    /// The bytes it occupies in the arena; the end saturates at `usize::MAX`.
    pub bytes: Range<usize>,
    /// The steps during which it is alive.
    pub steps: RangeInclusive<u32>,
}

impl std::fmt::Display for Placed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Placed { buffer, bytes, steps } = self;
        let (first, last) = (steps.start(), steps.end());
        write!(f, "buffer {buffer} (bytes {}..{}, steps {first}..={last})", bytes.start, bytes.end)
    }
}

/// Why a placement is unsound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Overlap {
    /// Two buffers share bytes while both are alive.
    #[error("{0} overlaps {1}")]
    Buffers(Placed, Placed),
    /// A buffer reaches past the end of the arena.
    #[error("{buffer} overlaps the end of the arena at {total}")]
    ArenaEnd {
        /// The buffer that does not fit.
        buffer: Placed,
        /// The arena's size in bytes.
        total: usize,
    },
    /// There is not exactly one offset for each buffer.
    #[error("{offsets} offsets for {buffers} buffers")]
    Count {
        /// How many buffers there are.
        buffers: usize,
        /// How many offsets the placement holds.
        offsets: usize,
    },
}

/// Checks that buffers alive at once are disjoint and inside the arena, in O(n log n).
///
/// # Errors
/// The first conflict in order of time, naming both buffers, their bytes and their steps.
pub fn validate(buffers: &[Lifetime], placement: &Placement) -> Result<(), Overlap> {
    let Placement { offsets, total, .. } = placement;
    if offsets.len() != buffers.len() {
        return Err(Overlap::Count { buffers: buffers.len(), offsets: offsets.len() });
    }
    let placed = |buffer: usize| {
        let Lifetime { bytes, first, .. } = buffers[buffer];
        let bytes = offsets[buffer]..offsets[buffer].saturating_add(bytes);
        Placed { buffer, bytes, steps: first..=buffers[buffer].end() }
    };

    let mut births: Vec<usize> = (0..buffers.len()).filter(|&b| buffers[b].bytes > 0).collect();
    births.sort_by_key(|&b| buffers[b].first);
    let mut deaths = births.clone();
    deaths.sort_by_key(|&b| buffers[b].end());
    let mut deaths = deaths.into_iter().peekable();

    let mut alive: BTreeMap<usize, usize> = BTreeMap::new();
    for newcomer in births {
        // Whoever ends before this step began before it, and is in the set.
        while let Some(dead) = deaths.next_if(|&b| buffers[b].end() < buffers[newcomer].first) {
            alive.remove(&offsets[dead]);
        }
        let (start, bytes) = (offsets[newcomer], buffers[newcomer].bytes);
        // Written so that a range wrapping around the address space cannot pass.
        if start > *total || bytes > *total - start {
            return Err(Overlap::ArenaEnd { buffer: placed(newcomer), total: *total });
        }
        let below = alive.range(..=start).next_back();
        let above = alive.range(start..).next();
        for &neighbour in [below, above].into_iter().flatten().map(|(_, buffer)| buffer) {
            let (a, b) = (placed(neighbour), placed(newcomer));
            if a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end {
                return Err(Overlap::Buffers(a, b));
            }
        }
        alive.insert(start, newcomer);
    }
    Ok(())
}
