//! A column of tiles whose vectors pass by once: the first tile takes them from where they are and
//! leaves a copy in the first cache, from which the tiles below it take them.
//!
//! Meanwhile the tiles ask the second cache for vectors that pass by later.

use super::Start;
use super::block::Block;
use super::tile::{
    Ahead, GROUP, Patch, Walk, load, reduce, reduce_and_copy, row_offsets, store, zeros,
};
use crate::simd::{Kernel, Portable, Simd};
use std::any::TypeId;

/// Lines of rows `row` elements apart, `lines` of each.
#[derive(Clone, Copy)]
pub(super) struct Later {
    pub at: *const f32,
    pub row: usize,
    pub lines: usize,
    /// The lines to be asked for.
    pub from: usize,
    pub to: usize,
}

impl Later {
    /// Where the next lines lie side by side, and how many of at most `most` do.
    #[inline(always)]
    fn run(&self, most: usize) -> (*const f32, usize) {
        let (row, line) = (self.from / self.lines, self.from % self.lines);
        let at = self.at.wrapping_add(row * self.row + line * GROUP);
        (at, most.min(self.lines - line))
    }
}

/// As many rows of a block one tile wide as fill tiles. Gives the rows done.
pub(super) struct Passing {
    /// Its vectors are those of the copy.
    pub block: Block,
    /// Where the vectors are, rows `row` apart.
    pub vectors: *const f32,
    pub row: usize,
    /// What to ask for.
    pub later: Later,
}

impl Passing {
    #[inline(always)]
    fn tiles<S: Simd, const MR: usize, const NV: usize>(&self, s: S) -> usize {
        let Block { walk, w, x, c, place, rows, start, .. } = self.block;
        let offsets = row_offsets::<MR>(MR, walk.w_row);
        let mut later = self.later;
        for panel in 0..rows / MR {
            let w = w.wrapping_add(panel * MR * walk.w_row);
            let c = c.wrapping_add(panel * MR * place.row);
            // SAFETY: promised to Block::run; the copy is read after it was written.
            unsafe {
                let mut acc = match start {
                    Start::Zero => zeros(s),
                    Start::Dst => load::<S, MR, NV, false>(s, place, c, MR, GROUP),
                };
                if panel == 0 {
                    let walk = Walk { x_inner: self.row, ..walk };
                    let (src, copy) = (self.vectors, x.cast_mut());
                    acc = reduce_and_copy::<S, MR, NV>(s, walk, w, &offsets, src, copy, acc);
                } else if later.from < later.to {
                    let mut at = 0;
                    while at < walk.last {
                        let (lines, run) = later.run(walk.last - at);
                        let walk = Walk { last: run, ahead: Ahead::Lines(lines), ..walk };
                        let w = w.wrapping_add(at * walk.w_inner);
                        let x = x.wrapping_add(at * walk.x_inner);
                        acc = reduce::<S, MR, NV, false>(s, walk, w, &offsets, x, GROUP, acc);
                        at += run;
                        later.from += run;
                    }
                } else {
                    // What the chains of a tile start from is wanted one tile earlier.
                    let wanted =
                        if start == Start::Zero { c } else { c.wrapping_add(MR * place.row) };
                    let near = Patch { at: wanted, row: place.row };
                    let far = Patch { at: w.wrapping_add(MR * walk.w_row), row: walk.w_row };
                    let walk = Walk { ahead: Ahead::Patches { near, far }, ..walk };
                    acc = reduce::<S, MR, NV, false>(s, walk, w, &offsets, x, GROUP, acc);
                }
                store::<S, MR, NV, false>(s, place, c, MR, GROUP, acc);
            }
        }
        rows / MR * MR
    }
}

impl Kernel for Passing {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        if S::REGISTERS >= 32 {
            self.tiles::<S, 6, 4>(s)
        } else if TypeId::of::<S>() == TypeId::of::<Portable>() {
            self.tiles::<S, 2, 1>(s)
        } else {
            self.tiles::<S, 6, 1>(s)
        }
    }
}
