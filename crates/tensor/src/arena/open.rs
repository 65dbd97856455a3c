//! A run over an arena: hands every piece out once, stage by stage.
//!
//! Each piece has a mark: anything below `entered` while it waits, `entered` once its [`Guard`]
//! was handed out, `entered + 1` once that guard was dropped. A stage is over when all its pieces
//! are. Nothing else is shared between threads but the number of the current stage.
//!
//! Why no two live slices conflict. A guard is the only one for its piece in this opening, and its
//! slices borrow it mutably, so of one piece only one step's slices live at a time; these do not
//! conflict, and neither do those of two pieces of a stage: [`Stages`] proved both. Of two stages
//! never are pieces out at once: `stage` holds `s` only after every guard of the stages before `s`
//! was dropped, and a piece of `s` that could still be taken keeps all stages after it closed.
//! Openings borrow the arena mutably, so there is one at a time.
//!
//! Why no data race: dropping a guard releases its mark, moving on acquires all marks of the stage
//! and releases the stage's number, and entering acquires that number.

use super::span::Span;
use super::stages::Stages;
use super::views::Views;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A run in progress. Threads share it by reference.
pub struct Open<'a> {
    base: *mut f32,
    stages: &'a Stages,
    marks: &'a [AtomicU32],
    entered: u32,
    stage: AtomicUsize,
    /// The words themselves.
    _words: PhantomData<&'a mut [f32]>,
}

// SAFETY: `base` is used only to make the slices that the module head shows free of conflicts and
// races, of f32, which is Send and Sync.
unsafe impl Send for Open<'_> {}
// SAFETY: as for Send; all other shared state is atomic or immutable.
unsafe impl Sync for Open<'_> {}

impl<'a> Open<'a> {
    /// # Safety
    /// For 'a, `base` points to at least `stages.arena_len()` initialised words that nothing else
    /// accesses. `marks` has at least an entry for each piece, all below `entered`, which is even,
    /// and nothing else writes them.
    pub(super) unsafe fn new(
        base: *mut f32,
        stages: &'a Stages,
        marks: &'a [AtomicU32],
        entered: u32,
    ) -> Self {
        Open { base, stages, marks, entered, stage: AtomicUsize::new(0), _words: PhantomData }
    }

    /// Takes a piece, counted within its stage.
    ///
    /// `None` when it was taken before in this run, when a piece of an earlier stage has not been
    /// taken or its guard not dropped, or when there is no such piece.
    #[inline]
    pub fn enter(&self, stage: usize, piece: usize) -> Option<Guard<'_>> {
        let pieces = self.stages.pieces_of(stage)?;
        if piece >= pieces.len() {
            return None;
        }
        if self.stage.load(Ordering::Acquire) != stage && !self.advance_to(stage) {
            return None;
        }
        let piece = pieces.start + piece;
        let mark = &self.marks[piece];
        let old = mark.load(Ordering::Relaxed);
        if old >= self.entered {
            return None;
        }
        // Of several threads that get here with the same `old`, one succeeds.
        mark.compare_exchange(old, self.entered, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        Some(Guard { open: self, mark, steps: self.stages.steps_of(piece) })
    }

    /// Whether every piece of every stage was taken and its guard dropped.
    pub fn is_finished(&self) -> bool {
        self.advance_to(self.stages.len())
    }

    /// Moves on over stages that are over, up to `target`. Whether `target` is now current.
    #[cold]
    fn advance_to(&self, target: usize) -> bool {
        let mut current = self.stage.load(Ordering::Acquire);
        while current < target {
            let Some(pieces) = self.stages.pieces_of(current) else { return false };
            let over = |mark: &AtomicU32| mark.load(Ordering::Acquire) == self.entered + 1;
            if !self.marks[pieces].iter().all(over) {
                return false;
            }
            current += 1;
            // A slow thread may store an old number late. All stages before it are over just the
            // same, and its own are marked: the next thread to come only scans them again.
            self.stage.store(current, Ordering::Release);
        }
        current == target
    }
}

/// The right to run one piece. Dropping it, also by a panic, says the piece is over.
pub struct Guard<'o> {
    open: &'o Open<'o>,
    mark: &'o AtomicU32,
    steps: Range<usize>,
}

impl Guard<'_> {
    /// The number of steps of the piece.
    #[inline]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The slices of a step. They borrow the guard, so those of one step live at a time.
    ///
    /// # Panics
    /// When the piece has no such step, as indexing does.
    #[inline]
    pub fn step(&mut self, index: usize) -> Views<'_> {
        assert!(index < self.steps.len(), "step {index} of a piece of {}", self.steps.len());
        let (reads, writes): (&[Span], &[Span]) =
            self.open.stages.spans_of(self.steps.start + index);
        // SAFETY: the spans are proved in bounds of the words at `base`; the guard is mutably
        // borrowed for as long as the views live, so by the module head nothing conflicts.
        unsafe { Views::new(self.open.base, reads, writes) }
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.mark.store(self.open.entered + 1, Ordering::Release);
    }
}
