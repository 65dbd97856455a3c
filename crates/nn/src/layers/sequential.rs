//! Sequential: layers one after another.

use super::{Forward, Layer};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Builder, GraphError, Type, Var};

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

    /// Of how many things its inputs name some, where they are indices instead of numbers: where it
    /// begins with an embedding.
    pub fn indices(&self) -> Option<usize> {
        self.layers.first()?.indices()
    }

    /// The input `x` of a graph for batches of rows of `features` inputs: f32, or i32 for indices.
    pub fn input<'g>(
        &self,
        g: &'g Builder,
        features: usize,
        batch: usize,
    ) -> Result<Var<'g>, GraphError> {
        match self.indices() {
            Some(_) => g.batch("x", Type::i32([features, batch])),
            None => g.batch("x", [features, batch]),
        }
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
