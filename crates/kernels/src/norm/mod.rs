//! Normalisation: layer norm and RMS norm along the middle axis of `[outer, n, inner]`, batch
//! norm of the channels of `[outer, channels, inner]`.
//!
//! Means are sums in the canonical order of [`reduce`](crate::reduce) divided by the number of
//! elements; variances take a second pass over the differences from the mean. A lane's result
//! does not depend on how many lanes there are.

mod batch;
mod channel;
mod layer;
mod layer_grad;

pub use batch::{
    BatchNorm, batch_norm_grad, batch_norm_grad_on, batch_norm_infer, batch_norm_infer_on,
    batch_norm_train, batch_norm_train_on,
};
pub use layer::{layer_norm, layer_norm_on, rms_norm, rms_norm_on};
pub use layer_grad::{
    Normalised, layer_norm_grad, layer_norm_grad_on, norm_weight_grad, norm_weight_grad_on,
    rms_norm_grad, rms_norm_grad_on,
};

use crate::simd::Simd;

/// What follows a normalisation: times `weight`, plus `bias`, each where given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Affine<'a> {
    /// One factor per normalised element or channel.
    pub weight: Option<&'a [f32]>,
    /// One summand per normalised element or channel.
    pub bias: Option<&'a [f32]>,
}

impl Affine<'_> {
    /// # Panics
    /// When a length is not `n`.
    fn check(&self, n: usize) {
        let fits = |x: Option<&[f32]>| x.is_none_or(|x| x.len() == n);
        assert!(fits(self.weight) && fits(self.bias), "norm: weight or bias is not [{n}]");
    }
}

/// `1 / sqrt(variance + eps)` from the sum of squares over n elements.
#[inline(always)]
fn reciprocal_deviation<S: Simd>(s: S, squares: S::F, n: usize, eps: f32) -> S::F {
    let variance = s.div(squares, s.splat(n as f32));
    s.div(s.splat(1.0), s.sqrt(s.add(variance, s.splat(eps))))
}

#[cfg(test)]
mod tests;
