//! Transposition of small blocks: rows of lanes into vectors along the rows and back.

use crate::simd::{Isa, Kernel, Portable, Simd, run_on};
use std::any::TypeId;

/// `dst[c * dst_row + r] = src[r * src_row + c]` for `r < rows`, `c < cols`.
///
/// # Safety
/// All of these elements are readable, writable, and the two sides do not overlap.
pub(super) unsafe fn transpose(
    isa: Isa,
    size: (usize, usize),
    src: *const f32,
    src_row: usize,
    dst: *mut f32,
    dst_row: usize,
) {
    run_on(isa, Transpose { size, src, src_row, dst, dst_row });
}

struct Transpose {
    size: (usize, usize),
    src: *const f32,
    src_row: usize,
    dst: *mut f32,
    dst_row: usize,
}

impl Kernel for Transpose {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Transpose { size: (rows, cols), src, src_row, dst, dst_row } = self;
        let (mut whole_rows, mut whole_cols) = (0, 0);
        if TypeId::of::<S>() != TypeId::of::<Portable>() && rows >= 8 && cols >= 8 {
            (whole_rows, whole_cols) = (rows / 8 * 8, cols / 8 * 8);
            for r in (0..whole_rows).step_by(8) {
                for c in (0..whole_cols).step_by(8) {
                    let src = src.wrapping_add(r * src_row + c);
                    let dst = dst.wrapping_add(c * dst_row + r);
                    // SAFETY: a whole block; all but the portable lanes have AVX2.
                    unsafe { eight_by_eight(src, src_row, dst, dst_row) };
                }
            }
        }
        // SAFETY: the columns right of the whole blocks, then the rows below them.
        unsafe {
            plain(0..whole_rows, whole_cols..cols, src, src_row, dst, dst_row);
            plain(whole_rows..rows, 0..cols, src, src_row, dst, dst_row);
        }
    }
}

/// # Safety
/// As for [`transpose`].
#[inline(always)]
unsafe fn plain(
    rows: std::ops::Range<usize>,
    cols: std::ops::Range<usize>,
    src: *const f32,
    src_row: usize,
    dst: *mut f32,
    dst_row: usize,
) {
    for c in cols {
        for r in rows.clone() {
            // SAFETY: the caller vouches for both elements.
            unsafe { *dst.add(c * dst_row + r) = *src.add(r * src_row + c) };
        }
    }
}

/// Pairs of rows are interleaved within quarters, then pairs of pairs, then quarters swapped.
///
/// # Safety
/// AVX2 is available; both blocks of eight by eight are accessible and do not overlap.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn eight_by_eight(src: *const f32, src_row: usize, dst: *mut f32, dst_row: usize) {
    use std::arch::x86_64::*;
    // SAFETY: promised by the caller.
    unsafe {
        // Row r beside row r + 4, quarter by quarter: the last step needs no shuffle then.
        let pair = |r: usize, c: usize| {
            let low = _mm256_castps128_ps256(_mm_loadu_ps(src.add(r * src_row + c)));
            _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(src.add((r + 4) * src_row + c)))
        };
        for c in [0, 4] {
            let (r0, r1, r2, r3) = (pair(0, c), pair(1, c), pair(2, c), pair(3, c));
            let (a, b) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
            let (d, e) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
            let cols = [
                _mm256_shuffle_ps::<0x44>(a, d),
                _mm256_shuffle_ps::<0xEE>(a, d),
                _mm256_shuffle_ps::<0x44>(b, e),
                _mm256_shuffle_ps::<0xEE>(b, e),
            ];
            for (i, col) in cols.into_iter().enumerate() {
                _mm256_storeu_ps(dst.add((c + i) * dst_row), col);
            }
        }
    }
}

/// # Safety
/// As for [`plain`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn eight_by_eight(src: *const f32, src_row: usize, dst: *mut f32, dst_row: usize) {
    // SAFETY: promised by the caller.
    unsafe { plain(0..8, 0..8, src, src_row, dst, dst_row) }
}
