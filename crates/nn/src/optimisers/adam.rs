//! Adam and AdamW: steps of a size that follows the gradient's own.

use super::{Step, Update, expect_decay, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Var, ops};

/// Adam (Kingma and Ba, 2015): `p = p - lr mean / (sqrt(square) + eps)`, where mean and square are
/// running means of the gradient and its square, freed of their bias towards 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adam {
    /// The learning rate.
    pub lr: f64,
    /// Decay of the two running means.
    pub betas: [f64; 2],
    /// Added to the denominator.
    pub eps: f64,
    /// Weight decay, added to the gradient.
    pub weight_decay: f64,
}

/// AdamW (Loshchilov and Hutter, 2019): Adam whose weight decay acts on the weights themselves,
/// `p = p - lr weight_decay p`, and not through the gradient.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdamW {
    /// The learning rate.
    pub lr: f64,
    /// Decay of the two running means.
    pub betas: [f64; 2],
    /// Added to the denominator.
    pub eps: f64,
    /// Weight decay.
    pub weight_decay: f64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0.0 }
    }
}

impl Default for AdamW {
    fn default() -> AdamW {
        AdamW { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0.01 }
    }
}

impl Update for Adam {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        check("adam", self.lr, self.betas, self.eps, self.weight_decay)
    }

    fn with_weight_decay(&self, weight_decay: f64) -> Adam {
        Adam { weight_decay, ..*self }
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let Adam { betas: [beta1, beta2], eps, weight_decay, .. } = *self;
        let adam = ops::Adam { beta1, beta2, eps, weight_decay, decoupled: false, grad: None };
        Ok(step.lr.builder().adam(adam, parameters, gradients, step.lr, step.number)?)
    }
}

impl Update for AdamW {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        check("adamw", self.lr, self.betas, self.eps, self.weight_decay)
    }

    fn with_weight_decay(&self, weight_decay: f64) -> AdamW {
        AdamW { weight_decay, ..*self }
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let AdamW { betas: [beta1, beta2], eps, weight_decay, .. } = *self;
        let adam = ops::Adam { beta1, beta2, eps, weight_decay, decoupled: true, grad: None };
        Ok(step.lr.builder().adam(adam, parameters, gradients, step.lr, step.number)?)
    }
}

fn check(rule: &str, lr: f64, betas: [f64; 2], eps: f64, weight_decay: f64) -> Result<(), NnError> {
    expect_not_negative(rule, "lr", lr)?;
    for beta in betas {
        expect_decay(rule, "betas", beta)?;
    }
    expect_not_negative(rule, "eps", eps)?;
    expect_not_negative(rule, "weight_decay", weight_decay)
}
