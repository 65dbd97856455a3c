//! RmsProp: steps relative to the recent size of the gradient.

use super::memory::{decayed, remember, running_mean};
use super::{Step, Update, expect_decay, expect_not_negative, expect_positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Init, Var};

/// `square = alpha square + (1 - alpha) gradient²`, `p = p - lr gradient / (sqrt(square) + eps)`;
/// with momentum the quotient is accumulated first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RmsProp {
    /// The learning rate.
    pub lr: f64,
    /// Decay of the running mean of squares.
    pub alpha: f64,
    /// Added to the denominator.
    pub eps: f64,
    /// Weight decay, added to the gradient.
    pub weight_decay: f64,
    /// How much of its speed a parameter keeps; 0 for none.
    pub momentum: f64,
    /// Whether to take the variance of the gradient for its mean square.
    pub centered: bool,
}

impl Default for RmsProp {
    fn default() -> RmsProp {
        let (lr, alpha, eps) = (1e-2, 0.99, 1e-8);
        RmsProp { lr, alpha, eps, weight_decay: 0.0, momentum: 0.0, centered: false }
    }
}

impl RmsProp {
    /// One step of one parameter.
    fn step<'g>(&self, p: Var<'g>, gradient: Var<'g>, lr: Var<'g>) -> Result<(), GraphError> {
        let g = p.builder();
        let gradient = decayed(gradient, p, self.weight_decay)?;
        let square = remember(p, "square_avg", Init::Zeros)?;
        let new_square = running_mean(square, gradient.square()?, self.alpha)?;
        g.update(square, new_square)?;
        let mut spread = new_square;
        if self.centered {
            let mean = remember(p, "grad_avg", Init::Zeros)?;
            let new_mean = running_mean(mean, gradient, self.alpha)?;
            g.update(mean, new_mean)?;
            // Rounding may make the difference negative.
            spread = new_square.sub(new_mean.square()?)?.max(g.scalar(0.0))?;
        }
        let mut direction = gradient.div(spread.sqrt()?.add(g.scalar(self.eps as f32))?)?;
        if self.momentum > 0.0 {
            let speed = remember(p, "momentum_buffer", Init::Zeros)?;
            direction = speed.mul(g.scalar(self.momentum as f32))?.add(direction)?;
            g.update(speed, direction)?;
        }
        g.update(p, p.sub(direction.mul(lr)?)?)
    }
}

impl Update for RmsProp {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("rmsprop", "lr", self.lr)?;
        expect_decay("rmsprop", "alpha", self.alpha)?;
        expect_positive("rmsprop", "eps", self.eps)?;
        expect_not_negative("rmsprop", "momentum", self.momentum)?;
        expect_not_negative("rmsprop", "weight_decay", self.weight_decay)
    }

    fn with_weight_decay(&self, weight_decay: f64) -> RmsProp {
        RmsProp { weight_decay, ..*self }
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        for (&parameter, &gradient) in parameters.iter().zip(gradients) {
            self.step(parameter, gradient, step.lr)?;
        }
        Ok(())
    }
}
