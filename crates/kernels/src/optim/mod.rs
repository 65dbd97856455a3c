//! Optimiser updates in one pass over parameter, gradient and state.
//!
//! Every element is updated on its own and by the same vector code, so any cut of the slices
//! gives the same bits. One file per optimiser.

mod adam;
mod sgd;

pub use adam::{Adam, AdamStep};
pub use sgd::Sgd;

use crate::simd::Simd;

/// Numbers too small for the normal range, as 0.
///
/// A mean that decays would otherwise stay denormal for ever (`0.9 x` rounds back to `x` for the
/// last few), and arithmetic on denormals is slow.
#[inline(always)]
fn flush<S: Simd>(s: S, x: S::F) -> S::F {
    s.select(s.lt(s.abs(x), s.splat(f32::MIN_POSITIVE)), s.splat(0.0), x)
}

/// # Safety
/// `src` is readable for `n <= LANES` elements.
#[inline(always)]
unsafe fn load<S: Simd>(s: S, src: *const f32, n: usize) -> S::F {
    // SAFETY: promised by the caller.
    unsafe { if n == S::LANES { s.load(src) } else { s.load_first(src, n) } }
}

/// # Safety
/// `dst` is writable for `n <= LANES` elements.
#[inline(always)]
unsafe fn store<S: Simd>(s: S, dst: *mut f32, n: usize, v: S::F) {
    // SAFETY: promised by the caller.
    unsafe { if n == S::LANES { s.store(dst, v) } else { s.store_first(dst, n, v) } }
}

#[cfg(test)]
mod tests;
