//! Clip: gradients kept within bounds before the rule sees them.

use super::expect_positive;
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};

/// The bound of a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Clip {
    /// All gradients together are scaled down to this Euclidean length where they are longer.
    Norm(f64),
    /// Each element is kept between plus and minus this number.
    Value(f64),
}

impl Clip {
    pub(super) fn check(&self) -> Result<(), NnError> {
        match *self {
            Clip::Norm(bound) => expect_positive("clip", "norm", bound),
            Clip::Value(bound) => expect_positive("clip", "value", bound),
        }
    }

    /// The gradients within the bound.
    pub(super) fn apply<'g>(&self, gradients: &[Var<'g>]) -> Result<Vec<Var<'g>>, GraphError> {
        let Some(&first) = gradients.first() else { return Ok(Vec::new()) };
        let g = first.builder();
        match *self {
            Clip::Value(bound) => {
                let (low, high) = (g.scalar(-bound as f32), g.scalar(bound as f32));
                gradients.iter().map(|gradient| gradient.max(low)?.min(high)).collect()
            }
            Clip::Norm(bound) => {
                let length = length(gradients)?;
                // As in PyTorch: never scaled up, and a length of 0 divides nothing by 0.
                let scale = g.scalar(bound as f32).div(length.add(g.scalar(1e-6))?)?;
                let scale = scale.min(g.scalar(1.0))?;
                gradients.iter().map(|gradient| gradient.mul(scale)).collect()
            }
        }
    }
}

/// The Euclidean length of all gradients together.
fn length<'g>(gradients: &[Var<'g>]) -> Result<Var<'g>, GraphError> {
    let g = gradients[0].builder();
    let add = |sum: Var<'g>, gradient: &Var<'g>| sum.add(gradient.square()?.sum()?);
    gradients.iter().try_fold(g.scalar(0.0), add)?.sqrt()
}
