//! Why a set of stages was refused, and the sweep that finds out.
//!
//! [`first_clash`] is exact: it reports a clash whenever some pair of intervals clashes, in
//! O(n log n). Comparing neighbours in sorted order would not do: in A [0, 100), B [10, 20),
//! C [50, 60) the pair A, C overlaps with B between them.

use super::Span;
use std::fmt;

/// Where a span is accessed: a step of a piece, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The piece, counted within its stage.
    pub piece: usize,
    /// The step, counted within its piece.
    pub step: usize,
    /// The words touched.
    pub span: Span,
    /// Whether they are written.
    pub write: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "writes" } else { "reads" };
        write!(f, "piece {} step {} {verb} {}", self.piece, self.step, self.span)
    }
}

/// Accesses that may not be handed out as slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A span reaches past the arena.
    #[error("stage {stage}: {place} beyond the arena's {arena_len} words")]
    OutOfBounds {
        /// The stage.
        stage: usize,
        /// The access.
        place: Place,
        /// Words in the arena.
        arena_len: usize,
    },
    /// Within one step a write overlaps another span of that step.
    #[error("stage {stage}: {first} but also {second} within the step")]
    WithinStep {
        /// The stage.
        stage: usize,
        /// One access.
        first: Place,
        /// The other.
        second: Place,
    },
    /// Two pieces of a stage may run at once, and one writes what the other touches.
    #[error("stage {stage}: {first} while {second}")]
    BetweenPieces {
        /// The stage.
        stage: usize,
        /// One access.
        first: Place,
        /// The other.
        second: Place,
    },
}

/// A span in a sweep. Two clash when their owners differ, their words overlap and one is a write.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub owner: usize,
    pub place: Place,
}

/// The furthest-reaching interval so far, and the furthest-reaching one of any other owner.
///
/// Whatever owner an interval has, one of the two reaches furthest among the *other* owners'.
#[derive(Clone, Copy, Default)]
struct Reach {
    first: Option<Interval>,
    second: Option<Interval>,
}

/// Intervals handed to a sweep are in bounds, so their ends do not overflow.
fn end(interval: &Interval) -> usize {
    interval.place.span.offset + interval.place.span.len
}

impl Reach {
    fn add(&mut self, new: Interval) {
        let further =
            |held: &Option<Interval>| held.as_ref().is_none_or(|held| end(&new) > end(held));
        if self.first.is_some_and(|first| first.owner == new.owner) {
            if further(&self.first) {
                self.first = Some(new);
            }
        } else if further(&self.first) {
            self.second = self.first.replace(new);
        } else if further(&self.second) {
            self.second = Some(new);
        }
    }

    /// Among intervals of other owners that start no later, one that overlaps `new`.
    fn overlapping(&self, new: &Interval) -> Option<Interval> {
        let other = |held: &Interval| held.owner != new.owner && end(held) > new.place.span.offset;
        self.first.filter(other).or(self.second.filter(other))
    }
}

/// A pair that clashes, if any. Sorts `intervals`; all must be in bounds.
pub(super) fn first_clash(intervals: &mut [Interval]) -> Option<(Place, Place)> {
    intervals.sort_unstable_by_key(|interval| interval.place.span.offset);
    let mut writes = Reach::default();
    let mut all = Reach::default();
    for new in intervals.iter().filter(|interval| interval.place.span.len > 0) {
        let against = if new.place.write { &all } else { &writes };
        if let Some(old) = against.overlapping(new) {
            return Some((old.place, new.place));
        }
        all.add(*new);
        if new.place.write {
            writes.add(*new);
        }
    }
    None
}
