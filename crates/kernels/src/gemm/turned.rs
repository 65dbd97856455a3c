//! Products whose vectors lie along the outputs while the result wants them along the rows: tiles
//! of eight rows and up to three panels, turned in registers on their way to memory.

use super::Start;
use super::tile::{Acc, Ahead, GROUP, Group, Walk, reduce, row_offsets, zeros};
use crate::simd::{Isa, Kernel, Simd, run_on};
#[cfg(target_arch = "x86_64")]
use {crate::simd::Avx512, std::any::TypeId, std::arch::x86_64::*};

/// Rows of a tile.
pub(super) const ROWS: usize = 8;

/// Computes `c[lane * c_row + row]` for `rows` rows, a multiple of eight, and `groups` groups of
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
    pub start: Start,
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
        let walk = Walk { w_row: 1, ahead: Ahead::Nothing, ..self.walk };
        let x = self.x.wrapping_add(g * walk.x_group);
        let offsets = row_offsets::<ROWS>(ROWS, 1);
        for tile in 0..rows / ROWS {
            let w = self.w.wrapping_add(tile * w_next);
            let c = self.c.wrapping_add(g * GROUP * c_row + tile * ROWS);
            let next = x.wrapping_add((NV + tile) * walk.x_group);
            // SAFETY: promised to `run`.
            unsafe {
                let acc = match self.start {
                    Start::Zero => zeros(s),
                    Start::Dst => load(s, c, c_row),
                };
                // Two calls, so that the compiler knows what each asks for.
                let acc = if tile < NV && rows > 2 * ROWS {
                    let walk = Walk { ahead: Ahead::Lines(next), ..walk };
                    reduce::<S, ROWS, NV, false>(s, walk, w, &offsets, x, GROUP, acc)
                } else {
                    reduce::<S, ROWS, NV, false>(s, walk, w, &offsets, x, GROUP, acc)
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

/// Loads a tile that [`store`] stored.
///
/// # Safety
/// These elements are readable.
#[inline(always)]
unsafe fn load<S: Simd, const NV: usize>(s: S, src: *const f32, row: usize) -> Acc<S, ROWS, NV> {
    let mut acc = zeros(s);
    #[cfg(target_arch = "x86_64")]
    if TypeId::of::<S>() == TypeId::of::<Avx512>() {
        for v in 0..NV {
            // SAFETY: a group of this set is one vector; the caller vouches for the memory.
            let rows = unsafe { load_wide(src.wrapping_add(v * GROUP * row), row) };
            for (groups, lanes) in acc.iter_mut().zip(rows) {
                // SAFETY: as above.
                groups[v] = unsafe { Group::from_wide(lanes) };
            }
        }
        return acc;
    }
    for (r, groups) in acc.iter_mut().enumerate() {
        for (v, group) in groups.iter_mut().enumerate() {
            let mut lanes = [0.0f32; GROUP];
            // SAFETY: the buffer holds a group; the caller vouches for the source.
            unsafe {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    *lane = *src.add((v * GROUP + l) * row + r);
                }
                *group = Group::load(s, lanes.as_ptr());
            }
        }
    }
    acc
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
                store_halves(pair, dst, dst.wrapping_add(4 * row));
            }
        }
    }
}

/// Stores the lower half of a pair of lanes and the upper one.
///
/// # Safety
/// AVX-512 is available; both places are writable for eight elements.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn store_halves(pair: __m512, low: *mut f32, high: *mut f32) {
    // SAFETY: promised by the caller. By name, the instruction stores the upper half; a compiler that
    // sees it extracted computes both halves apart.
    unsafe {
        _mm256_storeu_ps(low, _mm512_castps512_ps256(pair));
        std::arch::asm!(
            "vextractf64x4 [{high}], {pair}, 1",
            high = in(reg) high,
            pair = in(zmm_reg) pair,
            options(nostack, preserves_flags)
        );
    }
}

/// The eight rows that [`store_wide`] stores: its steps backwards.
///
/// # Safety
/// AVX-512 is available; sixteen lanes, `row` apart, are readable for eight elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_wide(src: *const f32, row: usize) -> [__m512; ROWS] {
    // SAFETY: promised by the caller.
    unsafe {
        let low = load_half(src, row);
        let high = load_half(src.wrapping_add(8 * row), row);
        let near = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13);
        let far = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
        [
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[0], near, high[0])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[1], near, high[1])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[2], near, high[2])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[3], near, high[3])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[0], far, high[0])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[1], far, high[1])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[2], far, high[2])),
            _mm512_castpd_ps(_mm512_permutex2var_pd(low[3], far, high[3])),
        ]
    }
}

/// Eight lanes: their rows 0 to 3, each beside the row four further on.
///
/// # Safety
/// AVX-512 is available; eight lanes, `row` apart, are readable for eight elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_half(src: *const f32, row: usize) -> [__m512d; 4] {
    // SAFETY: promised by the caller.
    unsafe {
        let (a, b) = (load_pair(src, row), load_pair(src.wrapping_add(row), row));
        let c = load_pair(src.wrapping_add(2 * row), row);
        let d = load_pair(src.wrapping_add(3 * row), row);
        let (ab, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_castps_pd(_mm512_shuffle_ps::<0x44>(ab, cd)),
            _mm512_castps_pd(_mm512_shuffle_ps::<0xEE>(ab, cd)),
            _mm512_castps_pd(_mm512_shuffle_ps::<0x44>(ab_high, cd_high)),
            _mm512_castps_pd(_mm512_shuffle_ps::<0xEE>(ab_high, cd_high)),
        ]
    }
}

/// A lane and the one four further on, side by side.
///
/// # Safety
/// AVX-512 is available; both are readable for eight elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_pair(src: *const f32, row: usize) -> __m512 {
    // SAFETY: promised by the caller.
    unsafe {
        let low = _mm512_castps256_ps512(_mm256_loadu_ps(src));
        _mm512_insertf32x8::<1>(low, _mm256_loadu_ps(src.wrapping_add(4 * row)))
    }
}
