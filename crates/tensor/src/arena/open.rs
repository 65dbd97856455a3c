//! A run over an arena: hands every piece out once, stage by stage.
//!
//! Each piece has a mark, the number of the latest run it was handed out in; whoever sets the mark
//! has the piece. Dropping the [`Guard`] of a piece counts it as over, or a [`Tally`] counts several
//! together. Pieces are numbered stage by stage, and those of a stage are handed out once as many are
//! over as come before the stage.
//!
//! These are then all pieces before it. Otherwise look at the first piece ever handed out too early,
//! while one of an earlier stage was not over. No stage after that earlier one had begun before, so
//! fewer pieces were over than come before the next.
//!
//! Why no two live slices conflict. A guard is the only one for its piece in this opening, and its
//! slices borrow it mutably, so of one piece only one step's slices live at a time; these do not
//! conflict, and neither do those of two pieces of a stage: [`Stages`] proved both. Of two stages
//! never are pieces out at once, as just shown. Openings borrow the arena mutably, so there is one at
//! a time.
//!
//! Why no data race: counting a piece releases the count, and entering acquires it from all who
//! added to it.

use super::span::Span;
use super::stages::Stages;
use super::views::Views;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The latest run a piece was handed out in, alone on its cache line: each thread mostly has pieces of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Mark(pub(super) AtomicU32);

/// A count alone on its cache line.
#[repr(align(64))]
struct Count(AtomicUsize);

/// A run in progress. Threads share it by reference.
pub struct Open<'a> {
    base: *mut f32,
    stages: &'a Stages,
    marks: &'a [Mark],
    run: u32,
    /// Pieces that are over.
    over: Count,
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
    /// accesses. `marks` has at least an entry for each piece, none of them `run`, and nothing else
    /// writes them.
    pub(super) unsafe fn new(
        base: *mut f32,
        stages: &'a Stages,
        marks: &'a [Mark],
        run: u32,
    ) -> Self {
        let over = Count(AtomicUsize::new(0));
        Open { base, stages, marks, run, over, _words: PhantomData }
    }

    /// Takes a piece, counted within its stage.
    ///
    /// `None` when it was taken before in this run, when a piece of an earlier stage has not been
    /// taken or is not over, or when there is no such piece.
    #[inline]
    pub fn enter(&self, stage: usize, piece: usize) -> Option<Guard<'_>> {
        let pieces = self.stages.pieces_of(stage)?;
        if piece >= pieces.len() || self.over.0.load(Ordering::Acquire) < pieces.start {
            return None;
        }
        let piece = pieces.start + piece;
        let before = self.marks[piece].0.swap(self.run, Ordering::Relaxed);
        (before != self.run).then(|| Guard { open: self, steps: self.stages.steps_of(piece) })
    }

    /// Counts pieces that one thread finished. Threads that have many need not take turns after each.
    pub fn tally(&self) -> Tally<'_> {
        Tally { open: self, pieces: 0 }
    }

    /// Where a word is, to ask the caches for it. Slices of words are had from guards only.
    pub fn address(&self, word: usize) -> *const f32 {
        self.base.wrapping_add(word)
    }

    /// Whether every piece of every stage was taken and is over.
    pub fn is_finished(&self) -> bool {
        self.over.0.load(Ordering::Acquire) == self.stages.pieces_in_all()
    }
}

/// The right to run one piece. Dropping it, also by a panic, says the piece is over.
pub struct Guard<'o> {
    open: &'o Open<'o>,
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
        self.open.over.0.fetch_add(1, Ordering::Release);
    }
}

/// Pieces that are over and not counted yet. Dropping it counts them.
pub struct Tally<'o> {
    open: &'o Open<'o>,
    pieces: usize,
}

impl Tally<'_> {
    /// Ends a piece, to be counted later; one of another opening is just dropped.
    pub fn add(&mut self, guard: Guard<'_>) {
        if std::ptr::eq(guard.open, self.open) {
            std::mem::forget(guard);
            self.pieces += 1;
        }
    }

    /// Counts them.
    pub fn count(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces > 0 {
            self.open.over.0.fetch_add(pieces, Ordering::Release);
        }
    }
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        self.count();
    }
}
