//! Adam and AdamW.

use super::{flush, load, store};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// Adam or AdamW with PyTorch's meaning of each number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// Decay of the mean of gradients.
    pub beta1: f64,
    /// Decay of the mean of squared gradients.
    pub beta2: f64,
    /// Added to the denominator.
    pub eps: f32,
    /// Weight decay.
    pub weight_decay: f32,
    /// Whether the decay acts on the parameter itself (AdamW) and not through the gradient.
    pub decoupled: bool,
}

/// The numbers that change from step to step; callers compute them in f64.
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
    /// Entries of `mean` and `square` that fall below the normal range become 0.
    ///
    /// # Panics
    /// When the lengths differ.
    #[inline]
    pub fn update(
        &self,
        step: AdamStep,
        grad: &[f32],
        param: &mut [f32],
        mean: &mut [f32],
        square: &mut [f32],
    ) {
        self.update_on(Isa::current(), step, 1.0, grad, param, mean, square);
    }

    /// [`Adam::update`] on a given instruction set, with the gradient multiplied by `scale`
    /// first, as clipping by the global norm asks for; 1 changes nothing.
    ///
    /// # Panics
    /// When the lengths differ.
    #[allow(clippy::too_many_arguments, reason = "the state of the update, named one by one")]
    pub fn update_on(
        &self,
        isa: Isa,
        step: AdamStep,
        scale: f32,
        grad: &[f32],
        param: &mut [f32],
        mean: &mut [f32],
        square: &mut [f32],
    ) {
        let len = grad.len();
        assert!(
            param.len() == len && mean.len() == len && square.len() == len,
            "adam: parameter, gradient and state differ in length"
        );
        let (param, mean, square) = (param.as_mut_ptr(), mean.as_mut_ptr(), square.as_mut_ptr());
        let grad = grad.as_ptr();
        run_on(isa, Update { adam: *self, step, scale, len, grad, param, mean, square });
    }
}

struct Update {
    adam: Adam,
    step: AdamStep,
    scale: f32,
    len: usize,
    grad: *const f32,
    param: *mut f32,
    mean: *mut f32,
    square: *mut f32,
}

/// The factors of an update, in every lane.
#[derive(Clone, Copy)]
struct Factors<F> {
    scale: F,
    keep: F,
    decay: F,
    mean: F,
    square: F,
    grad_square: F,
    root: F,
    eps: F,
    step: F,
}

impl Kernel for Update {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Adam { beta1, beta2, eps, weight_decay, decoupled } = self.adam;
        let AdamStep { step_size, sqrt_bias2, lr } = self.step;
        let factors = Factors {
            scale: s.splat(self.scale),
            keep: s.splat(if decoupled { 1.0 - lr * weight_decay } else { 1.0 }),
            decay: s.splat(if decoupled { 0.0 } else { weight_decay }),
            mean: s.splat((1.0 - beta1) as f32),
            square: s.splat(beta2 as f32),
            grad_square: s.splat((1.0 - beta2) as f32),
            root: s.splat(1.0 / sqrt_bias2),
            eps: s.splat(eps),
            step: s.splat(step_size),
        };
        let mut at = 0;
        // SAFETY: all four arrays have `len` elements.
        unsafe {
            while at + S::LANES <= self.len {
                self.at(s, factors, at, S::LANES);
                at += S::LANES;
            }
            if at < self.len {
                self.at(s, factors, at, self.len - at);
            }
        }
    }
}

impl Update {
    /// # Safety
    /// Elements `at..at + n` exist, `n <= LANES`.
    #[inline(always)]
    unsafe fn at<S: Simd>(&self, s: S, f: Factors<S::F>, at: usize, n: usize) {
        // SAFETY: the caller vouches for the elements.
        let (g, p, m, v) = unsafe {
            (
                load(s, self.grad.add(at), n),
                load(s, self.param.add(at), n),
                load(s, self.mean.add(at), n),
                load(s, self.square.add(at), n),
            )
        };
        let p = s.mul(p, f.keep);
        let g = s.fma(f.decay, p, s.mul(g, f.scale));
        let m = flush(s, s.fma(f.mean, s.sub(g, m), m));
        let v = flush(s, s.fma(f.square, v, s.mul(f.grad_square, s.mul(g, g))));
        let denominator = s.fma(s.sqrt(v), f.root, f.eps);
        let p = s.fnma(f.step, s.div(m, denominator), p);
        // SAFETY: the caller vouches for the elements.
        unsafe {
            store(s, self.param.add(at), n, p);
            store(s, self.mean.add(at), n, m);
            store(s, self.square.add(at), n, v);
        }
    }
}
