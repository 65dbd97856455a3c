//! LayerNorm: mean 0 and variance 1 over the channels of each step of each item.

use super::{Forward, channel_axis, expect_channels, expect_not_negative};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Init, Var};

/// Normalises the channels of `[.., channel, batch]`.
///
/// Parameters: `weight` and `bias` `[normalized_shape, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LayerNorm {
    /// Channels; taken from what arrives unless given.
    pub normalized_shape: Option<usize>,
    /// Added to the variance.
    pub eps: f64,
    /// Whether a learned weight follows.
    pub elementwise_affine: bool,
    /// Whether a learned bias follows the weight.
    pub bias: bool,
}

impl Default for LayerNorm {
    fn default() -> LayerNorm {
        LayerNorm { normalized_shape: None, eps: 1e-5, elementwise_affine: true, bias: true }
    }
}

impl Forward for LayerNorm {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let axis = channel_axis(x, scope, "layer_norm")?;
        expect_not_negative(scope, "layer_norm", "eps", self.eps)?;
        let expected = self.normalized_shape;
        let channels = expect_channels(x, scope, "layer_norm", "normalized_shape", expected)?;
        let parameter = |what: &str, init: Init, wanted: bool| {
            wanted.then(|| scope.parameter(what, [channels, 1], init)).transpose()
        };
        let weight = parameter("weight", Init::Constant(1.0), self.elementwise_affine)?;
        let bias = parameter("bias", Init::Zeros, self.elementwise_affine && self.bias)?;
        Ok(x.layer_norm(axis, self.eps, weight, bias)?)
    }
}
