//! Softplus: a smooth ReLU.

use crate::layers::Forward;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// `log(1 + exp(beta x)) / beta`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Softplus {
    /// How sharply it bends.
    pub beta: f32,
}

impl Default for Softplus {
    fn default() -> Softplus {
        Softplus { beta: 1.0 }
    }
}

impl Forward for Softplus {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        if self.beta == 0.0 {
            return Err(NnError::setting(scope.place("softplus"), "beta", 0, "is divided by"));
        }
        let g = x.builder();
        Ok(x.mul(g.scalar(self.beta))?.softplus()?.mul(g.scalar(1.0 / self.beta))?)
    }
}
