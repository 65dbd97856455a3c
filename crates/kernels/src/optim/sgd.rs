//! Stochastic gradient descent with momentum.

use super::{Follow, Ruled, States, load, store};
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
    pub fn states<'a>(&self, lr: f32, param: &'a mut [f32], velocity: &'a mut [f32]) -> States<'a> {
        let len = if self.momentum == 0.0 { 0 } else { param.len() };
        assert_eq!(velocity.len(), len, "sgd: parameter and velocity differ in length");
        States(Ruled::Sgd(SgdStates { sgd: *self, lr, param, velocity }))
    }
}

/// Parameters with their velocity, about to take a step.
pub(crate) struct SgdStates<'a> {
    sgd: Sgd,
    lr: f32,
    param: &'a mut [f32],
    velocity: &'a mut [f32],
}

impl Follow for SgdStates<'_> {
    /// The rule and its learning rate.
    type Factors = (Sgd, f32);

    #[inline(always)]
    fn factors(&self) -> (Sgd, f32) {
        (self.sgd, self.lr)
    }

    fn parameters(&self) -> &[f32] {
        self.param
    }

    #[inline(always)]
    unsafe fn update<S: Simd>(
        &mut self,
        s: S,
        &(sgd, lr): &(Sgd, f32),
        at: usize,
        n: usize,
        grad: S::F,
    ) {
        let mut g = grad;
        // SAFETY: the caller vouches for the elements; the velocity has as many where there is
        // momentum.
        unsafe {
            let param = self.param.as_mut_ptr().add(at);
            let p = load(s, param, n);
            if sgd.weight_decay != 0.0 {
                g = s.fma(s.splat(sgd.weight_decay), p, g);
            }
            if sgd.momentum != 0.0 {
                let (velocity, keep) = (self.velocity.as_mut_ptr().add(at), s.splat(sgd.momentum));
                let v = s.flush(s.fma(keep, load(s, velocity, n), g));
                store(s, velocity, n, v);
                g = if sgd.nesterov { s.fma(keep, v, g) } else { v };
            }
            store(s, param, n, s.fnma(s.splat(lr), g, p));
        }
    }
}
