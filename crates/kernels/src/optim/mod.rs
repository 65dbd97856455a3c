//! Optimiser updates in one pass over parameter, gradient and state.
//!
//! Every element is updated on its own and by the same vector code, so any cut of the slices
//! gives the same bits. One file per optimiser.

mod adam;
mod sgd;

pub use adam::{Adam, AdamStep};
pub use sgd::Sgd;

use crate::simd::{Isa, Kernel, Simd, run_on};
use adam::AdamStates;
use sgd::SgdStates;

/// Parameters with their state, about to take a step by the rule that they were given to.
pub struct States<'a>(pub(crate) Ruled<'a>);

/// States of each rule.
pub(crate) enum Ruled<'a> {
    Adam(AdamStates<'a>),
    Sgd(SgdStates<'a>),
}

impl States<'_> {
    /// Takes the step by `grad`.
    ///
    /// # Panics
    /// When there are not as many parameters.
    pub fn update(&mut self, grad: &[f32]) {
        self.update_on(Isa::current(), grad);
    }

    /// [`States::update`] on a given instruction set.
    ///
    /// # Panics
    /// When there are not as many parameters.
    pub fn update_on(&mut self, isa: Isa, grad: &[f32]) {
        match &mut self.0 {
            Ruled::Adam(states) => update_all(isa, states, grad),
            Ruled::Sgd(states) => update_all(isa, states, grad),
        }
    }
}

fn update_all(isa: Isa, states: &mut impl Follow, grad: &[f32]) {
    assert_eq!(
        states.parameters().len(),
        grad.len(),
        "parameters and their gradient differ in length"
    );
    update_some(isa, states, 0, grad);
}

/// Parameters and state that follow their gradient, a vector at a time.
///
/// States that decay are flushed to 0 below the normal range: they would otherwise stay denormal
/// for ever (`0.9 x` rounds back to `x` for the last few), and arithmetic on denormals is slow.
pub(crate) trait Follow {
    /// The numbers of a step. They are no part of the states, so that the compiler knows that no store
    /// changes them.
    type Factors;

    /// The numbers of this step.
    fn factors(&self) -> Self::Factors;

    /// The parameters.
    fn parameters(&self) -> &[f32];

    /// Updates elements `at..at + n` by the first `n` lanes of `grad`; implementations are
    /// `#[inline(always)]`.
    ///
    /// # Safety
    /// `at + n <= parameters().len()` and `n <= LANES`.
    unsafe fn update<S: Simd>(
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
pub(crate) fn update_some(isa: Isa, states: &mut impl Follow, first: usize, grad: &[f32]) {
    let end = first.checked_add(grad.len());
    assert!(
        end.is_some_and(|end| end <= states.parameters().len()),
        "a gradient of more than there is"
    );
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
                states.update(s, &factors, first + at, S::LANES, g);
            }
            if whole < grad.len() {
                let n = grad.len() - whole;
                let g = s.load_first(grad.as_ptr().add(whole), n);
                states.update(s, &factors, first + whole, n, g);
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
