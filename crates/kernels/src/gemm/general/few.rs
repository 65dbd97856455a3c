//! Products with few rows or few columns.

use super::super::block::{Block, Panels};
use super::super::dense::blocks;
use super::super::rearrange::{Sides, transpose};
use super::super::stack::Stack;
use super::super::tile::{Ahead, GROUP, Place, Walk};
use super::blocked::{Left, ROWS, Right, STEPS, evenly};
use super::{GemmDims, Product};
use crate::gemm::{PANEL, Start};

/// Rows up to which neither side is worth copying.
pub(super) const FEW: usize = 8;
/// Elements that the second cache holds, and rows of a larger right side read at once.
pub(super) const CACHED: usize = 1 << 18;
const AT_ONCE: usize = 16;
/// Rows of the result turned together when vectors lie along them.
const TURNED: usize = 12 * PANEL;

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
            let mut left = Left::plain(self);
            left.scalars = left.scalars.wrapping_add(ks.start * left.step);
            // SAFETY: the ranges are those of the matrices.
            unsafe { self.block(left, 0..m, ks.clone(), Right::plain(self, ks.start), 0..n) };
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
                        let left = self.pack_left(ms.clone(), ks.clone(), PANEL, scratch);
                        (left.scalars, PANEL, left.panels.next)
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
}
