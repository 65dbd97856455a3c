//! One pass of vectors over equally long slices: the element-wise half of a cell.

use crate::simd::{Isa, Kernel, Simd, run_on};

/// What happens to one vector of elements.
pub(super) trait Pass {
    /// Elements of every slice the pass touches.
    fn len(&self) -> usize;

    /// Elements `at .. at + n` of every slice; `n` is `S::LANES` when `FULL`, else less.
    /// Implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// `at + n <= self.len()`.
    unsafe fn step<S: Simd, const FULL: bool>(&mut self, s: S, at: usize, n: usize);
}

/// Runs the pass over all its elements.
pub(super) fn sweep(isa: Isa, pass: impl Pass) {
    run_on(isa, Sweep(pass));
}

struct Sweep<P>(P);

impl<P: Pass> Kernel for Sweep<P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let n = self.0.len();
        let whole = n / S::LANES * S::LANES;
        for at in (0..whole).step_by(S::LANES) {
            // SAFETY: within the length.
            unsafe { self.0.step::<S, true>(s, at, S::LANES) };
        }
        if whole < n {
            // SAFETY: within the length.
            unsafe { self.0.step::<S, false>(s, whole, n - whole) };
        }
    }
}

/// The elements `at .. at + n` of `src`.
///
/// # Safety
/// They exist, and `n` is `S::LANES` when `FULL`.
#[inline(always)]
pub(super) unsafe fn load<S: Simd, const FULL: bool>(
    s: S,
    src: &[f32],
    at: usize,
    n: usize,
) -> S::F {
    debug_assert!(at + n <= src.len());
    // SAFETY: promised by the caller.
    unsafe {
        let src = src.as_ptr().add(at);
        if FULL { s.load(src) } else { s.load_first(src, n) }
    }
}

/// Sets the elements `at .. at + n` of `dst`.
///
/// # Safety
/// They exist, and `n` is `S::LANES` when `FULL`.
#[inline(always)]
pub(super) unsafe fn store<S: Simd, const FULL: bool>(
    s: S,
    dst: &mut [f32],
    at: usize,
    n: usize,
    v: S::F,
) {
    debug_assert!(at + n <= dst.len());
    // SAFETY: promised by the caller.
    unsafe {
        let dst = dst.as_mut_ptr().add(at);
        if FULL { s.store(dst, v) } else { s.store_first(dst, n, v) }
    }
}
