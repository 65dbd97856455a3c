//! Quantile: the loss whose best prediction is a quantile.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};

/// The mean of `q error` where the prediction is too low by `error`, of `(1 - q) error` where it is too
/// high; also called pinball loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quantile {
    /// The share of targets that is to lie below the prediction.
    pub q: f32,
}

impl Default for Quantile {
    fn default() -> Quantile {
        Quantile { q: 0.5 }
    }
}

impl Criterion for Quantile {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        check("quantile", "q", self.q)?;
        let target = target.into();
        let errors = pinball(prediction, target.like(prediction, "quantile")?, self.q)?;
        Ok(target.mean(errors)?)
    }
}

/// Refuses a share outside 0 to 1.
pub(super) fn check(loss: &str, field: &'static str, q: f32) -> Result<(), NnError> {
    match q > 0.0 && q < 1.0 {
        true => Ok(()),
        false => {
            let reason = "a quantile lies between 0 and 1";
            Err(NnError::setting(format!("loss {loss}"), field, q, reason))
        }
    }
}

/// The error of each element as a prediction of quantile `q`.
pub(super) fn pinball<'g>(
    prediction: Var<'g>,
    target: Var<'g>,
    q: f32,
) -> Result<Var<'g>, GraphError> {
    let g = prediction.builder();
    let too_low = target.sub(prediction)?;
    too_low.mul(g.scalar(q))?.max(too_low.mul(g.scalar(q - 1.0))?)
}
