//! The products of attention for a batch of one: vectors lie along the columns of the result.
//!
//! Where the second factor has its columns side by side it is used in place; elsewhere a block of
//! it is turned on the stack first. Chains are those of `product`.

use super::product::Product;
use crate::simd::{Kernel, Simd};

/// Steps of the reduction turned together.
const STEPS: usize = 128;
/// Columns computed together: two vectors of the widest instruction set.
const COLS: usize = 32;

pub(super) struct Single(pub Product);

impl Kernel for Single {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for item in 0..self.0.batch {
            let p = self.0.item(item);
            for j in (0..p.n).step_by(2 * S::LANES) {
                let cols = (p.n - j).min(2 * S::LANES);
                // SAFETY: columns of the item, promised to Product::run.
                unsafe {
                    if p.b.row == 1 {
                        in_place(s, &p, j, cols);
                    } else {
                        turned(s, &p, j, cols);
                    }
                }
            }
        }
    }
}

/// Columns `j .. j + cols`, side by side in the second factor.
///
/// # Safety
/// They exist, and are at most two vectors.
#[inline(always)]
unsafe fn in_place<S: Simd>(s: S, p: &Product, j: usize, cols: usize) {
    let b = Columns { at: p.b.at.wrapping_add(j), step: p.b.step, j, cols };
    let part = Part { first: 0, steps: p.k, go_on: p.go_on, scale: p.scale };
    // SAFETY: promised by the caller.
    unsafe {
        if cols == 2 * S::LANES {
            rows::<S, 2, true>(s, p, b, part);
        } else if cols > S::LANES {
            rows::<S, 2, false>(s, p, b, part);
        } else {
            rows::<S, 1, false>(s, p, b, part);
        }
    }
}

/// Columns `j .. j + cols`, turned block by block of the reduction.
///
/// # Safety
/// They exist, and are at most two vectors.
#[inline(always)]
unsafe fn turned<S: Simd>(s: S, p: &Product, j: usize, cols: usize) {
    let mut block = [0.0f32; STEPS * COLS];
    let width = if cols > S::LANES { 2 * S::LANES } else { S::LANES };
    for first in (0..p.k.max(1)).step_by(STEPS) {
        let steps = (p.k - first).min(STEPS);
        for col in 0..cols {
            let src = p.b.at.wrapping_add((j + col) * p.b.row + first * p.b.step);
            for step in 0..steps {
                // SAFETY: an element of the second factor.
                block[step * width + col] = unsafe { *src.add(step * p.b.step) };
            }
        }
        let b = Columns { at: block.as_ptr(), step: width, j, cols };
        let last = first + steps == p.k;
        let scale = if last { p.scale } else { 1.0 };
        let part = Part { first, steps, go_on: p.go_on || first > 0, scale };
        // SAFETY: the block holds whole vectors.
        unsafe {
            if cols > S::LANES {
                rows::<S, 2, true>(s, p, b, part);
            } else {
                rows::<S, 1, true>(s, p, b, part);
            }
        }
    }
}

/// Columns of the second factor, side by side: step `k` at `step k`.
#[derive(Clone, Copy)]
struct Columns {
    at: *const f32,
    step: usize,
    /// Their place in the result, and their number.
    j: usize,
    cols: usize,
}

/// Part of the reduction.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    steps: usize,
    go_on: bool,
    scale: f32,
}

/// All rows of some columns.
///
/// # Safety
/// The factors are readable, of the columns whole vectors when `WHOLE`; the result is writable.
#[inline(always)]
unsafe fn rows<S: Simd, const NV: usize, const WHOLE: bool>(
    s: S,
    p: &Product,
    b: Columns,
    part: Part,
) {
    let mut i = 0;
    while i < p.m {
        // SAFETY: rows of the product.
        i += unsafe {
            match p.m - i {
                left if left >= 8 && S::REGISTERS >= 32 => {
                    tile::<S, 8, NV, WHOLE>(s, p, i, b, part)
                }
                left if left >= 4 => tile::<S, 4, NV, WHOLE>(s, p, i, b, part),
                _ => tile::<S, 1, NV, WHOLE>(s, p, i, b, part),
            }
        };
    }
}

/// Rows `i .. i + MR` of some columns. Returns `MR`.
///
/// # Safety
/// As for [`rows`]; these rows exist.
#[inline(always)]
unsafe fn tile<S: Simd, const MR: usize, const NV: usize, const WHOLE: bool>(
    s: S,
    p: &Product,
    i: usize,
    b: Columns,
    part: Part,
) -> usize {
    let last = b.cols - (NV - 1) * S::LANES;
    let mut a = p.a.at.wrapping_add(i * p.a.row + part.first * p.a.step);
    let c = p.c.at.wrapping_add(i * p.c.row + b.j);
    let mut src = b.at;
    let mut acc = [[s.splat(0.0); NV]; MR];
    // SAFETY: elements of the factors and the result, which the caller vouches for.
    unsafe {
        if part.go_on {
            for (r, row) in acc.iter_mut().enumerate() {
                for (v, chain) in row.iter_mut().enumerate() {
                    let n = if v + 1 == NV { last } else { S::LANES };
                    *chain = s.load_first(c.add(r * p.c.row + v * S::LANES), n);
                }
            }
        }
        for _ in 0..part.steps {
            let mut cols = [s.splat(0.0); NV];
            for (v, col) in cols.iter_mut().enumerate() {
                let src = src.add(v * S::LANES);
                *col = if WHOLE || v + 1 < NV { s.load(src) } else { s.load_first(src, last) };
            }
            for (r, row) in acc.iter_mut().enumerate() {
                let left = s.splat(*a.add(r * p.a.row));
                for (col, chain) in cols.iter().zip(row) {
                    *chain = s.fma(left, *col, *chain);
                }
            }
            a = a.wrapping_add(p.a.step);
            src = src.wrapping_add(b.step);
        }
        let scale = s.splat(part.scale);
        for (r, row) in acc.iter().enumerate() {
            for (v, chain) in row.iter().enumerate() {
                let n = if v + 1 == NV { last } else { S::LANES };
                s.store_first(c.add(r * p.c.row + v * S::LANES), n, s.mul(*chain, scale));
            }
        }
    }
    MR
}
