//! Linear: a dense layer over the channels, at every step of a sequence the same.

use super::{Forward, expect_channels, expect_positive};
use crate::{NnError, Scope, init};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// `y = weight x + bias`: x `[.., in_features, batch]` to `[.., out_features, batch]`.
///
/// Parameters: `weight` `[out_features, in_features]`, `bias` `[out_features, 1]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// Channels in; taken from what arrives unless given.
    #[serde(default)]
    pub in_features: Option<usize>,
    /// Channels out.
    pub out_features: usize,
    /// Whether there is a bias.
    #[serde(default = "super::yes")]
    pub bias: bool,
}

impl Linear {
    /// A dense layer with a bias.
    pub fn new(out_features: usize) -> Linear {
        Linear { in_features: None, out_features, bias: true }
    }
}

impl Forward for Linear {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        expect_positive(scope, "linear", "out_features", self.out_features)?;
        let inputs = expect_channels(x, scope, "linear", "in_features", self.in_features)?;
        let init = init::default_uniform(inputs);
        let weight = scope.parameter("weight", [self.out_features, inputs], init)?;
        let y = weight.dot(x)?;
        match self.bias {
            true => Ok(y.add(scope.parameter("bias", [self.out_features, 1], init)?)?),
            false => Ok(y),
        }
    }
}
