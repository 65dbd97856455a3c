//! MLP: dense layers with ReLU over the flattened window.

use super::layers::linear;
use whimbrel_graph::{GraphError, Var};

/// Sizes of an MLP.
#[derive(Clone, Copy, Debug)]
pub struct Mlp {
    /// Units of each hidden layer.
    pub hidden: usize,
    /// Hidden layers.
    pub layers: usize,
}

impl Default for Mlp {
    fn default() -> Mlp {
        Mlp { hidden: 1024, layers: 2 }
    }
}

impl Mlp {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let mut y = x;
        for layer in 0..self.layers {
            y = linear(y, &format!("mlp.{layer}"), self.hidden)?.relu()?;
        }
        linear(y, "out", horizon)
    }
}
