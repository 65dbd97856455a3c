//! AdaptiveAvgPool1d and AdaptiveMaxPool1d: a given number of windows, whatever the time.

use super::{Forward, expect_few, expect_positive, sequence};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::ops::{Pool1d, PoolOp};
use whimbrel_graph::{GraphError, Var};

/// The means of `output_size` windows that cover all steps: `[time, channel, batch]` to
/// `[output_size, channel, batch]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveAvgPool1d {
    /// Number of windows; 1 for all steps as one.
    pub output_size: usize,
}

/// The largest of `output_size` windows that cover all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveMaxPool1d {
    /// Number of windows; 1 for all steps as one.
    pub output_size: usize,
}

impl Default for AdaptiveAvgPool1d {
    fn default() -> AdaptiveAvgPool1d {
        AdaptiveAvgPool1d { output_size: 1 }
    }
}

impl Default for AdaptiveMaxPool1d {
    fn default() -> AdaptiveMaxPool1d {
        AdaptiveMaxPool1d { output_size: 1 }
    }
}

impl Forward for AdaptiveAvgPool1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        expect_positive(scope, "adaptive_avg_pool1d", "output_size", self.output_size)?;
        expect_few(scope, "adaptive_avg_pool1d", "output_size", self.output_size)?;
        sequence(x, scope, "adaptive_avg_pool1d")?;
        Ok(windows(x, self.output_size, |window| window.mean_axes(&[0]))?)
    }
}

impl Forward for AdaptiveMaxPool1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        expect_positive(scope, "adaptive_max_pool1d", "output_size", self.output_size)?;
        expect_few(scope, "adaptive_max_pool1d", "output_size", self.output_size)?;
        sequence(x, scope, "adaptive_max_pool1d")?;
        // The first of equals has the gradient, as in PyTorch; a maximum along the axis would share it.
        let largest = |window: Var<'g>| window.pool1d(Pool1d::new(PoolOp::Max, window.shape()[0]));
        Ok(windows(x, self.output_size, largest)?)
    }
}

/// What `pool` makes of each of `count` windows. They overlap where `count` does not divide the time,
/// as in PyTorch: window i covers steps `i time / count`, rounded down, to `(i + 1) time / count`,
/// rounded up.
fn windows<'g>(
    x: Var<'g>,
    count: usize,
    pool: impl Fn(Var<'g>) -> Result<Var<'g>, GraphError>,
) -> Result<Var<'g>, GraphError> {
    let time = x.shape()[0];
    let window = |i: usize| pool(x.slice(0, i * time / count, ((i + 1) * time).div_ceil(count))?);
    Var::concat(&(0..count).map(window).collect::<Result<Vec<_>, _>>()?, 0)
}
