//! Which words of an arena a step touches.
//!
//! Words are 4 bytes and read as `f32`; where a plan keeps integers, [`as_i32`] reads the same
//! words as `i32`.

use std::fmt;

/// A range of words of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first word.
    pub offset: usize,
    /// The number of words.
    pub len: usize,
}

impl Span {
    /// The span of `len` words from `offset` on.
    pub const fn new(offset: usize, len: usize) -> Self {
        Span { offset, len }
    }

    /// One past the last word; `None` past the end of the address space.
    pub const fn end(&self) -> Option<usize> {
        self.offset.checked_add(self.len)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {})", self.offset, self.offset.saturating_add(self.len))
    }
}

/// The spans one step of a piece touches.
///
/// A span updated in place is listed under `writes` only: a write slice holds the old contents.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Access {
    /// Spans read; they may overlap each other.
    pub reads: Vec<Span>,
    /// Spans written, or read and written; they overlap neither each other nor any read.
    pub writes: Vec<Span>,
}

impl Access {
    /// The access that reads `reads` and writes `writes`.
    pub fn new(reads: impl Into<Vec<Span>>, writes: impl Into<Vec<Span>>) -> Self {
        Access { reads: reads.into(), writes: writes.into() }
    }
}

/// Words read as integers, bit for bit.
pub fn as_i32(words: &[f32]) -> &[i32] {
    // SAFETY: f32 and i32 agree in size and alignment, and every bit pattern is a value of both.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

/// Words read and written as integers, bit for bit.
pub fn as_i32_mut(words: &mut [f32]) -> &mut [i32] {
    // SAFETY: as in `as_i32`; the borrow stays exclusive.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) }
}
