//! Products whose vectors lie along the outputs while the result wants them along the rows: tiles
//! of eight rows and up to three panels, turned in registers on their way to memory.

use super::tile::{Acc, Ahead, GROUP, Walk, reduce, row_offsets, zeros};
use crate::simd::{Isa, Kernel, Simd, run_on};
#[cfg(target_arch = "x86_64")]
use {crate::simd::Avx512, std::any::TypeId, std::arch::x86_64::*};

/// Rows of a tile.
pub(super) const ROWS: usize = 8;

/// Overwrites `c[lane * c_row + row]` for `rows` rows, a multiple of eight, and `groups` groups of
/// lanes. Scalars of neighbouring rows lie side by side, those of the next eight rows `w_next`
/// further on.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    pub walk: Walk,
    pub w: *const f32,
    pub w_next: usize,
    pub x: *const f32,
    pub c: *mut f32,
    pub c_row: usize,
    pub rows: usize,
    pub groups: usize,
}

impl Turned {
    /// Computes the product.
    ///
    /// # Safety
    /// Every scalar and group of the walk is readable, the result is writable.
    pub(super) unsafe fn run(self, isa: Isa) {
        run_on(isa, self);
    }

    /// `NV` groups from `g`, for all rows. Gives the groups done.
    ///
    /// The first tiles ask for the groups that follow these, one each.
    #[inline(always)]
    fn column<S: Simd, const NV: usize>(&self, s: S, g: usize) -> usize {
        let Turned { w_next, c_row, rows, .. } = *self;
        let walk = Walk { w_row: 1, ..self.walk };
        let x = self.x.wrapping_add(g * walk.x_group);
        let offsets = row_offsets::<ROWS>(ROWS, 1);
        for tile in 0..rows / ROWS {
            let w = self.w.wrapping_add(tile * w_next);
            let c = self.c.wrapping_add(g * GROUP * c_row + tile * ROWS);
            let next = x.wrapping_add((NV + tile) * walk.x_group);
            // SAFETY: promised to `run`.
            unsafe {
                let acc = if tile < NV && rows > 2 * ROWS {
                    let ahead = Ahead::Lines(next);
                    reduce::<S, ROWS, NV, false>(s, walk, ahead, w, &offsets, x, GROUP, zeros(s))
                } else {
                    let ahead = Ahead::Nothing;
                    reduce::<S, ROWS, NV, false>(s, walk, ahead, w, &offsets, x, GROUP, zeros(s))
                };
                // By hand: a loop would put the tile into memory to index it.
                store::<S, NV, 0>(s, &acc, c, c_row);
                if NV > 1 {
                    store::<S, NV, 1>(s, &acc, c, c_row);
                }
                if NV > 2 {
                    store::<S, NV, 2>(s, &acc, c, c_row);
                }
            }
        }
        NV
    }
}

impl Kernel for Turned {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let groups = self.groups;
        let mut g = 0;
        while g < groups {
            g += match groups - g {
                1 => self.column::<S, 1>(s, g),
                2 | 4 => self.column::<S, 2>(s, g),
                _ => self.column::<S, 3>(s, g),
            };
        }
    }
}

/// Stores group `V` of a tile: lane `l` of the tile as eight elements at `dst + l * row`.
///
/// # Safety
/// These elements are writable.
#[inline(always)]
unsafe fn store<S: Simd, const NV: usize, const V: usize>(
    s: S,
    acc: &Acc<S, ROWS, NV>,
    dst: *mut f32,
    row: usize,
) {
    let dst = dst.wrapping_add(V * GROUP * row);
    #[cfg(target_arch = "x86_64")]
    if TypeId::of::<S>() == TypeId::of::<Avx512>() {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = acc;
        // SAFETY: a group of this set is one vector; the caller vouches for the memory.
        unsafe {
            let near = [r0[V].wide(), r1[V].wide(), r2[V].wide(), r3[V].wide()];
            let far = [r4[V].wide(), r5[V].wide(), r6[V].wide(), r7[V].wide()];
            store_wide(near, far, dst, row);
        }
        return;
    }
    for (r, groups) in acc.iter().enumerate() {
        let mut lanes = [0.0f32; GROUP];
        // SAFETY: the buffer holds a group; the caller vouches for the destination.
        unsafe {
            groups[V].store(s, lanes.as_mut_ptr());
            for (l, lane) in lanes.iter().enumerate() {
                *dst.add(l * row + r) = *lane;
            }
        }
    }
}

/// Turns rows 0 to 3 (`near`) and 4 to 7 (`far`). Quarters of rows four apart are put side by
/// side; then only 4 by 4 blocks within quarters remain to be turned.
///
/// # Safety
/// AVX-512 is available; sixteen lanes, `row` apart, are writable for eight elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store_wide(near: [__m512; 4], far: [__m512; 4], dst: *mut f32, row: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        for (first, quarters) in [(0, low), (8, high)] {
            let beside = |i: usize| {
                let (a, b) = (_mm512_castps_pd(near[i]), _mm512_castps_pd(far[i]));
                _mm512_castpd_ps(_mm512_permutex2var_pd(a, quarters, b))
            };
            let (a, b, c, d) = (beside(0), beside(1), beside(2), beside(3));
            let (ab, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let (cd, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let lanes = [
                _mm512_shuffle_ps::<0x44>(ab, cd),
                _mm512_shuffle_ps::<0xEE>(ab, cd),
                _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
                _mm512_shuffle_ps::<0xEE>(ab_high, cd_high),
            ];
            for (i, pair) in lanes.into_iter().enumerate() {
                let dst = dst.wrapping_add((first + i) * row);
                _mm256_storeu_ps(dst, _mm512_castps512_ps256(pair));
                // Only the upper half is stored, where it belongs: extracting it would make the
                // compiler compute both halves apart.
                _mm512_mask_storeu_ps(dst.wrapping_add(4 * row).wrapping_sub(8), 0xFF00, pair);
            }
        }
    }
}
