//! KlDivergence: how far one distribution over classes is from another.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean over the items of `sum target (log target - prediction)` over the channels, where the
/// prediction is logarithms of probabilities, as [`LogSoftmax`](crate::layers::LogSoftmax) gives them.
/// PyTorch calls this mean `batchmean`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KlDivergence {
    /// Whether the target is logarithms too.
    pub log_target: bool,
}

impl Criterion for KlDivergence {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let values = target.like(prediction, "kl_divergence")?;
        let (share, log) = match self.log_target {
            true => (values.exp()?, values),
            // A share of 0 counts as 0, for which any finite logarithm will do.
            false => {
                let smallest = prediction.builder().scalar(f32::MIN_POSITIVE);
                (values, values.max(smallest)?.log()?)
            }
        };
        let axis = prediction.shape().rank().saturating_sub(2);
        let errors = share.mul(log.sub(prediction)?)?.sum_axes(&[axis])?;
        Ok(target.mean(errors)?)
    }
}
