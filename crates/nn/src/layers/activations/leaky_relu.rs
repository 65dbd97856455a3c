//! LeakyRelu: the identity above zero, a gentle slope below.

use crate::layers::Forward;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// x above 0, `negative_slope x` below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LeakyRelu {
    /// The slope below 0.
    pub negative_slope: f32,
}

impl Default for LeakyRelu {
    fn default() -> LeakyRelu {
        LeakyRelu { negative_slope: 0.01 }
    }
}

impl Forward for LeakyRelu {
    fn forward<'g>(&self, x: Var<'g>, _: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let g = x.builder();
        let below = x.mul(g.scalar(self.negative_slope))?;
        Ok(x.gt(g.scalar(0.0))?.select(x, below)?)
    }
}
