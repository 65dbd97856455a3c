//! The memory of compiled plans.
//!
//! A plan's steps touch [`Span`]s of one [`Arena`]. [`Stages::prove`] checks once, when the plan is
//! compiled, that work which may run at the same time never conflicts; [`Arena::open`] then hands
//! out slices, each piece of work once a run, at the cost of a few instructions.
//!
//! Reading order: [`span`], [`stages`] (the proof), [`open`](mod@open) (the hand-out), [`views`].

pub mod open;
pub mod span;
pub mod stages;
pub mod views;

mod conflict;

pub use conflict::{Conflict, Place};
pub use open::{Guard, Open, Tally};
pub use span::{Access, Span, as_i32, as_i32_mut};
pub use stages::{Piece, Stage, Stages};
pub use views::{Reads, Views, Writes};

use crate::memory::{Block, OutOfMemory};
use open::Mark;
use std::fmt;

/// Memory of a fixed number of 4-byte words, zero at first, read as `f32` or `i32`.
pub struct Arena {
    block: Block,
    /// Length in words.
    len: usize,
    /// Per piece of a plan, the latest run it was handed out in: see [`open`](mod@open).
    marks: Vec<Mark>,
    /// The number of the latest run; 0 before the first.
    latest: u32,
}

/// Stages were proved for a larger arena than the one opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan needs an arena of {needed} words, this one has {len}")]
pub struct ArenaTooSmall {
    /// Words the stages were proved for.
    pub needed: usize,
    /// Words in the arena.
    pub len: usize,
}

impl Arena {
    /// An arena of `len` words, all zero, aligned as a [`Buffer`](crate::Buffer) is.
    pub fn new(len: usize) -> Result<Self, OutOfMemory> {
        let bytes = len.checked_mul(size_of::<f32>()).ok_or(OutOfMemory { bytes: usize::MAX })?;
        Ok(Arena { block: Block::zeroed(bytes)?, len, marks: Vec::new(), latest: 0 })
    }

    /// Length in words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the arena has no words.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Every word.
    pub fn words(&self) -> &[f32] {
        // SAFETY: the block holds `len` initialised words, aligned to 64 bytes; it is written only
        // through `&mut self` or an `Open`, which borrows the arena mutably.
        unsafe { std::slice::from_raw_parts(self.block.ptr().cast(), self.len) }
    }

    /// Every word, to be written.
    pub fn words_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `words`, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.block.ptr().cast(), self.len) }
    }

    /// The words of a span, between runs.
    ///
    /// # Panics
    /// When the span is out of bounds, as slicing does.
    pub fn slice(&self, span: Span) -> &[f32] {
        &self.words()[span.offset..][..span.len]
    }

    /// The words of a span, to be written, between runs.
    ///
    /// # Panics
    /// When the span is out of bounds, as slicing does.
    pub fn slice_mut(&mut self, span: Span) -> &mut [f32] {
        &mut self.words_mut()[span.offset..][..span.len]
    }

    /// Starts a run over proved stages. Allocates only when `stages` has more pieces than any
    /// opened before.
    pub fn open<'a>(&'a mut self, stages: &'a Stages) -> Result<Open<'a>, ArenaTooSmall> {
        if stages.arena_len() > self.len {
            return Err(ArenaTooSmall { needed: stages.arena_len(), len: self.len });
        }
        if self.marks.len() < stages.pieces_in_all() {
            self.marks.resize_with(stages.pieces_in_all(), Mark::default);
        }
        self.latest = self.latest.checked_add(1).unwrap_or_else(|| {
            self.marks.iter_mut().for_each(|mark| *mark.0.get_mut() = 0);
            1
        });
        // SAFETY: the block lives and stays mutably borrowed for 'a, holds at least
        // `stages.arena_len()` words, and every mark is of an earlier run.
        Ok(unsafe { Open::new(self.block.ptr().cast(), stages, &self.marks, self.latest) })
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("at", &self.block.ptr()).field("len", &self.len).finish()
    }
}
