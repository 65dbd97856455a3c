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

/// The first `LANES` elements of `src`, 0 in lanes past its end.
#[inline(always)]
pub fn first_of_slice<S: Simd>(s: S, src: &[f32]) -> S::F {
    // SAFETY: the slice holds as many elements as are asked for.
    unsafe { s.load_first(src.as_ptr(), src.len().min(S::LANES)) }
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

/// Stores the first lanes of `v` in `dst`, at most as many as it has elements.
#[inline(always)]
pub fn first_to_slice<S: Simd>(s: S, v: S::F, dst: &mut [f32]) {
    // SAFETY: the slice has room for as many elements as are stored.
    unsafe { s.store_first(dst.as_mut_ptr(), dst.len().min(S::LANES), v) }
}
