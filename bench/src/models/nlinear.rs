//! NLinear: one dense layer over the window relative to its last value.

use super::layers::linear;
use whimbrel_graph::{GraphError, Var};

/// NLinear has no sizes of its own.
#[derive(Clone, Copy, Debug)]
pub struct NLinear;

impl NLinear {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let input = x.shape()[0];
        let last = x.slice(0, input - 1, input)?;
        linear(x.sub(last)?, "linear", horizon)?.add(last)
    }
}
