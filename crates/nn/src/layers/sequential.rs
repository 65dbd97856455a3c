//! Sequential: layers one after another.

use super::{Forward, Layer};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// Layers one after another, named by their position from 0 as in PyTorch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sequential {
    /// The layers, first to last.
    pub layers: Vec<Layer>,
}

impl Sequential {
    /// No layers yet: what comes in goes out.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// One more layer at the end.
    pub fn then(mut self, layer: impl Into<Layer>) -> Sequential {
        self.layers.push(layer.into());
        self
    }
}

impl Forward for Sequential {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        run(&self.layers, x, scope)
    }
}

/// Layers one after another, named by their position.
pub(super) fn run<'g>(layers: &[Layer], x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
    let mut numbered = layers.iter().enumerate();
    numbered.try_fold(x, |x, (i, layer)| layer.forward(x, &scope.child(&i.to_string())))
}
