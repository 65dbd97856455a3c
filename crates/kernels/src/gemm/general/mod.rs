//! General row-major products `C = op(A) op(B)`: both sides strided, each plain or transposed.
//!
//! Rows of `op(A)` become the broadcast scalars, columns of `op(B)` the lanes. How the operands
//! reach the tiles depends on the shape: `blocked` for large products, `passing` for some rows and a
//! large right side, `few` for those with few rows or columns. Start reading at [`gemm_on`].

mod blocked;
mod few;
mod passing;

use super::block::{Block, Panels};
use super::tile::{Ahead, GROUP, Place, Walk};
use super::{PANEL, Start};
use crate::simd::Isa;
use crate::sizes::reach;
pub(super) use blocked::evenly;
use blocked::{Left, Right};
use few::FEW;
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
    pub(super) fn strides(self) -> (usize, usize) {
        if self.transposed { (1, self.row) } else { (self.row, 1) }
    }

    /// Elements that a matrix of this size reaches over.
    pub(super) fn span(self, rows: usize, cols: usize) -> usize {
        let (rows, cols) = if self.transposed { (cols, rows) } else { (rows, cols) };
        reach([(rows, self.row), (cols, 1)].into_iter())
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

    /// Elements of scratch that [`gemm`] needs: at most 1.5 MiB of them, and no more for fewer rows.
    pub fn scratch_len(&self) -> usize {
        if self.n < GROUP {
            self.panels_len()
        } else if self.passes() {
            self.copy_len()
        } else {
            self.left_len() + self.right_len()
        }
    }
}

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
            product.few_rows();
        } else if dims.passes() {
            product.passing(scratch);
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

impl Product<'_> {
    /// Adds steps `ks` to rows `ms` and columns `ns` of the result.
    ///
    /// # Safety
    /// Both sides hold the ranges from their first on, and those lie in the result.
    unsafe fn add(
        &self,
        left: Left,
        ms: Range<usize>,
        ks: Range<usize>,
        right: Right,
        ns: Range<usize>,
    ) {
        // SAFETY: promised by the caller.
        unsafe { self.block(left, ms, ks, right, ns).run(self.isa) };
    }

    /// The block of the result at rows `ms` and columns `ns`, over steps `ks`.
    fn block(
        &self,
        left: Left,
        ms: Range<usize>,
        ks: Range<usize>,
        right: Right,
        ns: Range<usize>,
    ) -> Block {
        Block {
            walk: Walk {
                outer: 1,
                inner: 0,
                last: ks.len(),
                w_outer: 0,
                w_inner: left.step,
                w_row: left.row,
                x_outer: 0,
                x_inner: right.step,
                x_group: GROUP,
                ahead: Ahead::Nothing,
            },
            w: left.scalars,
            panels: Panels { rows: PANEL, next: PANEL * left.row },
            x: right.vectors,
            x_next: right.next,
            tile: right.tile,
            c: self.c.wrapping_add(ms.start * self.dims.c_row + ns.start),
            place: Place { row: self.dims.c_row, group: GROUP },
            rows: ms.len(),
            lanes: ns.len(),
            start: if ks.start == 0 { self.start } else { Start::Dst },
        }
    }
}
