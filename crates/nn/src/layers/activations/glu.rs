//! Glu: one half of the channels, gated by the other.

use crate::layers::{Forward, channel_axis};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The first half of the channels times the sigmoid of the second: `[.., 2 C, batch]` to
/// `[.., C, batch]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Glu;

impl Forward for Glu {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let axis = channel_axis(x, scope, "glu")?;
        let channels = x.shape()[axis];
        if !channels.is_multiple_of(2) {
            let remedy = "let the layer before it give one channel more or less";
            return Err(scope.refuse("glu", "needs an even number of channels", x, remedy));
        }
        let half = channels / 2;
        Ok(x.slice(axis, 0, half)?.mul(x.slice(axis, half, channels)?.sigmoid()?)?)
    }
}
