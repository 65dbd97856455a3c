//! MLP: dense layers with ReLU over all that is known of a window.

use super::{Architecture, Window};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Forward, Linear};
use whimbrel_nn::{NnError, Scope};

/// MLP and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mlp {
    /// Hidden layers.
    pub num_layers: usize,
    /// Units of each.
    pub hidden_size: usize,
}

impl Default for Mlp {
    fn default() -> Mlp {
        Mlp { num_layers: 2, hidden_size: 1024 }
    }
}

impl Architecture for Mlp {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let mut y = window.flat()?;
        for layer in 0..self.num_layers {
            let place = scope.child(&format!("mlp.{layer}"));
            y = Linear::new(self.hidden_size).forward(y, &place)?.relu()?;
        }
        let out = Linear::new(window.horizon * window.outputs);
        Ok(window.forecast(out.forward(y, &scope.child("out"))?)?)
    }
}
