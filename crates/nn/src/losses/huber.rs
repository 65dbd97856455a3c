//! Huber: squared where errors are small, absolute where they are large.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `error² / 2` up to an error of `delta`, of `delta (|error| - delta / 2)` beyond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Huber {
    /// Where small ends.
    pub delta: f32,
}

impl Default for Huber {
    fn default() -> Huber {
        Huber { delta: 1.0 }
    }
}

impl Criterion for Huber {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        if !(self.delta.is_finite() && self.delta > 0.0) {
            let reason = "must be a number above 0";
            return Err(NnError::setting("loss huber", "delta", self.delta, reason));
        }
        let target = target.into();
        let g = prediction.builder();
        let delta = g.scalar(self.delta);
        let size = prediction.sub(target.like(prediction, "huber")?)?.abs()?;
        // The part within delta counts squared, the rest straight.
        let within = size.min(delta)?;
        let squared = within.square()?.mul(g.scalar(0.5))?;
        Ok(target.mean(squared.add(size.sub(within)?.mul(delta)?)?)?)
    }
}
