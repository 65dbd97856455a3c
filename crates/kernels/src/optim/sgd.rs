//! Stochastic gradient descent with momentum.

use super::flush;
use crate::simd::{Isa, Kernel, Simd, run_on};

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
    /// Updates `param` and `velocity` in place from `grad`; without momentum the velocity is an
    /// empty slice.
    ///
    /// # Panics
    /// When the lengths differ.
    #[inline]
    pub fn update(&self, lr: f32, grad: &[f32], param: &mut [f32], velocity: &mut [f32]) {
        self.update_on(Isa::current(), lr, 1.0, grad, param, velocity);
    }

    /// [`Sgd::update`] on a given instruction set, with the gradient multiplied by `scale` first;
    /// 1 changes nothing.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn update_on(
        &self,
        isa: Isa,
        lr: f32,
        scale: f32,
        grad: &[f32],
        param: &mut [f32],
        velocity: &mut [f32],
    ) {
        let state = if self.momentum == 0.0 { 0 } else { grad.len() };
        assert!(
            param.len() == grad.len() && velocity.len() == state,
            "sgd: parameter, gradient and velocity differ in length"
        );
        run_on(isa, Update { sgd: *self, lr, scale, grad, param, velocity });
    }
}

struct Update<'a> {
    sgd: Sgd,
    lr: f32,
    scale: f32,
    grad: &'a [f32],
    param: &'a mut [f32],
    velocity: &'a mut [f32],
}

impl Kernel for Update<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Sgd { momentum, nesterov, weight_decay } = self.sgd;
        let (decay, scale, lr) = (s.splat(weight_decay), s.splat(self.scale), s.splat(self.lr));
        let keep = s.splat(momentum);
        let len = self.grad.len();
        let (param, velocity) = (self.param.as_mut_ptr(), self.velocity.as_mut_ptr());
        for at in (0..len).step_by(S::LANES) {
            let n = S::LANES.min(len - at);
            // SAFETY: n elements remain from `at` on in each slice of length `len`; the velocity
            // is one of them when there is momentum.
            unsafe {
                let p = s.load_first(param.add(at), n);
                let mut g = s.mul(s.load_first(self.grad.as_ptr().add(at), n), scale);
                g = s.fma(decay, p, g);
                if momentum != 0.0 {
                    let v = flush(s, s.fma(keep, s.load_first(velocity.add(at), n), g));
                    s.store_first(velocity.add(at), n, v);
                    g = if nesterov { s.fma(keep, v, g) } else { v };
                }
                s.store_first(param.add(at), n, s.fnma(lr, g, p));
            }
        }
    }
}
