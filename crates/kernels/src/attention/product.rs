//! Many small products side by side: each lane of each head has a matrix product of its own, both
//! factors in lane layout.
//!
//! A register tile holds a few rows of both factors, so that each load serves several chains.
//! One lane alone goes to `single`, with the same chains.

use super::single::Single;
use crate::simd::{Isa, Kernel, Simd, run_on};
use std::mem::MaybeUninit;

/// A factor: element `(batch, row, step)` of lane 0.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub at: *const f32,
    pub row: usize,
    pub step: usize,
    pub batch: usize,
}

impl Operand {
    /// Rows and steps exchanged.
    pub(super) fn turned(self) -> Operand {
        Operand { row: self.step, step: self.row, ..self }
    }
}

/// The result: element `(batch, row, col)` of lane 0.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub at: *mut f32,
    pub row: usize,
    pub col: usize,
    pub batch: usize,
}

/// `c[i, j] = scale * sum over k of a[i, k] b[j, k]`, lane by lane, for each of a batch.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub batch: usize,
    /// Rows of a and columns of c.
    pub m: usize,
    /// Rows of b and columns of c.
    pub n: usize,
    /// Steps of the reduction.
    pub k: usize,
    pub lanes: usize,
    pub a: Operand,
    pub b: Operand,
    pub c: Target,
    pub scale: f32,
    /// Whether the chains go on from what the result holds.
    pub go_on: bool,
    /// Whether all of the batch add up in one result, one after another.
    pub chained: bool,
}

impl Product {
    /// Computes the products on `isa`.
    ///
    /// # Safety
    /// All lanes of all elements of the factors are readable and of the result writable.
    pub(super) unsafe fn run(self, isa: Isa) {
        if self.lanes == 1 {
            run_on(isa, Single(self));
        } else {
            run_on(isa, Lanes(self));
        }
    }

    /// The product of item `item` of the batch.
    #[inline(always)]
    pub(super) fn item(&self, item: usize) -> Product {
        let (mut a, mut b, mut c) = (self.a, self.b, self.c);
        a.at = a.at.wrapping_add(item * a.batch);
        b.at = b.at.wrapping_add(item * b.batch);
        c.at = c.at.wrapping_add(item * c.batch);
        Product { a, b, c, go_on: self.go_on || self.chained && item > 0, ..*self }
    }
}

/// The products with vectors along the lanes.
struct Lanes(Product);

impl Kernel for Lanes {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for item in 0..self.0.batch {
            let mut p = self.0.item(item);
            for lane in (0..p.lanes).step_by(S::LANES) {
                let n = p.lanes - lane;
                // SAFETY: these lanes of the item, promised to Product::run.
                unsafe {
                    if n >= S::LANES {
                        blocks::<S, true>(s, &p, S::LANES);
                    } else {
                        blocks::<S, false>(s, &p, n);
                    }
                }
                p.a.at = p.a.at.wrapping_add(S::LANES);
                p.b.at = p.b.at.wrapping_add(S::LANES);
                p.c.at = p.c.at.wrapping_add(S::LANES);
            }
        }
    }
}

/// Rows of `a` from which on a block of `b` is copied together: steps of a sequence lie so far
/// apart that they fall on few cache sets.
const COPY_FROM: usize = 8;
/// Columns and steps of such a block.
const COLS: usize = 16;
const STEPS: usize = 32;

/// One vector of lanes of one product, block by block.
///
/// # Safety
/// The first `lanes` lanes are accessible; they are `S::LANES` when `FULL`.
#[inline(always)]
unsafe fn blocks<S: Simd, const FULL: bool>(s: S, p: &Product, lanes: usize) {
    let copied = p.m >= COPY_FROM;
    let (cols, steps) = if copied { (COLS, STEPS) } else { (p.n.max(1), p.k.max(1)) };
    let mut copy = [MaybeUninit::<f32>::uninit(); COLS * STEPS * 16];
    let copy = copy.as_mut_ptr().cast::<f32>();
    for k in (0..p.k.max(1)).step_by(steps) {
        let steps = steps.min(p.k - k);
        for j in (0..p.n).step_by(cols) {
            let mut part = Product { n: cols.min(p.n - j), k: steps, ..*p };
            part.a.at = p.a.at.wrapping_add(k * p.a.step);
            part.b.at = p.b.at.wrapping_add(j * p.b.row + k * p.b.step);
            part.c.at = p.c.at.wrapping_add(j * p.c.col);
            part.go_on = p.go_on || k > 0;
            part.scale = if k + steps == p.k { p.scale } else { 1.0 };
            // SAFETY: part of the product; the copy has room for a block of the widest vectors.
            unsafe {
                if copied {
                    for col in 0..part.n {
                        for step in 0..steps {
                            let src = part.b.at.add(col * p.b.row + step * p.b.step);
                            let dst = copy.add((col * steps + step) * S::LANES);
                            s.store(dst, load::<S, FULL>(s, src, lanes));
                        }
                    }
                    (part.b.at, part.b.row, part.b.step) = (copy, steps * S::LANES, S::LANES);
                }
                tiles::<S, FULL>(s, &part, lanes);
            }
        }
    }
}

/// One vector of lanes of a block.
///
/// # Safety
/// The first `lanes` lanes are accessible; they are `S::LANES` when `FULL`.
#[inline(always)]
unsafe fn tiles<S: Simd, const FULL: bool>(s: S, p: &Product, lanes: usize) {
    let mut i = 0;
    while i < p.m {
        // SAFETY: rows of the product.
        i += unsafe {
            match p.m - i {
                1 => row_of_tiles::<S, 1, FULL>(s, p, i, lanes),
                2 => row_of_tiles::<S, 2, FULL>(s, p, i, lanes),
                left if left == 3 || left == 5 || S::REGISTERS < 32 => {
                    row_of_tiles::<S, 3, FULL>(s, p, i, lanes)
                }
                _ => row_of_tiles::<S, 4, FULL>(s, p, i, lanes),
            }
        };
    }
}

/// # Safety
/// As for [`tiles`]; rows `i .. i + MR` exist.
#[inline(always)]
unsafe fn row_of_tiles<S: Simd, const MR: usize, const FULL: bool>(
    s: S,
    p: &Product,
    i: usize,
    lanes: usize,
) -> usize {
    let mut j = 0;
    while j < p.n {
        // SAFETY: rows and columns of the product.
        j += unsafe {
            match p.n - j {
                1 => tile::<S, MR, 1, FULL>(s, p, i, j, lanes),
                2 => tile::<S, MR, 2, FULL>(s, p, i, j, lanes),
                left if left == 3 || left == 5 || S::REGISTERS < 32 => {
                    tile::<S, MR, 3, FULL>(s, p, i, j, lanes)
                }
                _ => tile::<S, MR, 4, FULL>(s, p, i, j, lanes),
            }
        };
    }
    MR
}

/// Rows `i ..` by columns `j ..`. Returns `NR`.
///
/// # Safety
/// As for [`tiles`]; these rows and columns exist.
#[inline(always)]
unsafe fn tile<S: Simd, const MR: usize, const NR: usize, const FULL: bool>(
    s: S,
    p: &Product,
    i: usize,
    j: usize,
    lanes: usize,
) -> usize {
    let mut a = p.a.at.wrapping_add(i * p.a.row);
    let mut b = p.b.at.wrapping_add(j * p.b.row);
    let c = p.c.at.wrapping_add(i * p.c.row + j * p.c.col);
    let mut acc = [[s.splat(0.0); NR]; MR];
    // SAFETY: elements of the factors and the result, which the caller vouches for.
    unsafe {
        if p.go_on {
            for (r, row) in acc.iter_mut().enumerate() {
                for (q, chain) in row.iter_mut().enumerate() {
                    *chain = load::<S, FULL>(s, c.add(r * p.c.row + q * p.c.col), lanes);
                }
            }
        }
        for _ in 0..p.k {
            let mut cols = [s.splat(0.0); NR];
            for (q, col) in cols.iter_mut().enumerate() {
                *col = load::<S, FULL>(s, b.add(q * p.b.row), lanes);
            }
            for (r, row) in acc.iter_mut().enumerate() {
                let left = load::<S, FULL>(s, a.add(r * p.a.row), lanes);
                for (col, chain) in cols.iter().zip(row) {
                    *chain = s.fma(left, *col, *chain);
                }
            }
            a = a.wrapping_add(p.a.step);
            b = b.wrapping_add(p.b.step);
        }
        let scale = s.splat(p.scale);
        for (r, row) in acc.iter().enumerate() {
            for (q, chain) in row.iter().enumerate() {
                let (dst, v) = (c.add(r * p.c.row + q * p.c.col), s.mul(*chain, scale));
                if FULL { s.store(dst, v) } else { s.store_first(dst, lanes, v) }
            }
        }
    }
    NR
}

/// # Safety
/// The first `n` lanes at `src` are readable; they are `S::LANES` when `FULL`.
#[inline(always)]
unsafe fn load<S: Simd, const FULL: bool>(s: S, src: *const f32, n: usize) -> S::F {
    // SAFETY: promised by the caller.
    unsafe { if FULL { s.load(src) } else { s.load_first(src, n) } }
}
