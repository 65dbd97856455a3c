//! MaxPool1d and AvgPool1d: the largest or the mean of windows over time.

use super::{Forward, expect_positive, expect_windows};
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
        let MaxPool1d { kernel_size: kernel, padding, dilation, .. } = *self;
        let stride = self.stride.unwrap_or(kernel);
        pool(x, scope, "max_pool1d", Pool1d { op: PoolOp::Max, kernel, stride, padding, dilation })
    }
}

impl Forward for AvgPool1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let AvgPool1d { kernel_size: kernel, padding, .. } = *self;
        let (op, stride) = (PoolOp::Average, self.stride.unwrap_or(kernel));
        pool(x, scope, "avg_pool1d", Pool1d { op, kernel, stride, padding, dilation: 1 })
    }
}

/// Refuses settings that cannot be, with the names that layers have for them.
fn pool<'g>(x: Var<'g>, scope: &Scope<'g>, kind: &str, pool: Pool1d) -> Result<Var<'g>, NnError> {
    let Pool1d { kernel, stride, padding, dilation, .. } = pool;
    for (field, value) in [("kernel_size", kernel), ("stride", stride), ("dilation", dilation)] {
        expect_positive(scope, kind, field, value)?;
    }
    if padding > kernel / 2 {
        let reason = format!("must be at most half of kernel_size, {}", kernel / 2);
        return Err(NnError::setting(scope.place(kind), "padding", padding, reason));
    }
    let window = dilation.saturating_mul(kernel - 1).saturating_add(1);
    expect_windows(x, scope, kind, window, 2 * padding)?;
    Ok(x.pool1d(pool)?)
}
