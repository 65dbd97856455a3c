//! Stochastic gradient descent with momentum.

use super::{Follow, load, store};
use crate::simd::Simd;

/// Gradient descent with PyTorch's meaning of each number and no dampening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    /// How much of the last velocity stays; with 0 there is no velocity to keep.
    pub momentum: f32,
    /// Whether the gradient is taken one velocity ahead.
    pub nesterov: bool,
    /// Weight decay, through the gradient.
    pub weight_decay: f32,
}

impl Sgd {
    /// The rule at one learning rate, and what it updates in place; without momentum the velocity is
    /// an empty slice.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn states<'a>(
        &self,
        lr: f32,
        param: &'a mut [f32],
        velocity: &'a mut [f32],
    ) -> SgdStates<'a> {
        let len = if self.momentum == 0.0 { 0 } else { param.len() };
        assert_eq!(velocity.len(), len, "sgd: parameter and velocity differ in length");
        SgdStates { sgd: *self, lr, param, velocity }
    }
}

/// Parameters with their velocity, about to take a step.
pub struct SgdStates<'a> {
    sgd: Sgd,
    lr: f32,
    param: &'a mut [f32],
    velocity: &'a mut [f32],
}

impl Follow for SgdStates<'_> {
    type Factors = ();

    #[inline(always)]
    fn factors(&self) {}

    fn parameters(&self) -> usize {
        self.param.len()
    }

    #[inline(always)]
    unsafe fn vector<S: Simd>(&mut self, s: S, (): &(), at: usize, n: usize, grad: S::F) {
        // SAFETY: the caller vouches for the elements; the velocity has as many where there is
        // momentum.
        unsafe {
            let param = self.param.as_mut_ptr().add(at);
            let p = load(s, param, n);
            let mut g = s.fma(s.splat(self.sgd.weight_decay), p, grad);
            if self.sgd.momentum != 0.0 {
                let keep = s.splat(self.sgd.momentum);
                let velocity = self.velocity.as_mut_ptr().add(at);
                let v = s.flush(s.fma(keep, load(s, velocity, n), g));
                store(s, velocity, n, v);
                g = if self.sgd.nesterov { s.fma(keep, v, g) } else { v };
            }
            store(s, param, n, s.fnma(s.splat(self.lr), g, p));
        }
    }
}
