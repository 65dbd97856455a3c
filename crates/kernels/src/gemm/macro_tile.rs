//! A block of the result cut into register tiles: which tile shapes each instruction set uses
//! and how rows and lanes that fill no tile are covered. The cut never changes bits.

use super::Start;
use super::tile::{GROUP, Place, Walk, load, reduce, store, zeros};
use crate::simd::{Portable, Simd};
use std::any::TypeId;

/// A block `[rows, lanes]` of a result and the walk that leads to each element.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub walk: Walk,
    pub place: Place,
    pub rows: usize,
    pub lanes: usize,
    pub start: Start,
}

/// Rows of the tallest tile: 8 where there are 32 vector registers, else 4, or 2 where a
/// sixteen-lane group may take four registers.
#[inline(always)]
pub(super) fn tallest<S: Simd>() -> usize {
    if S::REGISTERS >= 32 {
        8
    } else if TypeId::of::<S>() != TypeId::of::<Portable>() {
        4
    } else {
        2
    }
}

/// Computes a block.
///
/// `w` gives the address of the scalars of a row; it is asked at multiples of 8 rows (4 or 2 on
/// narrower instruction sets), and inside a tile rows lie `walk.w_row` apart. With `PADDED`,
/// scalars past `rows` are readable up to the next multiple of 8.
///
/// # Safety
/// The walk of every row and group is readable and the block is writable at `c` (and readable
/// where the chains start there).
#[inline(always)]
pub(super) unsafe fn block<S: Simd, const PADDED: bool>(
    s: S,
    b: Block,
    w: impl Fn(usize) -> *const f32,
    x: *const f32,
    c: *mut f32,
) {
    let mut at = 0;
    while at < b.rows {
        let left = b.rows - at;
        let row = Row { b, w: w(at), x, c: c.wrapping_add(at * b.place.row), rows: left };
        // SAFETY: the rows from `at`; tiles taller than what is left are used only when PADDED.
        unsafe {
            at += if S::REGISTERS >= 32 {
                match left {
                    16.. if b.lanes <= GROUP => row.groups::<S, 16>(s),
                    8.. => row.groups::<S, 8>(s),
                    5.. if PADDED => row.groups::<S, 8>(s),
                    4.. => row.groups::<S, 4>(s),
                    _ if PADDED => row.groups::<S, 4>(s),
                    2.. => row.groups::<S, 2>(s),
                    _ => row.groups::<S, 1>(s),
                }
            } else if tallest::<S>() == 4 {
                match left {
                    4.. => row.groups::<S, 4>(s),
                    _ if PADDED => row.groups::<S, 4>(s),
                    2.. => row.groups::<S, 2>(s),
                    _ => row.groups::<S, 1>(s),
                }
            } else {
                match left {
                    2.. => row.groups::<S, 2>(s),
                    _ => row.groups::<S, 1>(s),
                }
            };
        }
    }
}

/// One row of tiles, all of the same height.
struct Row {
    b: Block,
    w: *const f32,
    x: *const f32,
    c: *mut f32,
    rows: usize,
}

impl Row {
    /// Covers the lanes with tiles of one to three groups (one where registers are few), never
    /// leaving a single group over when it can be avoided. Returns the rows done.
    ///
    /// # Safety
    /// As for [`block`], with `MR` rows of scalars readable.
    #[inline(always)]
    unsafe fn groups<S: Simd, const MR: usize>(&self, s: S) -> usize {
        let groups = self.b.lanes.div_ceil(GROUP);
        let mut g = 0;
        while g < groups {
            // SAFETY: as promised by the caller, cut by groups.
            unsafe {
                g += match groups - g {
                    3 | 5 if S::REGISTERS >= 32 && MR <= 8 => self.tile::<S, MR, 3>(s, g),
                    2.. if S::REGISTERS >= 32 && MR <= 8 => self.tile::<S, MR, 2>(s, g),
                    _ => self.tile::<S, MR, 1>(s, g),
                };
            }
        }
        MR
    }

    /// # Safety
    /// As for [`Row::groups`].
    #[inline(always)]
    unsafe fn tile<S: Simd, const MR: usize, const NV: usize>(&self, s: S, g: usize) -> usize {
        let lanes = self.b.lanes - g * GROUP;
        // SAFETY: as promised by the caller; PARTIAL exactly when the last group is.
        unsafe {
            if lanes >= NV * GROUP {
                self.finish::<S, MR, NV, false>(s, g, GROUP);
            } else {
                self.finish::<S, MR, NV, true>(s, g, lanes - (NV - 1) * GROUP);
            }
        }
        NV
    }

    /// # Safety
    /// As for [`Row::groups`].
    #[inline(always)]
    unsafe fn finish<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
        &self,
        s: S,
        g: usize,
        lanes: usize,
    ) {
        let Block { walk, place, start, .. } = self.b;
        let x = self.x.wrapping_add(g * walk.x_group);
        let c = self.c.wrapping_add(g * place.group);
        // SAFETY: as promised by the caller.
        unsafe {
            let acc = match start {
                Start::Zero => zeros(s),
                Start::Dst => load::<S, MR, NV, PARTIAL>(s, place, c, self.rows, lanes),
            };
            let acc = reduce::<S, MR, NV, PARTIAL>(s, walk, self.w, x, lanes, acc);
            store::<S, MR, NV, PARTIAL>(s, place, c, self.rows, lanes, acc);
        }
    }
}
