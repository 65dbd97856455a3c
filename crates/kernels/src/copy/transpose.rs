//! Transposition of matrices in blocks of eight by eight.

use crate::simd::Isa;
use crate::sizes::{elements, reach};

/// Rows and columns of a block that stays in the first-level cache on both sides.
const BLOCK: usize = 64;

/// `dst[c, r] = src[r, c]` for contiguous matrices `src [rows, cols]` and `dst [cols, rows]`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn transpose(rows: usize, cols: usize, src: &[f32], dst: &mut [f32]) {
    transpose_on(Isa::current(), rows, cols, src, dst);
}

/// [`transpose`] on a given instruction set.
///
/// # Panics
/// As [`transpose`].
pub fn transpose_on(isa: Isa, rows: usize, cols: usize, src: &[f32], dst: &mut [f32]) {
    assert!(
        [src.len(), dst.len()] == [elements([rows, cols]); 2],
        "transpose: a slice is not {rows} by {cols}"
    );
    // SAFETY: the lengths fit.
    unsafe { blocks(isa, (rows, cols), src.as_ptr(), cols, dst.as_mut_ptr(), rows) };
}

/// `dst[c * dst_row + r] = rows[r][c]`: rows that lie anywhere become columns.
///
/// # Panics
/// When the rows differ in length, or an element falls outside of `dst`.
pub fn columns(rows: &[&[f32]], dst: &mut [f32], dst_row: usize) {
    columns_on(Isa::current(), rows, dst, dst_row);
}

/// [`columns`] on a given instruction set.
///
/// # Panics
/// As [`columns`].
pub fn columns_on(isa: Isa, rows: &[&[f32]], dst: &mut [f32], dst_row: usize) {
    let cols = rows.first().map_or(0, |row| row.len());
    if cols == 0 {
        return;
    }
    assert!(rows.iter().all(|row| row.len() == cols), "columns: rows differ in length");
    let within = reach([(rows.len(), 1), (cols, dst_row)].into_iter()) <= dst.len();
    assert!(within, "columns: an element falls outside");
    for (r, eight) in (0..).step_by(8).zip(rows.chunks(8)) {
        let src = std::array::from_fn(|i| eight[i.min(eight.len() - 1)].as_ptr());
        let dst = dst.as_mut_ptr().wrapping_add(r);
        // SAFETY: every row has so many elements, and all of them fall into `dst`.
        unsafe { eight_rows(isa, &src, eight.len(), cols, dst, dst_row) };
    }
}

/// `dst[c * dst_row + r] = src[r * src_row + c]` for `r < rows`, `c < cols`.
///
/// # Safety
/// These elements are readable and writable, and the sides do not overlap.
pub(super) unsafe fn blocks(
    isa: Isa,
    (rows, cols): (usize, usize),
    src: *const f32,
    src_row: usize,
    dst: *mut f32,
    dst_row: usize,
) {
    for r in (0..rows).step_by(BLOCK) {
        for c in (0..cols).step_by(BLOCK) {
            let (r_end, c_end) = ((r + BLOCK).min(rows), (c + BLOCK).min(cols));
            for r in (r..r_end).step_by(8) {
                // SAFETY: rows r.. and columns c..c_end are inside the matrices.
                unsafe {
                    let height = (r_end - r).min(8);
                    let src = |i: usize| src.add((r + i.min(height - 1)) * src_row + c);
                    let src = std::array::from_fn(src);
                    let dst = dst.add(c * dst_row + r);
                    eight_rows(isa, &src, height, c_end - c, dst, dst_row);
                }
            }
        }
    }
}

/// `dst[c * dst_row + r] = src[r][c]` for `r < height <= 8`, `c < cols`.
///
/// # Safety
/// The first `height` rows are readable for `cols` elements, the targets writable, and the sides
/// do not overlap.
pub(crate) unsafe fn eight_rows(
    isa: Isa,
    src: &[*const f32; 8],
    height: usize,
    cols: usize,
    dst: *mut f32,
    dst_row: usize,
) {
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if height == 8 && isa >= Isa::Avx2 && isa.available() {
        done = cols / 4 * 4;
        // SAFETY: AVX2 was asked for; whole blocks of the rows.
        unsafe { avx2::strip(src, done, dst, dst_row) };
    }
    let _ = isa;
    for c in done..cols {
        for (r, row) in src.iter().enumerate().take(height) {
            // SAFETY: promised by the caller.
            unsafe { *dst.add(c * dst_row + r) = *row.add(c) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    /// Eight rows of `cols` elements, a multiple of 4, into columns.
    ///
    /// # Safety
    /// As for [`super::eight_rows`], with all eight rows.
    #[target_feature(enable = "avx2")]
    pub unsafe fn strip(src: &[*const f32; 8], cols: usize, dst: *mut f32, dst_row: usize) {
        for c in (0..cols).step_by(4) {
            // Row r beside row r + 4: interleaving pairs, then pairs of pairs, leaves whole
            // columns.
            // SAFETY: four columns of eight rows from c on.
            let row = |r: usize| unsafe {
                let low = _mm256_castps128_ps256(_mm_loadu_ps(src[r].add(c)));
                _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(src[r + 4].add(c)))
            };
            let [r0, r1, r2, r3] = [row(0), row(1), row(2), row(3)];
            let (a, b) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
            let (d, e) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
            // SAFETY: eight elements of the columns c..c + 4.
            unsafe {
                _mm256_storeu_ps(dst.add(c * dst_row), _mm256_shuffle_ps::<0x44>(a, d));
                _mm256_storeu_ps(dst.add((c + 1) * dst_row), _mm256_shuffle_ps::<0xEE>(a, d));
                _mm256_storeu_ps(dst.add((c + 2) * dst_row), _mm256_shuffle_ps::<0x44>(b, e));
                _mm256_storeu_ps(dst.add((c + 3) * dst_row), _mm256_shuffle_ps::<0xEE>(b, e));
            }
        }
    }
}
