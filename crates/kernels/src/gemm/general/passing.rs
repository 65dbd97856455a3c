//! Some rows times a right side that does not stay in the second cache: it passes by once, a band of
//! steps at a time, while the rows and their results stay.
//!
//! Whole rows of a band are asked for, in the order they lie in, while the band before is used. Tiles
//! alone would ask for a few lines here and a few a page further on, and what they wait for would take as
//! long as their arithmetic.

use super::super::dense::blocks;
use super::super::passing::{Later, Passing};
use super::super::streamed;
use super::super::tile::GROUP;
use super::blocked::{Left, NARROW, Right, evenly, longest};
use super::few::{CACHED, FEW};
use super::{GemmDims, Product};
use crate::simd::run_on;
use std::ops::Range;

/// Rows up to which their results stay in the second cache beside two bands.
const SOME: usize = 192;
/// Rows above which a copy serves enough tiles to be worth it for a right side that would stay.
const COPIED: usize = 16;
/// Steps of a band: one tile's vectors fit the first cache.
const STEPS: usize = 128;
/// Columns of a band: half of the second cache holds one.
const COLUMNS: usize = 1024;

impl GemmDims {
    /// Whether the right side passes by: when it is too large to stay, or its vectors straddle lines.
    pub(super) fn passes(&self) -> bool {
        let stays = match self.m {
            ..=COPIED => CACHED,
            _ if self.b.row.is_multiple_of(GROUP) => CACHED / 2,
            _ => CACHED / 4,
        };
        let rows = self.m > FEW && self.m <= SOME;
        let plain = !self.a.transposed && !self.b.transposed;
        plain && rows && self.n > NARROW && self.n.saturating_mul(self.k) > stays
    }

    /// Elements of the copy of a tile's vectors.
    pub(super) fn copy_len(&self) -> usize {
        longest(self.k, STEPS) * NARROW
    }
}

impl Product<'_> {
    /// The right side band by band.
    ///
    /// # Safety
    /// The sizes have been checked.
    pub(super) unsafe fn passing(&mut self, scratch: &mut [f32]) {
        let GemmDims { n, k, .. } = self.dims;
        for ns in evenly(n, COLUMNS) {
            for ks in evenly(k, STEPS) {
                let next = match ks.end {
                    end if end < k => (end, ns.start),
                    _ => (0, ns.end),
                };
                // SAFETY: the ranges lie in the matrices; the scratch has the length asked for.
                unsafe { self.band(ks, ns.clone(), next, scratch) };
            }
        }
    }

    /// One band, while the one from `next`, a step and a column, is asked for.
    ///
    /// # Safety
    /// The ranges lie in the matrix; the scratch has the length asked for.
    unsafe fn band(
        &self,
        ks: Range<usize>,
        ns: Range<usize>,
        next: (usize, usize),
        scratch: &mut [f32],
    ) {
        let GemmDims { m, n, k, b, .. } = self.dims;
        let left = Left::plain(self, 0, ks.start);
        let width = streamed::width(self.isa) * GROUP;
        let lines = ns.len().min(n - next.1).div_ceil(GROUP);
        let at = Right::plain(self, next.0, next.1, None).vectors;
        let copied = scratch.as_mut_ptr();
        let share = lines * ks.len().min(k - next.0) / (ns.len() / width).max(1);
        let mut later = Later { at, row: b.row, lines: lines.max(1), from: 0, to: share };
        for part in blocks(ns.len(), width) {
            let part = ns.start + part.start..ns.start + part.end;
            let plain = Right::plain(self, ks.start, part.start, None);
            if part.len() < width {
                // SAFETY: promised by the caller.
                unsafe { self.add(left, 0..m, ks.clone(), plain, part) };
                continue;
            }
            let tile = Some(width / GROUP);
            let copy = Right { vectors: copied, step: width, next: 0, tile };
            let block = self.block(left, 0..m, ks.clone(), copy, part);
            let Right { vectors, step: row, .. } = plain;
            let done = run_on(self.isa, Passing { block, vectors, row, later });
            // SAFETY: promised by the caller; the copy has been written.
            unsafe { block.below(done).run(self.isa) };
            later = Later { from: later.to, to: later.to + share, ..later };
        }
    }
}
