//! Softmax and LogSoftmax: shares of the channels that sum to 1, and their logarithms.

use crate::layers::{Forward, channel_axis};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// `exp(x) / sum exp(x)` over the channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Softmax;

/// `x - log sum exp(x)` over the channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogSoftmax;

impl Forward for Softmax {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        Ok(x.softmax(channel_axis(x, scope, "softmax")?)?)
    }
}

impl Forward for LogSoftmax {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        Ok(x.log_softmax(channel_axis(x, scope, "log_softmax")?)?)
    }
}
