//! Products cut into blocks for the caches.
//!
//! Some steps and columns of the right side, copied tile by tile, stay in the second cache while the
//! rows of the left side pass by, six at a time, used where they are. Only a left side that is
//! stored as its transpose is turned first.

use super::super::block::segment;
use super::super::dense::blocks;
use super::super::rearrange::{Sides, spread, transpose};
use super::super::tile::GROUP;
use super::few::{CACHED, FEW};
use super::{GemmDims, Product};
use crate::gemm::PANEL;
use std::ops::Range;

/// Rows of the left side turned together.
const ROWS: usize = 256;
/// Steps of the reduction in one block.
const STEPS: usize = 1024;
/// Columns of the right side copied together.
const COLUMNS: usize = 128;
/// Columns up to which both sides are used where they are.
pub(super) const NARROW: usize = 64;
/// Rows above which a right side whose vectors straddle lines is copied from fewer elements on.
const MANY: usize = 64;
/// Columns, and elements of a transposed left side, up to which it is used where it is.
const DIRECT: usize = 256;

impl GemmDims {
    /// Whether the left side is turned: when it lies across and is used for many columns.
    fn turns(&self) -> bool {
        let small = self.n <= DIRECT && self.m.saturating_mul(self.k) <= DIRECT * DIRECT;
        self.a.transposed && self.m > FEW && self.n > NARROW && !small
    }

    /// Whether the right side is copied: when it lies across, or when more rows use more of it than
    /// passes by as it is. The columns of one tile stay in the second cache either way.
    fn copies(&self) -> bool {
        let straddles = !self.b.row.is_multiple_of(GROUP) && self.m > MANY;
        let near = if straddles { CACHED / 16 } else { CACHED };
        let large = self.n.saturating_mul(self.k) > near;
        self.b.transposed || self.m > FEW && self.n > NARROW && large
    }

    pub(super) fn left_len(&self) -> usize {
        if self.turns() { room(self.m, ROWS) * longest(self.k, STEPS) } else { 0 }
    }

    pub(super) fn right_len(&self) -> usize {
        if self.copies() { longest(self.n, COLUMNS) * longest(self.k, STEPS) } else { 0 }
    }
}

/// Ranges of about equal length, at most `most`, that make up `0 .. n`.
pub(in super::super) fn evenly(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    blocks(n, longest(n, most))
}

/// The longest of the ranges that [`evenly`] gives.
pub(super) fn longest(n: usize, most: usize) -> usize {
    n.div_ceil(n.div_ceil(most).max(1)).next_multiple_of(GROUP).max(GROUP)
}

/// Room for the longest of them that also serves any smaller `n`.
pub(super) fn room(n: usize, most: usize) -> usize {
    n.min(most).next_multiple_of(GROUP).max(GROUP)
}

/// Scalars of the left side; rows `row` apart, steps `step`.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub(super) scalars: *const f32,
    pub(super) row: usize,
    pub(super) step: usize,
}

impl Left {
    /// The left side where it is, from row `m` and step `k` on.
    pub(super) fn plain(product: &Product, m: usize, k: usize) -> Self {
        let (row, step) = product.dims.a.strides();
        Left { scalars: product.a.as_ptr().wrapping_add(m * row + k * step), row, step }
    }
}

/// Vectors of the right side: steps `step` apart; for each group of columns, a tile's begin `next`
/// further on.
#[derive(Clone, Copy)]
pub(super) struct Right {
    pub(super) vectors: *const f32,
    pub(super) step: usize,
    pub(super) next: usize,
    pub(super) tile: Option<usize>,
}

impl Right {
    /// The right side where it is, from step `k` and column `n` on.
    pub(super) fn plain(product: &Product, k: usize, n: usize, tile: Option<usize>) -> Self {
        let row = product.dims.b.row;
        let vectors = product.b.as_ptr().wrapping_add(k * row + n);
        Right { vectors, step: row, next: GROUP, tile }
    }
}

impl Product<'_> {
    /// Both sides blocked, copied where that pays.
    ///
    /// # Safety
    /// The sizes have been checked.
    pub(super) unsafe fn blocked(&mut self, scratch: &mut [f32]) {
        let GemmDims { m, n, k, .. } = self.dims;
        let (turned, copied) = scratch.split_at_mut(self.dims.left_len());
        let rows = if self.dims.turns() { ROWS } else { m };
        let columns = if self.dims.copies() { COLUMNS } else { n };
        for ks in evenly(k, STEPS) {
            for ms in evenly(m, rows) {
                // SAFETY: the ranges lie in the matrices; the scratch has room for both copies.
                unsafe {
                    let left = self.left(ms.clone(), ks.clone(), turned);
                    for ns in evenly(n, columns) {
                        for (tile, part) in self.segments(ns.clone()) {
                            let right = if self.dims.copies() {
                                let at = &mut copied[(part.start - ns.start) * ks.len()..];
                                self.copy_right(ks.clone(), part.clone(), tile, at)
                            } else {
                                Right::plain(self, ks.start, part.start, Some(tile))
                            };
                            self.add(left, ms.clone(), ks.clone(), right, part);
                        }
                    }
                }
            }
        }
    }

    /// Some rows and steps of the left side, turned into plain rows where that pays.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    unsafe fn left(&self, ms: Range<usize>, ks: Range<usize>, scratch: &mut [f32]) -> Left {
        let left = Left::plain(self, ms.start, ks.start);
        if !self.dims.turns() {
            return left;
        }
        let row = ks.len();
        for rows in blocks(ms.len(), PANEL) {
            let src = left.scalars.wrapping_add(rows.start);
            let dst = scratch[rows.start * row..][..rows.len() * row].as_mut_ptr();
            let sides = Sides { src, src_row: left.step, dst, dst_row: row };
            // SAFETY: these steps and rows lie in the matrix; there is room for them.
            unsafe { transpose(self.isa, ks.len(), rows.len(), sides) };
        }
        Left { scalars: scratch.as_ptr(), row, step: 1 }
    }

    /// Columns `ns` cut where the width of the tiles changes: their groups, and the columns.
    fn segments(&self, ns: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let (isa, mut at) = (self.isa, ns.start);
        std::iter::from_fn(move || {
            let groups = (ns.end - at).div_ceil(GROUP);
            let (tile, count) = segment(isa, PANEL, groups);
            let part = at..ns.end.min(at + count * GROUP);
            at = part.end;
            (groups > 0).then_some((tile, part))
        })
    }

    /// Some steps and columns of the right side, tile by tile as `[steps][tile * 16]`.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has room for them.
    unsafe fn copy_right(
        &self,
        ks: Range<usize>,
        ns: Range<usize>,
        tile: usize,
        scratch: &mut [f32],
    ) -> Right {
        let (step, column) = self.dims.b.strides();
        let src = self.b.as_ptr().wrapping_add(ks.start * step + ns.start * column);
        let (dst, width) = (scratch.as_mut_ptr(), tile * GROUP);
        // SAFETY: these steps and columns lie in the matrix; the caller vouches for the scratch.
        unsafe {
            if self.dims.b.transposed {
                for part in blocks(ns.len(), width) {
                    let src = src.wrapping_add(part.start * column);
                    let dst = dst.wrapping_add(part.start * ks.len());
                    let sides = Sides { src, src_row: column, dst, dst_row: width };
                    transpose(self.isa, part.len(), ks.len(), sides);
                }
            } else {
                let sides = Sides { src, src_row: step, dst, dst_row: width };
                spread(self.isa, ks.len(), ns.len(), sides);
            }
        }
        Right { vectors: dst, step: width, next: GROUP * ks.len(), tile: Some(tile) }
    }
}
