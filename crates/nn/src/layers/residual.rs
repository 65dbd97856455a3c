//! Residual: what layers make of a value, added to the value itself.

use super::{Forward, Layer, Sequential};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// `x + layers(x)`. The layers are named by their position from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// The layers, first to last; they keep the shape.
    pub layers: Vec<Layer>,
}

impl Residual {
    /// The layers of a sequence with a way around them.
    pub fn around(sequence: Sequential) -> Residual {
        Residual { layers: sequence.layers }
    }
}

impl Forward for Residual {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let y = super::sequential::run(&self.layers, x, scope)?;
        if y.shape() != x.shape() {
            let problem = format!("adds its input {} to what its layers make", x.ty());
            let remedy = "let the last of its layers give the shape of the input";
            return Err(scope.refuse("residual", problem, y, remedy));
        }
        Ok(x.add(y)?)
    }
}
