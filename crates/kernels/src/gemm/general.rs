//! General row-major products `C = op(A) op(B)`: both sides strided, each plain or transposed.
//!
//! Rows of `op(A)` become the broadcast scalars, columns of `op(B)` the lanes. Large products copy
//! both together: `A` into packed panels in the caller's scratch, so that they pass by from the
//! second cache, `B` some columns and steps at a time into a block that stays in the first.
//! Few columns swap the roles, so that vectors lie along the rows. Start reading at [`gemm_on`].

use super::block::Block;
use super::dense::blocks;
use super::rearrange::{Sides, copy, transpose};
use super::stack::Stack;
use super::tile::{GROUP, Place, Walk};
use super::{PANEL, Start};
use crate::simd::Isa;
use std::ops::Range;

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Elements from one stored row to the next.
    pub row: usize,
    /// Whether the stored matrix is the transpose of the one meant.
    pub transposed: bool,
}

impl Matrix {
    /// Plain rows, `row` elements apart.
    pub fn plain(row: usize) -> Self {
        Matrix { row, transposed: false }
    }

    /// Stored as its transpose, whose rows are `row` elements apart.
    pub fn transposed(row: usize) -> Self {
        Matrix { row, transposed: true }
    }

    /// Elements from one row, and from one column, to the next.
    fn strides(self) -> (usize, usize) {
        if self.transposed { (1, self.row) } else { (self.row, 1) }
    }

    /// Elements that a matrix of this size reaches over.
    fn span(self, rows: usize, cols: usize) -> usize {
        let (rows, cols) = if self.transposed { (cols, rows) } else { (rows, cols) };
        if rows == 0 || cols == 0 { 0 } else { (rows - 1) * self.row + cols }
    }

    fn is_sound(self, rows: usize, cols: usize) -> bool {
        let (rows, cols) = if self.transposed { (cols, rows) } else { (rows, cols) };
        rows <= 1 || self.row >= cols
    }
}

/// Sizes and layouts of `C[m, n] = A[m, k] B[k, n]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmDims {
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result.
    pub n: usize,
    /// Length of the reduction.
    pub k: usize,
    /// Layout of the left side.
    pub a: Matrix,
    /// Layout of the right side.
    pub b: Matrix,
    /// Elements from one row of the result to the next.
    pub c_row: usize,
}

impl GemmDims {
    /// Both sides plain and contiguous.
    pub fn contiguous(m: usize, k: usize, n: usize) -> Self {
        GemmDims { m, n, k, a: Matrix::plain(k), b: Matrix::plain(n), c_row: n }
    }

    /// Elements of scratch that [`gemm`] needs; at most 512 KiB of them.
    pub fn scratch_len(&self) -> usize {
        if self.packs() { self.m.min(ROWS).next_multiple_of(PANEL) * self.k.min(STEPS) } else { 0 }
    }

    /// Whether the left side is copied: when it is used for many columns, or when vectors are to
    /// lie along its rows and do not.
    fn packs(&self) -> bool {
        if self.n < GROUP { !self.a.transposed } else { self.n > DIRECT && self.m > FEW }
    }
}

/// Rows of the left side packed together.
const ROWS: usize = 512;
/// Steps of the reduction in one block.
const STEPS: usize = 256;
/// Elements of the right side that stay in the first cache, and columns of such a block.
const B_BLOCK: usize = 8192;
const COLUMNS: usize = 64;
/// Columns up to which the left side is used where it is.
const DIRECT: usize = 64;
/// Rows up to which neither side is worth copying.
const FEW: usize = 8;

/// `C = op(A) op(B)`, or `C += op(A) op(B)` from [`Start::Dst`].
///
/// # Panics
/// When a slice, a row stride or the scratch is too short for the dimensions.
pub fn gemm(
    dims: GemmDims,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    start: Start,
    scratch: &mut [f32],
) {
    gemm_on(Isa::current(), dims, a, b, c, start, scratch);
}

/// [`gemm`] on a given instruction set.
///
/// # Panics
/// When a slice, a row stride or the scratch is too short for the dimensions.
pub fn gemm_on(
    isa: Isa,
    dims: GemmDims,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    start: Start,
    scratch: &mut [f32],
) {
    let GemmDims { m, n, k, .. } = dims;
    assert!(dims.a.is_sound(m, k) && a.len() >= dims.a.span(m, k), "a of {dims:?}");
    assert!(dims.b.is_sound(k, n) && b.len() >= dims.b.span(k, n), "b of {dims:?}");
    let to = Matrix::plain(dims.c_row);
    assert!(to.is_sound(m, n) && c.len() >= to.span(m, n), "c of {dims:?}");
    assert!(scratch.len() >= dims.scratch_len(), "scratch of {dims:?}");
    if m == 0 || n == 0 {
        return;
    }
    let mut product = Product { isa, dims, a, b, c: c.as_mut_ptr(), start };
    // SAFETY: sizes were checked; each pass touches elements of the three matrices only.
    unsafe {
        if n < GROUP {
            product.few_columns(scratch);
        } else if m <= FEW && !dims.b.transposed {
            product.block(Left::plain(&product), 0..m, 0..k, product.b.as_ptr(), dims.b.row, 0..n);
        } else {
            product.blocked(scratch);
        }
    }
}

struct Product<'a> {
    isa: Isa,
    dims: GemmDims,
    a: &'a [f32],
    b: &'a [f32],
    c: *mut f32,
    start: Start,
}

/// Scalars of the left side: those of row `r` and step `s` at
/// `panel * (r / 16) + row * (r % 16) + step * s`.
#[derive(Clone, Copy)]
struct Left {
    scalars: *const f32,
    panel: usize,
    row: usize,
    step: usize,
}

impl Left {
    /// The left side where it is.
    fn plain(product: &Product) -> Self {
        let (row, step) = product.dims.a.strides();
        Left { scalars: product.a.as_ptr(), panel: PANEL * row, row, step }
    }
}

impl Product<'_> {
    /// Both sides blocked, copied where that pays.
    ///
    /// # Safety
    /// The sizes have been checked.
    unsafe fn blocked(&mut self, scratch: &mut [f32]) {
        let GemmDims { m, n, k, b, .. } = self.dims;
        let packs = self.dims.packs();
        let in_place = n <= COLUMNS && !b.transposed;
        let width = COLUMNS.min(n.next_multiple_of(GROUP));
        let steps = STEPS.min(B_BLOCK / width);
        let mut together = Stack::<B_BLOCK>::new();
        let together = together.as_mut_ptr();
        for ks in blocks(k, steps) {
            for ms in blocks(m, ROWS) {
                // SAFETY: the ranges lie in the matrices; the copy has room for `steps` rows.
                unsafe {
                    let left = if packs {
                        self.pack_left(ms.clone(), ks.clone(), scratch)
                    } else {
                        let left = Left::plain(self);
                        let skip = ms.start * left.row + ks.start * left.step;
                        Left { scalars: left.scalars.wrapping_add(skip), ..left }
                    };
                    for ns in blocks(n, width) {
                        let (x, row) = if in_place {
                            (self.b.as_ptr().wrapping_add(ks.start * b.row), b.row)
                        } else {
                            self.copy_right(ks.clone(), ns.clone(), together, width);
                            (together.cast_const(), width)
                        };
                        self.block(left, ms.clone(), ks.clone(), x, row, ns);
                    }
                }
            }
        }
    }

    /// Fewer than sixteen columns: vectors along the rows of the left side, results turned.
    ///
    /// # Safety
    /// The sizes have been checked.
    unsafe fn few_columns(&mut self, scratch: &mut [f32]) {
        let GemmDims { m, n, k, a, b, c_row } = self.dims;
        let (step, column) = b.strides();
        let mut tile = Stack::<{ GROUP * TURNED }>::new();
        let tile = tile.as_mut_ptr();
        for ks in blocks(k, STEPS) {
            for ms in blocks(m, ROWS) {
                // SAFETY: the ranges lie in the matrices; the tile has room for fewer than
                // sixteen columns of TURNED rows.
                unsafe {
                    let (x, x_step, x_group) = if a.transposed {
                        (self.a.as_ptr().wrapping_add(ks.start * a.row + ms.start), a.row, GROUP)
                    } else {
                        let left = self.pack_left(ms.clone(), ks.clone(), scratch);
                        (left.scalars, PANEL, left.panel)
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
                            },
                            w: self.b.as_ptr().wrapping_add(ks.start * step),
                            w_panel: PANEL * column,
                            x: x.wrapping_add(part.start / GROUP * x_group),
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

    /// Some rows of the left side as packed panels `[rows / 16][steps][16]`. Rows past the last
    /// are left as they are: no tile reads them.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    unsafe fn pack_left(&self, ms: Range<usize>, ks: Range<usize>, scratch: &mut [f32]) -> Left {
        let (row, step) = self.dims.a.strides();
        let panel = ks.len() * PANEL;
        for (i, rows) in blocks(ms.len(), PANEL).enumerate() {
            let src = (ms.start + rows.start) * row + ks.start * step;
            let (src, n) = (self.a.as_ptr().wrapping_add(src), rows.len());
            let dst = scratch[i * panel..][..panel].as_mut_ptr();
            // SAFETY: n rows of these steps lie in the matrix; a panel has room for sixteen.
            unsafe {
                if self.dims.a.transposed {
                    let sides = Sides { src, src_row: step, dst, dst_row: PANEL };
                    copy(self.isa, ks.len(), n, sides);
                } else {
                    let sides = Sides { src, src_row: row, dst, dst_row: PANEL };
                    transpose(self.isa, n, ks.len(), sides);
                }
            }
        }
        Left { scalars: scratch.as_ptr(), panel, row: 1, step: PANEL }
    }

    /// Some steps and columns of the right side as rows of `width` elements.
    ///
    /// # Safety
    /// The ranges lie in the matrix; `dst` has room for the rows.
    unsafe fn copy_right(&self, ks: Range<usize>, ns: Range<usize>, dst: *mut f32, width: usize) {
        let (step, column) = self.dims.b.strides();
        let src = self.b.as_ptr().wrapping_add(ks.start * step + ns.start * column);
        // SAFETY: promised by the caller.
        unsafe {
            if self.dims.b.transposed {
                let sides = Sides { src, src_row: column, dst, dst_row: width };
                transpose(self.isa, ns.len(), ks.len(), sides);
            } else {
                let sides = Sides { src, src_row: step, dst, dst_row: width };
                copy(self.isa, ks.len(), ns.len(), sides);
            }
        }
    }

    /// Adds steps `ks` to rows `ms` and columns `ns` of the result.
    ///
    /// # Safety
    /// `left` holds the rows and steps from their first on, `x` the steps and columns, rows `x_row`
    /// apart; the ranges lie in the result.
    unsafe fn block(
        &self,
        left: Left,
        ms: Range<usize>,
        ks: Range<usize>,
        x: *const f32,
        x_row: usize,
        ns: Range<usize>,
    ) {
        let block = Block {
            walk: Walk {
                outer: 1,
                inner: 0,
                last: ks.len(),
                w_outer: 0,
                w_inner: left.step,
                w_row: left.row,
                x_outer: 0,
                x_inner: x_row,
                x_group: GROUP,
            },
            w: left.scalars,
            w_panel: left.panel,
            x,
            c: self.c.wrapping_add(ms.start * self.dims.c_row + ns.start),
            place: Place { row: self.dims.c_row, group: GROUP },
            rows: ms.len(),
            lanes: ns.len(),
            start: if ks.start == 0 { self.start } else { Start::Dst },
        };
        // SAFETY: promised by the caller.
        unsafe { block.run(self.isa) };
    }
}

/// Rows of the result turned together when vectors lie along them.
const TURNED: usize = 12 * PANEL;
