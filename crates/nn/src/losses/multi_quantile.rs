//! MultiQuantile: the quantile loss of several quantiles at once.

use super::quantile::{check, pinball};
use super::{Criterion, Target, parts};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of the [`Quantile`](super::Quantile) losses of several quantiles. Of targets
/// `[.., channel, batch]` the prediction is `[.., quantiles channel, batch]`: all channels of the first
/// quantile, then all of the second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MultiQuantile {
    /// The quantiles, each between 0 and 1.
    pub quantiles: Vec<f32>,
}

impl Default for MultiQuantile {
    fn default() -> MultiQuantile {
        MultiQuantile { quantiles: vec![0.1, 0.5, 0.9] }
    }
}

impl Criterion for MultiQuantile {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        if self.quantiles.is_empty() {
            let reason = "at least one is needed";
            return Err(NnError::setting("loss multi_quantile", "quantiles", "empty", reason));
        }
        for &q in &self.quantiles {
            check("multi_quantile", "quantiles", q)?;
        }
        let parts = parts(prediction, &target, self.quantiles.len(), "multi_quantile")?;
        let values = target.counted()?;
        let mut sum = prediction.builder().scalar(0.0).broadcast(values.shape())?;
        for (part, &q) in parts.into_iter().zip(&self.quantiles) {
            sum = sum.add(pinball(part, values, q)?)?;
        }
        let share = prediction.builder().scalar(1.0 / self.quantiles.len() as f32);
        Ok(target.mean(sum.mul(share)?)?)
    }
}
