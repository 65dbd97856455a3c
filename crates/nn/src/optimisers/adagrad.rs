//! Adagrad: steps relative to the size of all gradients so far.

use super::memory::{decayed, remember};
use super::{Step, Update, expect_not_negative, expect_positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Init, Var};

/// `sum = sum + gradient²`, `p = p - rate gradient / (sqrt(sum) + eps)`, where
/// `rate = lr / (1 + (step - 1) lr_decay)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adagrad {
    /// The learning rate.
    pub lr: f64,
    /// How fast the rate falls.
    pub lr_decay: f64,
    /// Weight decay, added to the gradient.
    pub weight_decay: f64,
    /// The sum at the start.
    pub initial_accumulator_value: f64,
    /// Added to the denominator.
    pub eps: f64,
}

impl Default for Adagrad {
    fn default() -> Adagrad {
        let (lr, eps) = (1e-2, 1e-10);
        Adagrad { lr, lr_decay: 0.0, weight_decay: 0.0, initial_accumulator_value: 0.0, eps }
    }
}

impl Adagrad {
    /// One step of one parameter.
    fn step<'g>(&self, p: Var<'g>, gradient: Var<'g>, rate: Var<'g>) -> Result<(), GraphError> {
        let g = p.builder();
        let gradient = decayed(gradient, p, self.weight_decay)?;
        let start = Init::Constant(self.initial_accumulator_value as f32);
        let sum = remember(p, "sum", start)?;
        let new_sum = sum.add(gradient.square()?)?;
        g.update(sum, new_sum)?;
        let direction = gradient.div(new_sum.sqrt()?.add(g.scalar(self.eps as f32))?)?;
        g.update(p, p.sub(direction.mul(rate)?)?)
    }
}

impl Update for Adagrad {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("adagrad", "lr", self.lr)?;
        expect_not_negative("adagrad", "lr_decay", self.lr_decay)?;
        expect_not_negative("adagrad", "weight_decay", self.weight_decay)?;
        let start = self.initial_accumulator_value;
        expect_not_negative("adagrad", "initial_accumulator_value", start)?;
        expect_positive("adagrad", "eps", self.eps)
    }

    fn with_weight_decay(&self, weight_decay: f64) -> Adagrad {
        Adagrad { weight_decay, ..*self }
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let g = step.lr.builder();
        let before = step.number.sub(g.scalar(1.0))?;
        let slower = before.mul(g.scalar(self.lr_decay as f32))?.add(g.scalar(1.0))?;
        let rate = step.lr.div(slower)?;
        for (&parameter, &gradient) in parameters.iter().zip(gradients) {
            self.step(parameter, gradient, rate)?;
        }
        Ok(())
    }
}
