//! Vectors from slices and back, for callers without `unsafe`.

use super::Simd;

/// The first `LANES` elements of `src`.
///
/// # Panics
/// When `src` is shorter.
#[inline(always)]
pub fn from_slice<S: Simd>(s: S, src: &[f32]) -> S::F {
    assert!(src.len() >= S::LANES, "a vector of a shorter slice");
    // SAFETY: the slice holds that many elements.
    unsafe { s.load(src.as_ptr()) }
}

/// Stores `v` in the first `LANES` elements of `dst`.
///
/// # Panics
/// When `dst` is shorter.
#[inline(always)]
pub fn to_slice<S: Simd>(s: S, v: S::F, dst: &mut [f32]) {
    assert!(dst.len() >= S::LANES, "a vector into a shorter slice");
    // SAFETY: the slice holds that many elements.
    unsafe { s.store(dst.as_mut_ptr(), v) }
}
