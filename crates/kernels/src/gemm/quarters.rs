//! Products of eight lanes over few steps: a quarter of a vector holds four outputs of one lane.
//!
//! A tile of such vectors takes one shuffle for each of them on its way to memory, where one with
//! vectors along the outputs takes three ([`turned`](super::turned)); over few steps that decides. Each
//! lane is spread over its quarter once, before all panels pass by. AVX-512 only.

use super::stack::Stack;
use super::tile::GROUP;
use super::{DenseDims, PANEL, Start};
use crate::simd::Isa;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Lanes of a product.
const LANES: usize = 8;
/// Longest reduction: its lanes, spread over quarters, fill a quarter of the first cache.
const MOST_STEPS: usize = 96;
/// Outputs of a quarter.
const QUARTER: usize = 4;

/// Whether products of these sizes are computed here.
pub(super) fn fits(isa: Isa, dims: DenseDims) -> bool {
    let DenseDims { rows, inputs, lanes } = dims;
    cfg!(target_arch = "x86_64")
        && isa == Isa::Avx512
        && isa.available()
        && lanes == LANES
        && inputs <= MOST_STEPS
        && rows >= PANEL
}

/// The rows of all whole panels. Gives the rows done.
///
/// # Safety
/// The sizes [`fit`](fits); `w` holds the panels, `x` and `y` are as long as the sizes say.
pub(super) unsafe fn run(
    dims: DenseDims,
    w: *const f32,
    x: *const f32,
    y: *mut f32,
    start: Start,
) -> usize {
    let mut spread = Stack::<{ 2 * GROUP * MOST_STEPS }>::new();
    let spread = spread.as_mut_ptr();
    let whole = dims.rows / PANEL;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: sizes that fit have AVX-512; the caller vouches for the rest.
    unsafe {
        spread_lanes(dims.inputs, x, spread);
        let weight = Weight { steps: dims.inputs, w, x: spread, y, start };
        let mut done = 0;
        while done < whole {
            done += match whole - done {
                1 => weight.panels::<4, 1>(done),
                2 | 4 => weight.panels::<8, 2>(done),
                _ => weight.panels::<12, 3>(done),
            };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (w, x, y, start, spread);
    whole * PANEL
}

/// Eight lanes of every step as two vectors, each lane four times.
///
/// # Safety
/// AVX-512 is available; `src` holds the steps, `dst` has room for four times as much.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn spread_lanes(steps: usize, src: *const f32, dst: *mut f32) {
    let near = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    let far = _mm512_setr_epi32(4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
    for step in 0..steps {
        // SAFETY: a step of the sides the caller vouches for.
        unsafe {
            let lanes = _mm512_castps256_ps512(_mm256_loadu_ps(src.add(step * LANES)));
            let dst = dst.add(step * 2 * GROUP);
            _mm512_store_ps(dst, _mm512_permutexvar_ps(near, lanes));
            _mm512_store_ps(dst.add(GROUP), _mm512_permutexvar_ps(far, lanes));
        }
    }
}

/// Panels of sixteen outputs beside lanes that were spread.
#[cfg(target_arch = "x86_64")]
struct Weight {
    steps: usize,
    w: *const f32,
    x: *const f32,
    y: *mut f32,
    start: Start,
}

#[cfg(target_arch = "x86_64")]
impl Weight {
    /// `COUNT` panels from `first` on, `QUARTERS` times four outputs. Gives the panels done.
    ///
    /// # Safety
    /// AVX-512 is available; the weight has these panels, the result their rows.
    #[target_feature(enable = "avx512f")]
    unsafe fn panels<const QUARTERS: usize, const COUNT: usize>(&self, first: usize) -> usize {
        const { assert!(QUARTERS == PANEL / QUARTER * COUNT) };
        let panel = self.steps * PANEL;
        let w = self.w.wrapping_add(first * panel);
        let y = self.y.wrapping_add(first * PANEL * LANES);
        let mut acc = [[_mm512_setzero_ps(); 2]; QUARTERS];
        if self.start == Start::Dst {
            for (quarter, acc) in acc.iter_mut().enumerate() {
                // SAFETY: rows of these panels.
                *acc = unsafe { load(y.add(quarter * QUARTER * LANES)) };
            }
        }
        for step in 0..self.steps {
            // SAFETY: a step of the lanes, and of each panel.
            unsafe {
                let x = self.x.add(step * 2 * GROUP);
                let (near, far) = (_mm512_load_ps(x), _mm512_load_ps(x.add(GROUP)));
                for (quarter, acc) in acc.iter_mut().enumerate() {
                    let (of, within) = (quarter / 4, quarter % 4);
                    let w = w.add(of * panel + step * PANEL + within * QUARTER);
                    let w = _mm512_broadcast_f32x4(_mm_loadu_ps(w));
                    acc[0] = _mm512_fmadd_ps(w, near, acc[0]);
                    acc[1] = _mm512_fmadd_ps(w, far, acc[1]);
                }
            }
        }
        for (quarter, acc) in acc.iter().enumerate() {
            // SAFETY: rows of these panels.
            unsafe { store(*acc, y.add(quarter * QUARTER * LANES)) };
        }
        COUNT
    }
}

/// Four rows of eight lanes, as vectors of quarters.
///
/// # Safety
/// AVX-512 is available; the rows are readable.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(rows: *const f32) -> [__m512; 2] {
    let near = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    let far = _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    // SAFETY: promised by the caller.
    let (low, high) = unsafe { (_mm512_loadu_ps(rows), _mm512_loadu_ps(rows.add(GROUP))) };
    [_mm512_permutex2var_ps(low, near, high), _mm512_permutex2var_ps(low, far, high)]
}

/// Stores what [`load`] loads.
///
/// # Safety
/// AVX-512 is available; the rows are writable.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn store([near, far]: [__m512; 2], rows: *mut f32) {
    let low = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    let high = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    // SAFETY: promised by the caller.
    unsafe {
        _mm512_storeu_ps(rows, _mm512_permutex2var_ps(near, low, far));
        _mm512_storeu_ps(rows.add(GROUP), _mm512_permutex2var_ps(near, high, far));
    }
}
