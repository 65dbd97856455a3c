//! Small matrices copied together or turned on the way to a kernel: rows of lanes into vectors
//! along the rows and back.

use super::tile::{GROUP, Group, opaque};
use crate::simd::{Isa, Kernel, Portable, Simd, prefetch, run_on};
use std::any::TypeId;

/// A matrix `[rows, cols]` to be read at `src` and written at `dst`, rows of each side this many
/// elements apart.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub src: *const f32,
    pub src_row: usize,
    pub dst: *mut f32,
    pub dst_row: usize,
}

/// `dst[r * dst_row + c] = src[r * src_row + c]`.
///
/// # Safety
/// All of these elements are readable, writable, and the two sides do not overlap.
pub(super) unsafe fn copy(isa: Isa, rows: usize, cols: usize, sides: Sides) {
    run_on(isa, Copy { rows, cols, sides });
}

/// `dst[c * dst_row + r] = src[r * src_row + c]`.
///
/// # Safety
/// All of these elements are readable, writable, and the two sides do not overlap.
pub(super) unsafe fn transpose(isa: Isa, rows: usize, cols: usize, sides: Sides) {
    run_on(isa, Transpose { rows, cols, sides });
}

/// Copies a matrix in tiles of `dst_row` columns, one after the other:
/// `dst[c / dst_row * dst_row * rows + r * dst_row + c % dst_row] = src[r * src_row + c]`.
///
/// # Safety
/// All of these elements are readable, writable, and the two sides do not overlap.
pub(super) unsafe fn spread(isa: Isa, rows: usize, cols: usize, sides: Sides) {
    run_on(isa, Spread { rows, cols, sides });
}

struct Copy {
    rows: usize,
    cols: usize,
    sides: Sides,
}

impl Kernel for Copy {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (whole, last) = (self.cols / GROUP, self.cols % GROUP);
        for r in 0..self.rows {
            let src = self.sides.src.wrapping_add(r * self.sides.src_row);
            let dst = self.sides.dst.wrapping_add(r * self.sides.dst_row);
            // SAFETY: groups inside a row, which the caller vouches for.
            unsafe {
                for g in 0..whole {
                    // Hidden, lest the loop become a call to copy a few bytes.
                    let src = opaque(src.add(g * GROUP));
                    Group::load(s, src).store(s, dst.add(g * GROUP));
                }
                if last > 0 {
                    let rest = Group::load_first(s, src.add(whole * GROUP), last);
                    rest.store_first(s, dst.add(whole * GROUP), last);
                }
            }
        }
    }
}

struct Spread {
    rows: usize,
    cols: usize,
    sides: Sides,
}

impl Spread {
    /// Rows asked for ahead of their use: they may lie a page apart, where nothing else would.
    const AHEAD: usize = 4;
}

impl Kernel for Spread {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Sides { src, src_row, dst, dst_row } = self.sides;
        for r in 0..self.rows {
            let src = src.wrapping_add(r * src_row);
            let dst = dst.wrapping_add(r * dst_row);
            for c in (0..self.cols).step_by(GROUP) {
                prefetch(src.wrapping_add(Self::AHEAD * src_row + c));
            }
            let mut tile = dst;
            for c in (0..self.cols).step_by(dst_row) {
                let n = dst_row.min(self.cols - c);
                for g in (0..n).step_by(GROUP) {
                    let (src, dst) = (src.wrapping_add(c + g), tile.wrapping_add(g));
                    // SAFETY: groups inside a row, which the caller vouches for.
                    unsafe {
                        if g + GROUP <= n {
                            Group::load(s, src).store(s, dst);
                        } else {
                            Group::load_first(s, src, n - g).store_first(s, dst, n - g);
                        }
                    }
                }
                tile = tile.wrapping_add(dst_row * self.rows);
            }
        }
    }
}

struct Transpose {
    rows: usize,
    cols: usize,
    sides: Sides,
}

impl Kernel for Transpose {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        // Every set but the portable one has AVX2.
        let vectors = TypeId::of::<S>() != TypeId::of::<Portable>();
        let wide = S::LANES == 16;
        let cols = if vectors { self.cols / 4 * 4 } else { 0 };
        let mut r = 0;
        // SAFETY: blocks inside the matrix the caller vouches for; the wide ones with AVX-512.
        unsafe {
            while wide && r + 16 <= self.rows {
                for c in (0..cols).step_by(4) {
                    sixteen_by_four(self.at(r, c));
                }
                self.plain(r..r + 16, cols..self.cols);
                r += 16;
            }
            while vectors && r + 8 <= self.rows {
                for c in (0..cols).step_by(4) {
                    eight_by_four(self.at(r, c));
                }
                self.plain(r..r + 8, cols..self.cols);
                r += 8;
            }
            while vectors && r + 4 <= self.rows {
                for c in (0..cols).step_by(4) {
                    four_by_four(self.at(r, c));
                }
                self.plain(r..r + 4, cols..self.cols);
                r += 4;
            }
            self.plain(r..self.rows, 0..self.cols);
        }
    }
}

impl Transpose {
    /// Both sides from element `(r, c)` on.
    #[inline(always)]
    fn at(&self, r: usize, c: usize) -> Sides {
        let Sides { src, src_row, dst, dst_row } = self.sides;
        Sides {
            src: src.wrapping_add(r * src_row + c),
            dst: dst.wrapping_add(c * dst_row + r),
            ..self.sides
        }
    }

    /// # Safety
    /// The elements named are accessible.
    #[inline(always)]
    unsafe fn plain(&self, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>) {
        for c in cols {
            for r in rows.clone() {
                let Sides { src, dst, .. } = self.at(r, c);
                // SAFETY: promised by the caller.
                unsafe { *dst = *src };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{eight_by_four, four_by_four, sixteen_by_four};

/// Four columns of four, eight or sixteen rows. Rows four apart are loaded side by side into the
/// quarters of a vector, so that only 4 by 4 blocks within quarters remain to be turned.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Sides;
    use std::arch::x86_64::*;

    /// # Safety
    /// The block is accessible on both sides.
    #[inline(always)]
    pub(super) unsafe fn four_by_four(at: Sides) {
        // SAFETY: promised by the caller; SSE is part of the architecture.
        unsafe {
            let row = |r: usize| _mm_loadu_ps(at.src.add(r * at.src_row));
            let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
            let (a, b) = (_mm_unpacklo_ps(r0, r1), _mm_unpackhi_ps(r0, r1));
            let (c, d) = (_mm_unpacklo_ps(r2, r3), _mm_unpackhi_ps(r2, r3));
            _mm_storeu_ps(at.dst, _mm_movelh_ps(a, c));
            _mm_storeu_ps(at.dst.add(at.dst_row), _mm_movehl_ps(c, a));
            _mm_storeu_ps(at.dst.add(2 * at.dst_row), _mm_movelh_ps(b, d));
            _mm_storeu_ps(at.dst.add(3 * at.dst_row), _mm_movehl_ps(d, b));
        }
    }

    /// # Safety
    /// AVX2 is available; the block is accessible on both sides.
    #[inline(always)]
    pub(super) unsafe fn eight_by_four(at: Sides) {
        // SAFETY: promised by the caller.
        unsafe {
            let row = |r: usize| {
                let low = _mm256_castps128_ps256(_mm_loadu_ps(at.src.add(r * at.src_row)));
                _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(at.src.add((r + 4) * at.src_row)))
            };
            let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
            let (a, b) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
            let (c, d) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
            _mm256_storeu_ps(at.dst, _mm256_shuffle_ps::<0x44>(a, c));
            _mm256_storeu_ps(at.dst.add(at.dst_row), _mm256_shuffle_ps::<0xEE>(a, c));
            _mm256_storeu_ps(at.dst.add(2 * at.dst_row), _mm256_shuffle_ps::<0x44>(b, d));
            _mm256_storeu_ps(at.dst.add(3 * at.dst_row), _mm256_shuffle_ps::<0xEE>(b, d));
        }
    }

    /// # Safety
    /// AVX-512 is available; the block is accessible on both sides.
    #[inline(always)]
    pub(super) unsafe fn sixteen_by_four(at: Sides) {
        // SAFETY: promised by the caller.
        unsafe {
            let load = |r: usize| _mm_loadu_ps(at.src.add(r * at.src_row));
            let row = |r: usize| {
                let v = _mm512_castps128_ps512(load(r));
                let v = _mm512_insertf32x4::<1>(v, load(r + 4));
                let v = _mm512_insertf32x4::<2>(v, load(r + 8));
                _mm512_insertf32x4::<3>(v, load(r + 12))
            };
            let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
            let (a, b) = (_mm512_unpacklo_ps(r0, r1), _mm512_unpackhi_ps(r0, r1));
            let (c, d) = (_mm512_unpacklo_ps(r2, r3), _mm512_unpackhi_ps(r2, r3));
            _mm512_storeu_ps(at.dst, _mm512_shuffle_ps::<0x44>(a, c));
            _mm512_storeu_ps(at.dst.add(at.dst_row), _mm512_shuffle_ps::<0xEE>(a, c));
            _mm512_storeu_ps(at.dst.add(2 * at.dst_row), _mm512_shuffle_ps::<0x44>(b, d));
            _mm512_storeu_ps(at.dst.add(3 * at.dst_row), _mm512_shuffle_ps::<0xEE>(b, d));
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn four_by_four(_: Sides) {}
#[cfg(not(target_arch = "x86_64"))]
unsafe fn eight_by_four(_: Sides) {}
#[cfg(not(target_arch = "x86_64"))]
unsafe fn sixteen_by_four(_: Sides) {}
