//! Products with few rows or few columns.

use super::super::block::{Block, Panels};
use super::super::dense::blocks;
use super::super::distant::{self, is_distant};
use super::super::rearrange::{Sides, transpose};
use super::super::stack::Stack;
use super::super::tile::{Ahead, GROUP, Place, Walk};
use super::blocked::{Left, Right, evenly, longest, room};
use super::{GemmDims, Product};
use crate::gemm::{PANEL, Start};
use std::ops::Range;

/// Rows up to which neither side is worth copying.
pub(super) const FEW: usize = 8;
/// Elements that the second cache holds, and rows of a larger right side read at once.
pub(super) const CACHED: usize = 1 << 18;
const AT_ONCE: usize = 16;
/// Rows and steps of the left side packed together when vectors lie along its rows.
const ROWS: usize = 1024;
const STEPS: usize = 384;
/// Rows of the result turned together when vectors lie along them.
const TURNED: usize = 12 * PANEL;

impl GemmDims {
    /// Elements of the panels that products with fewer than sixteen columns use.
    pub(super) fn panels_len(&self) -> usize {
        if self.a.transposed { 0 } else { room(self.m, ROWS) * longest(self.k, STEPS) }
    }
}

impl Product<'_> {
    /// Few rows: the right side is used where it is. One beyond the caches is read some whole rows
    /// at a time, which is how they are fetched ahead.
    ///
    /// # Safety
    /// The sizes have been checked.
    pub(super) unsafe fn few_rows(&mut self) {
        let GemmDims { m, n, k, .. } = self.dims;
        let steps = if n.saturating_mul(k) > CACHED { AT_ONCE } else { k.max(1) };
        for ks in blocks(k, steps) {
            let (left, right) =
                (Left::plain(self, 0, ks.start), Right::plain(self, ks.start, 0, None));
            let block = self.block(left, 0..m, ks, right, 0..n);
            // SAFETY: the ranges are those of the matrices.
            unsafe {
                if is_distant(m, n.saturating_mul(k)) {
                    distant::run(block, self.isa);
                } else {
                    block.run(self.isa);
                }
            }
        }
    }

    /// Fewer than sixteen columns: vectors along the rows of the left side, results turned.
    ///
    /// # Safety
    /// The sizes have been checked.
    pub(super) unsafe fn few_columns(&mut self, scratch: &mut [f32]) {
        let GemmDims { m, n, k, a, b, c_row } = self.dims;
        let (step, column) = b.strides();
        let mut tile = Stack::<{ GROUP * TURNED }>::new();
        let tile = tile.as_mut_ptr();
        for ks in evenly(k, STEPS) {
            for ms in evenly(m, ROWS) {
                // SAFETY: the ranges lie in the matrices; the tile has room for fewer than
                // sixteen columns of TURNED rows.
                unsafe {
                    let (x, x_step, x_group) = if a.transposed {
                        (self.a.as_ptr().wrapping_add(ks.start * a.row + ms.start), a.row, GROUP)
                    } else {
                        self.panels(ms.clone(), ks.clone(), scratch);
                        (scratch.as_ptr(), PANEL, PANEL * ks.len())
                    };
                    for part in blocks(ms.len(), TURNED) {
                        let c = self.c.wrapping_add((ms.start + part.start) * c_row);
                        let start = if ks.start == 0 { self.start } else { Start::Dst };
                        if start == Start::Dst {
                            let sides =
                                Sides { src: c, src_row: c_row, dst: tile, dst_row: TURNED };
                            transpose(self.isa, part.len(), n, sides);
                        }
                        let block = Block {
                            walk: Walk {
                                outer: 1,
                                inner: 0,
                                last: ks.len(),
                                w_outer: 0,
                                w_inner: step,
                                w_row: column,
                                x_outer: 0,
                                x_inner: x_step,
                                x_group,
                                ahead: Ahead::Nothing,
                            },
                            w: self.b.as_ptr().wrapping_add(ks.start * step),
                            panels: Panels { rows: PANEL, next: PANEL * column },
                            x: x.wrapping_add(part.start / GROUP * x_group),
                            x_next: x_group,
                            tile: None,
                            c: tile,
                            place: Place { row: TURNED, group: GROUP },
                            rows: n,
                            lanes: part.len(),
                            start,
                        };
                        block.run(self.isa);
                        let sides = Sides { src: tile, src_row: TURNED, dst: c, dst_row: c_row };
                        transpose(self.isa, n, part.len(), sides);
                    }
                }
            }
        }
    }

    /// Some rows of a plain left side as panels `[rows / 16][steps][16]`. Rows past the last are
    /// left as they are: no tile reads them.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    unsafe fn panels(&self, ms: Range<usize>, ks: Range<usize>, scratch: &mut [f32]) {
        let left = Left::plain(self, ms.start, ks.start);
        let next = PANEL * ks.len();
        for (i, rows) in blocks(ms.len(), PANEL).enumerate() {
            let src = left.scalars.wrapping_add(rows.start * left.row);
            let dst = scratch[i * next..][..next].as_mut_ptr();
            let sides = Sides { src, src_row: left.row, dst, dst_row: PANEL };
            // SAFETY: these rows and steps lie in the matrix; a panel has room for all of its own.
            unsafe { transpose(self.isa, rows.len(), ks.len(), sides) };
        }
    }
}
