//! MaxPool1d and AvgPool1d: the largest or the mean of windows over time.

use super::{Forward, sequence};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_graph::ops::{Pool1d, PoolOp};

/// The largest of each window: `[time, channel, batch]` to `[time_out, channel, batch]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaxPool1d {
    /// Steps of a window.
    pub kernel_size: usize,
    /// Steps between the starts of two windows; those of a window unless given.
    #[serde(default)]
    pub stride: Option<usize>,
    /// Steps added at both ends, which never win.
    #[serde(default)]
    pub padding: usize,
    /// Steps between two elements of a window.
    #[serde(default = "super::one")]
    pub dilation: usize,
}

/// The mean of each window: `[time, channel, batch]` to `[time_out, channel, batch]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AvgPool1d {
    /// Steps of a window.
    pub kernel_size: usize,
    /// Steps between the starts of two windows; those of a window unless given.
    #[serde(default)]
    pub stride: Option<usize>,
    /// Zeros added at both ends, which count.
    #[serde(default)]
    pub padding: usize,
}

impl MaxPool1d {
    /// Windows one after another.
    pub fn new(kernel_size: usize) -> MaxPool1d {
        MaxPool1d { kernel_size, stride: None, padding: 0, dilation: 1 }
    }
}

impl AvgPool1d {
    /// Windows one after another.
    pub fn new(kernel_size: usize) -> AvgPool1d {
        AvgPool1d { kernel_size, stride: None, padding: 0 }
    }
}

impl Forward for MaxPool1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        sequence(x, scope, "max_pool1d")?;
        let MaxPool1d { kernel_size: kernel, padding, dilation, .. } = *self;
        let stride = self.stride.unwrap_or(kernel);
        Ok(x.pool1d(Pool1d { op: PoolOp::Max, kernel, stride, padding, dilation })?)
    }
}

impl Forward for AvgPool1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        sequence(x, scope, "avg_pool1d")?;
        let AvgPool1d { kernel_size: kernel, padding, .. } = *self;
        let stride = self.stride.unwrap_or(kernel);
        Ok(x.pool1d(Pool1d { op: PoolOp::Average, kernel, stride, padding, dilation: 1 })?)
    }
}
