//! Rprop: steps of their own size for each parameter, by the signs of the gradient alone.

use super::memory::remember;
use super::{Step, Update, expect, expect_positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Init, Var};

/// Resilient propagation, PyTorch's: a step grows while the sign of the gradient stays, and shrinks
/// where it turns; there the parameter rests for one step. It is made for the gradient of all data,
/// not of small batches. Schedules and weight decay do not act on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rprop {
    /// The size of the first step.
    pub lr: f64,
    /// By how much a step shrinks and grows.
    pub etas: [f64; 2],
    /// The smallest and the largest step.
    pub step_sizes: [f64; 2],
}

impl Default for Rprop {
    fn default() -> Rprop {
        Rprop { lr: 1e-2, etas: [0.5, 1.2], step_sizes: [1e-6, 50.0] }
    }
}

impl Rprop {
    /// One step of one parameter.
    fn step<'g>(&self, p: Var<'g>, gradient: Var<'g>) -> Result<(), GraphError> {
        let g = p.builder();
        let number = |x: f64| g.scalar(x as f32);
        let [shrink, grow] = self.etas;
        let [smallest, largest] = self.step_sizes;
        let before = remember(p, "prev", Init::Zeros)?;
        let size = remember(p, "step_size", Init::Constant(self.lr as f32))?;
        // Signs, not the product of gradients: that of two small ones would be 0.
        let agreement = gradient.sign()?.mul(before.sign()?)?;
        let turned = agreement.lt(number(0.0))?;
        let stayed = agreement.gt(number(0.0))?;
        let factor = turned.select(number(shrink), stayed.select(number(grow), number(1.0))?)?;
        let new_size = size.mul(factor)?.max(number(smallest))?.min(number(largest))?;
        let followed = turned.select(number(0.0), gradient)?;
        g.update(size, new_size)?;
        g.update(before, followed)?;
        g.update(p, p.sub(followed.sign()?.mul(new_size)?)?)
    }
}

impl Update for Rprop {
    fn lr(&self) -> f64 {
        self.lr
    }

    fn check(&self) -> Result<(), NnError> {
        expect_positive("rprop", "lr", self.lr)?;
        let ([shrink, grow], [smallest, largest]) = (self.etas, self.step_sizes);
        expect("rprop", "etas", shrink, shrink > 0.0 && shrink < 1.0, "between 0 and 1 to shrink")?;
        expect("rprop", "etas", grow, grow > 1.0, "above 1 to grow")?;
        expect_positive("rprop", "step_sizes", smallest)?;
        expect("rprop", "step_sizes", largest, largest >= smallest, "at least the smallest")
    }

    fn with_weight_decay(&self, _: f64) -> Rprop {
        *self
    }

    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        _: Step<'g>,
    ) -> Result<(), NnError> {
        for (&parameter, &gradient) in parameters.iter().zip(gradients) {
            self.step(parameter, gradient)?;
        }
        Ok(())
    }
}
