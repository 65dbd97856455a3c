//! Sgd: stochastic gradient descent, with momentum and Nesterov's look ahead.

use super::{Step, Update, expect, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Var, ops};

/// `v = momentum v + gradient`, `p = p - lr v`; with `nesterov` `p = p - lr (gradient + momentum v)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sgd {
    /// The learning rate.
    pub lr: f64,
    /// How much of its speed a parameter keeps; 0 for none.
    pub momentum: f64,
    /// Whether to look ahead along the speed.
    pub nesterov: bool,
    /// Weight decay, added to the gradient.
    pub weight_decay: f64,
}

impl Default for Sgd {
    fn default() -> Sgd {
        Sgd { lr: 1e-3, momentum: 0.0, nesterov: false, weight_decay: 0.0 }
    }
}

impl Update for Sgd {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("sgd", "lr", self.lr)?;
        expect_not_negative("sgd", "momentum", self.momentum)?;
        let moves = !self.nesterov || self.momentum > 0.0;
        expect("sgd", "momentum", self.momentum, moves, "above 0 where nesterov is set")?;
        expect_not_negative("sgd", "weight_decay", self.weight_decay)
    }

    fn with_weight_decay(&self, weight_decay: f64) -> Sgd {
        Sgd { weight_decay, ..*self }
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let Sgd { momentum, nesterov, weight_decay, .. } = *self;
        let sgd = ops::Sgd { momentum, nesterov, weight_decay, grad: None };
        Ok(step.lr.builder().sgd(sgd, parameters, gradients, step.lr)?)
    }
}
