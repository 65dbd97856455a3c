//! Optimiser updates in one pass over parameter, gradient and state.
//!
//! Every element is updated on its own and by the same vector code, so any cut of the slices
//! gives the same bits. One file per optimiser.

mod adam;
mod sgd;

pub use adam::{Adam, AdamStates, AdamStep};
pub use sgd::{Sgd, SgdStates};

use crate::simd::{Isa, Kernel, Simd, run_on};

/// Parameters and state that follow their gradient, a vector at a time.
///
/// States that decay are flushed to 0 below the normal range: they would otherwise stay denormal
/// for ever (`0.9 x` rounds back to `x` for the last few), and arithmetic on denormals is slow.
pub trait Follow {
    /// The numbers of a step.
    type Factors;

    /// The numbers of this step.
    fn factors(&self) -> Self::Factors;

    /// Parameters there are.
    fn parameters(&self) -> usize;

    /// Updates elements `at..at + n` by the first `n <= LANES` lanes of `grad`.
    ///
    /// # Safety
    /// There are as many parameters.
    unsafe fn vector<S: Simd>(
        &mut self,
        s: S,
        factors: &Self::Factors,
        at: usize,
        n: usize,
        grad: S::F,
    );
}

/// Updates the elements from `first` on by `grad`.
///
/// # Panics
/// When there are fewer elements.
pub fn follow(states: &mut impl Follow, first: usize, grad: &[f32]) {
    follow_on(Isa::current(), states, first, grad);
}

/// [`follow`] on a given instruction set.
///
/// # Panics
/// When there are fewer elements.
pub fn follow_on(isa: Isa, states: &mut impl Follow, first: usize, grad: &[f32]) {
    let end = first.checked_add(grad.len());
    assert!(end.is_some_and(|end| end <= states.parameters()), "a gradient of more than there is");
    run_on(isa, Run { states, first, grad });
}

struct Run<'a, F> {
    states: &'a mut F,
    first: usize,
    grad: &'a [f32],
}

impl<F: Follow> Kernel for Run<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Run { states, first, grad } = self;
        let factors = states.factors();
        let whole = grad.len() / S::LANES * S::LANES;
        // SAFETY: there are as many elements, checked at entry.
        unsafe {
            for at in (0..whole).step_by(S::LANES) {
                let g = s.load(grad.as_ptr().add(at));
                states.vector(s, &factors, first + at, S::LANES, g);
            }
            if whole < grad.len() {
                let n = grad.len() - whole;
                let g = s.load_first(grad.as_ptr().add(whole), n);
                states.vector(s, &factors, first + whole, n, g);
            }
        }
    }
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
