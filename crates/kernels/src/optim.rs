//! Optimiser updates in one pass over parameter, gradient and state.
//!
//! Every element is updated on its own, so any cut of the slices gives the same bits.

use crate::simd::{self, Kernel, Simd};

/// Adam or AdamW with PyTorch's meaning of each number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// Decay of the mean of gradients.
    pub beta1: f32,
    /// Decay of the mean of squared gradients.
    pub beta2: f32,
    /// Added to the denominator.
    pub eps: f32,
    /// Weight decay.
    pub weight_decay: f32,
    /// Whether the decay acts on the parameter itself (AdamW).
    pub decoupled: bool,
}

/// The numbers that change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    /// `lr / (1 - beta1^step)`.
    pub step_size: f32,
    /// `sqrt(1 - beta2^step)`.
    pub sqrt_bias2: f32,
    /// The learning rate.
    pub lr: f32,
}

impl Adam {
    /// Updates `param`, `mean` and `square` in place from `grad`.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn update(
        &self,
        step: AdamStep,
        grad: &[f32],
        param: &mut [f32],
        mean: &mut [f32],
        square: &mut [f32],
    ) {
        let len = grad.len();
        assert!(param.len() == len && mean.len() == len && square.len() == len);
        simd::run(Update { adam: *self, step, grad, param, mean, square });
    }
}

struct Update<'a> {
    adam: Adam,
    step: AdamStep,
    grad: &'a [f32],
    param: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
}

impl Kernel for Update<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Adam { beta1, beta2, eps, weight_decay, decoupled } = self.adam;
        let (b1, c1) = (s.splat(beta1), s.splat(1.0 - beta1));
        let (b2, c2) = (s.splat(beta2), s.splat(1.0 - beta2));
        let (eps, size) = (s.splat(eps), s.splat(self.step.step_size));
        let root = s.splat(1.0 / self.step.sqrt_bias2);
        let keep = s.splat(if decoupled { 1.0 - self.step.lr * weight_decay } else { 1.0 });
        let decay = s.splat(if decoupled { 0.0 } else { weight_decay });
        for at in (0..self.grad.len()).step_by(S::LANES) {
            let n = S::LANES.min(self.grad.len() - at);
            // SAFETY: n elements remain from `at` on in each slice; all have the same length.
            unsafe {
                let p = s.mul(s.load_first(self.param.as_ptr().add(at), n), keep);
                let g = s.fma(decay, p, s.load_first(self.grad.as_ptr().add(at), n));
                let m = s.fma(b1, s.load_first(self.mean.as_ptr().add(at), n), s.mul(c1, g));
                let old = s.load_first(self.square.as_ptr().add(at), n);
                let v = s.fma(b2, old, s.mul(c2, s.mul(g, g)));
                let denominator = s.fma(s.sqrt(v), root, eps);
                let p = s.fnma(size, s.div(m, denominator), p);
                s.store_first(self.param.as_mut_ptr().add(at), n, p);
                s.store_first(self.mean.as_mut_ptr().add(at), n, m);
                s.store_first(self.square.as_mut_ptr().add(at), n, v);
            }
        }
    }
}
