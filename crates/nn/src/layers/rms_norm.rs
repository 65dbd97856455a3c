//! RmsNorm: mean square 1 over the channels of each step of each item.

use super::{Forward, channel_axis, expect_channels, expect_not_negative};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Init, Var};

/// `x / sqrt(mean x² + eps)` over the channels of `[.., channel, batch]`.
///
/// Parameters: `weight` `[normalized_shape, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RmsNorm {
    /// Channels; taken from what arrives unless given.
    pub normalized_shape: Option<usize>,
    /// Added to the mean square.
    pub eps: f32,
    /// Whether a learned weight follows.
    pub elementwise_affine: bool,
}

impl Default for RmsNorm {
    fn default() -> RmsNorm {
        RmsNorm { normalized_shape: None, eps: f32::EPSILON, elementwise_affine: true }
    }
}

impl Forward for RmsNorm {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let axis = channel_axis(x, scope, "rms_norm")?;
        expect_not_negative(scope, "rms_norm", "eps", self.eps)?;
        let expected = self.normalized_shape;
        let channels = expect_channels(x, scope, "rms_norm", "normalized_shape", expected)?;
        let mean_square = x.square()?.mean_axes(&[axis])?;
        let y = x.mul(mean_square.add(x.builder().scalar(self.eps))?.rsqrt()?)?;
        match self.elementwise_affine {
            true => Ok(y.mul(scope.parameter("weight", [channels, 1], Init::Constant(1.0))?)?),
            false => Ok(y),
        }
    }
}
