//! Products cut into blocks for the caches, both sides copied where that pays.
//!
//! The left side is packed in panels of eight rows, so that a tile uses every element of the lines
//! it reads. Some columns of the right side, copied tile by tile, stay in the second cache while
//! one panel after another, in the first, passes by all of them.

use super::super::block::{HALF, Panels, segment};
use super::super::dense::blocks;
use super::super::rearrange::{Sides, copy, transpose};
use super::super::tile::GROUP;
use super::few::{CACHED, FEW};
use super::{GemmDims, Product};
use crate::gemm::PANEL;
use crate::simd::Isa;
use std::ops::Range;

/// Rows of the left side packed together.
pub(super) const ROWS: usize = 1024;
/// Steps of the reduction in one block.
pub(super) const STEPS: usize = 384;
/// Columns of the right side copied together.
const COLUMNS: usize = 528;
/// Columns up to which the right side is used where it is.
const NARROW: usize = 64;
/// Rows from which copying the right side pays.
const MANY: usize = 64;
/// Steps up to which the panels of the right side stay in the first cache.
const SHORT: usize = 160;
/// Rows, steps and columns up to which the left side is used where it is.
const DIRECT: usize = 256;

impl GemmDims {
    /// Whether the left side is copied: when it is used for many columns, or when vectors are to
    /// lie along its rows and do not.
    pub(super) fn packs(&self) -> bool {
        let small = self.n <= DIRECT && self.m.saturating_mul(self.k) <= DIRECT * DIRECT;
        if self.n < GROUP { !self.a.transposed } else { self.m > FEW && self.n > NARROW && !small }
    }

    /// Whether the right side is copied: when its rows are too long to pass by as they are, and
    /// many rows use the copy or the caches hold no more.
    pub(super) fn copies(&self) -> bool {
        let large = self.m > MANY || self.n.saturating_mul(self.k) > CACHED;
        let pays = self.m > FEW && self.n > NARROW && large;
        self.n >= GROUP && (self.b.transposed || pays)
    }

    pub(super) fn left_len(&self) -> usize {
        let rows = longest(self.m, ROWS).next_multiple_of(PANEL);
        if self.packs() { rows * longest(self.k, STEPS) } else { 0 }
    }

    pub(super) fn right_len(&self) -> usize {
        let columns = longest(self.n, COLUMNS);
        if self.copies() { columns * longest(self.k, STEPS) } else { 0 }
    }
}

/// Ranges of about equal length, at most `most`, that make up `0 .. n`.
pub(super) fn evenly(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    blocks(n, longest(n, most))
}

/// The longest of the ranges that [`evenly`] gives.
fn longest(n: usize, most: usize) -> usize {
    n.div_ceil(n.div_ceil(most).max(1)).next_multiple_of(GROUP).max(GROUP)
}

/// Scalars of the left side; rows of a panel `row` apart, steps `step`.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub(super) scalars: *const f32,
    pub(super) panels: Panels,
    pub(super) row: usize,
    pub(super) step: usize,
}

impl Left {
    /// The left side where it is.
    pub(super) fn plain(product: &Product) -> Self {
        let (row, step) = product.dims.a.strides();
        let panels = Panels { rows: PANEL, next: PANEL * row };
        Left { scalars: product.a.as_ptr(), panels, row, step }
    }

    /// Columns `ns` cut where the width of the tiles changes: that width and the columns it covers.
    fn segments(self, isa: Isa, ns: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut at = ns.start;
        std::iter::from_fn(move || {
            let groups = (ns.end - at).div_ceil(GROUP);
            let (tile, count) = segment(isa, self.panels.rows, groups);
            let part = at..ns.end.min(at + count * GROUP);
            at = part.end;
            (groups > 0).then_some((tile * GROUP, part))
        })
    }

    /// The rows from `row` on, the first of a panel or of evenly spaced ones.
    fn from(self, row: usize) -> Self {
        let Panels { rows, next } = self.panels;
        let skip = row / rows * next + row % rows * self.row;
        Left { scalars: self.scalars.wrapping_add(skip), ..self }
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
    /// The right side where it is, from step `k` on.
    pub(super) fn plain(product: &Product, k: usize) -> Self {
        let row = product.dims.b.row;
        let vectors = product.b.as_ptr().wrapping_add(k * row);
        Right { vectors, step: row, next: GROUP, tile: None }
    }
}

impl Product<'_> {
    /// Both sides blocked, copied where that pays: columns of the right side stay in the second
    /// cache while eight rows of the left side, in the first, pass by all of them.
    ///
    /// # Safety
    /// The sizes have been checked.
    pub(super) unsafe fn blocked(&mut self, scratch: &mut [f32]) {
        let GemmDims { m, n, k, .. } = self.dims;
        let (packed, copied) = scratch.split_at_mut(self.dims.left_len());
        for ks in evenly(k, STEPS) {
            for ms in evenly(m, ROWS) {
                // SAFETY: the ranges lie in the matrices; the scratch has room for both copies.
                unsafe {
                    let left = self.left(ms.clone(), ks.clone(), packed);
                    if !self.dims.copies() {
                        let right = Right::plain(self, ks.start);
                        self.block(left, ms, ks.clone(), right, 0..n);
                        continue;
                    }
                    let together = if ks.len() <= SHORT { ms.len() } else { HALF };
                    for ns in evenly(n, COLUMNS) {
                        self.copy_right(left, ks.clone(), ns.clone(), copied);
                        for rows in blocks(ms.len(), together) {
                            let left = left.from(rows.start);
                            let rows = ms.start + rows.start..ms.start + rows.end;
                            for (width, part) in left.segments(self.isa, ns.clone()) {
                                let skip = (part.start - ns.start) * ks.len();
                                let right = Right {
                                    vectors: copied[skip..].as_ptr(),
                                    step: width,
                                    next: GROUP * ks.len(),
                                    tile: Some(width / GROUP),
                                };
                                self.block(left, rows.clone(), ks.clone(), right, part);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Some rows and steps of the left side, packed where that pays.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    unsafe fn left(&self, ms: Range<usize>, ks: Range<usize>, scratch: &mut [f32]) -> Left {
        if self.dims.packs() {
            let rows = if self.isa == Isa::Avx512 { HALF } else { PANEL };
            // SAFETY: promised by the caller.
            return unsafe { self.pack_left(ms, ks, rows, scratch) };
        }
        let left = Left::plain(self);
        let skip = ms.start * left.row + ks.start * left.step;
        Left { scalars: left.scalars.wrapping_add(skip), ..left }
    }

    /// Some rows of the left side as panels `[rows / each][steps][each]`. Rows past the last are
    /// left as they are: no tile reads them.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    pub(super) unsafe fn pack_left(
        &self,
        ms: Range<usize>,
        ks: Range<usize>,
        each: usize,
        scratch: &mut [f32],
    ) -> Left {
        let (row, step) = self.dims.a.strides();
        let panels = Panels { rows: each, next: ks.len() * each };
        for (i, rows) in blocks(ms.len(), each).enumerate() {
            let src = (ms.start + rows.start) * row + ks.start * step;
            let (src, n) = (self.a.as_ptr().wrapping_add(src), rows.len());
            let dst = scratch[i * panels.next..][..panels.next].as_mut_ptr();
            // SAFETY: n rows of these steps lie in the matrix; a panel has room for all of its own.
            unsafe {
                if self.dims.a.transposed {
                    let sides = Sides { src, src_row: step, dst, dst_row: each };
                    copy(self.isa, ks.len(), n, sides);
                } else {
                    let sides = Sides { src, src_row: row, dst, dst_row: each };
                    transpose(self.isa, n, ks.len(), sides);
                }
            }
        }
        Left { scalars: scratch.as_ptr(), panels, row: 1, step: each }
    }

    /// Some steps and columns of the right side, tile by tile as `[steps][width]`.
    ///
    /// # Safety
    /// The ranges lie in the matrix.
    unsafe fn copy_right(
        &self,
        left: Left,
        ks: Range<usize>,
        ns: Range<usize>,
        scratch: &mut [f32],
    ) {
        let (step, column) = self.dims.b.strides();
        for (width, part) in left.segments(self.isa, ns.clone()) {
            for at in part.clone().step_by(width) {
                let n = width.min(part.end - at);
                let src = self.b.as_ptr().wrapping_add(ks.start * step + at * column);
                let dst = &mut scratch[(at - ns.start) * ks.len()..][..width * ks.len()];
                let dst = dst.as_mut_ptr();
                // SAFETY: these steps and columns lie in the matrix; there is room for them.
                unsafe {
                    if self.dims.b.transposed {
                        let sides = Sides { src, src_row: column, dst, dst_row: width };
                        transpose(self.isa, n, ks.len(), sides);
                    } else {
                        let sides = Sides { src, src_row: step, dst, dst_row: width };
                        copy(self.isa, ks.len(), n, sides);
                    }
                }
            }
        }
    }
}
