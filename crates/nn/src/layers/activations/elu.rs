//! Elu and Celu: exponential below zero, the identity above.

use crate::layers::Forward;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};

/// x above 0, `alpha (exp(x) - 1)` below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Elu {
    /// How far down it goes.
    pub alpha: f32,
}

/// x above 0, `alpha (exp(x / alpha) - 1)` below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Celu {
    /// How far down it goes, and how slowly.
    pub alpha: f32,
}

impl Default for Elu {
    fn default() -> Elu {
        Elu { alpha: 1.0 }
    }
}

impl Default for Celu {
    fn default() -> Celu {
        Celu { alpha: 1.0 }
    }
}

impl Forward for Elu {
    fn forward<'g>(&self, x: Var<'g>, _: &Scope<'g>) -> Result<Var<'g>, NnError> {
        Ok(elu(x, self.alpha, 1.0)?)
    }
}

impl Forward for Celu {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        if self.alpha == 0.0 {
            return Err(NnError::setting(scope.place("celu"), "alpha", 0, "is divided by"));
        }
        Ok(elu(x, self.alpha, self.alpha)?)
    }
}

/// x above 0, `alpha (exp(x / width) - 1)` below. The exponential sees no positive numbers, for
/// which it would overflow and spoil the gradient. At 0 the slope is that of the exponential.
pub(super) fn elu(x: Var<'_>, alpha: f32, width: f32) -> Result<Var<'_>, GraphError> {
    let g = x.builder();
    let negative = x.keep_where(x.le(g.scalar(0.0))?)?;
    let below = negative.mul(g.scalar(1.0 / width))?.exp()?.sub(g.scalar(1.0))?;
    x.relu()?.add(below.mul(g.scalar(alpha))?)
}
