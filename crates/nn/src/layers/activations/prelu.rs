//! Prelu: a leaky ReLU whose slope is learned.

use crate::layers::{Forward, expect_channels};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Init, Var};

/// x above 0, `weight x` below.
///
/// Parameters: `weight` `[num_parameters, 1]`, one for all channels or one for each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prelu {
    /// 1, or the number of channels.
    pub num_parameters: usize,
    /// The slope below 0 at the start.
    pub init: f32,
}

impl Default for Prelu {
    fn default() -> Prelu {
        Prelu { num_parameters: 1, init: 0.25 }
    }
}

impl Forward for Prelu {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let expected = (self.num_parameters != 1).then_some(self.num_parameters);
        expect_channels(x, scope, "prelu", "num_parameters", expected)?;
        let shape = [self.num_parameters, 1];
        let weight = scope.parameter("weight", shape, Init::Constant(self.init))?;
        Ok(x.gt(x.builder().scalar(0.0))?.select(x, x.mul(weight)?)?)
    }
}
