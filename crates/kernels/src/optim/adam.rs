//! Adam and AdamW.

use super::{Follow, Ruled, States, load, store};
use crate::simd::Simd;

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
    /// The rule at one step, and what it updates in place.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn states<'a>(
        &self,
        step: AdamStep,
        [param, mean, square]: [&'a mut [f32]; 3],
    ) -> States<'a> {
        assert!(
            mean.len() == param.len() && square.len() == param.len(),
            "adam: parameter and state differ in length"
        );
        States(Ruled::Adam(AdamStates { adam: *self, step, param, mean, square }))
    }
}

/// Parameters with means of their gradients and squares, about to take a step.
pub(crate) struct AdamStates<'a> {
    adam: Adam,
    step: AdamStep,
    param: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
}

/// What weight decay multiplies, and by what.
#[derive(Clone, Copy)]
enum Decay {
    None,
    /// The parameter.
    Parameter(f32),
    /// The parameter in the gradient.
    Gradient(f32),
}

/// The factors of an update.
pub(crate) struct Factors {
    decay: Decay,
    mean: f32,
    square: f32,
    grad_square: f32,
    root: f32,
    eps: f32,
    step: f32,
}

impl Follow for AdamStates<'_> {
    type Factors = Factors;

    #[inline(always)]
    fn factors(&self) -> Factors {
        let Adam { beta1, beta2, eps, weight_decay, decoupled } = self.adam;
        let AdamStep { step_size, sqrt_bias2, lr } = self.step;
        Factors {
            decay: match decoupled {
                _ if weight_decay == 0.0 => Decay::None,
                true => Decay::Parameter(1.0 - lr * weight_decay),
                false => Decay::Gradient(weight_decay),
            },
            mean: (1.0 - beta1) as f32,
            square: beta2 as f32,
            grad_square: (1.0 - beta2) as f32,
            root: 1.0 / sqrt_bias2,
            eps,
            step: step_size,
        }
    }

    fn parameters(&self) -> &[f32] {
        self.param
    }

    #[inline(always)]
    unsafe fn update<S: Simd>(&mut self, s: S, f: &Factors, at: usize, n: usize, grad: S::F) {
        // SAFETY: the caller vouches for the elements; all arrays are as long.
        let (param, mean, square) = unsafe {
            (
                self.param.as_mut_ptr().add(at),
                self.mean.as_mut_ptr().add(at),
                self.square.as_mut_ptr().add(at),
            )
        };
        // SAFETY: as above.
        let (mut p, m, v) = unsafe { (load(s, param, n), load(s, mean, n), load(s, square, n)) };
        let mut g = grad;
        match f.decay {
            Decay::None => {}
            Decay::Parameter(keep) => p = s.mul(p, s.splat(keep)),
            Decay::Gradient(decay) => g = s.fma(s.splat(decay), p, g),
        }
        let m = s.flush(s.fma(s.splat(f.mean), s.sub(g, m), m));
        let v = s.flush(s.fma(s.splat(f.square), v, s.mul(s.splat(f.grad_square), s.mul(g, g))));
        let denominator = s.fma(s.sqrt(v), s.splat(f.root), s.splat(f.eps));
        let p = s.fnma(s.splat(f.step), s.div(m, denominator), p);
        // SAFETY: as above.
        unsafe {
            store(s, param, n, p);
            store(s, mean, n, m);
            store(s, square, n, v);
        }
    }
}
