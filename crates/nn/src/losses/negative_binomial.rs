//! NegativeBinomial: the likelihood of counts that scatter more than Poisson's.

use super::log_gamma::log_gamma;
use super::{Criterion, Target, expect_not_negative, parts, positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean negative log likelihood of a negative binomial distribution, the number of successes before
/// `total_count` failures. Of targets `[.., channel, batch]` the prediction is `[.., 2 channel, batch]`:
/// numbers whose softplus plus `eps` is `total_count`, then the logits of success.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NegativeBinomial {
    /// The smallest `total_count`.
    pub eps: f32,
}

impl Default for NegativeBinomial {
    fn default() -> NegativeBinomial {
        NegativeBinomial { eps: 1e-6 }
    }
}

impl Criterion for NegativeBinomial {
    /// With n failures and success s: `-n log(1 - s) - target log s + log gamma(target + 1) +
    /// log gamma(n) - log gamma(n + target)`.
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        expect_not_negative("negative_binomial", "eps", self.eps)?;
        let target = target.into();
        let parts = parts(prediction, &target, 2, "negative_binomial")?;
        let (failures, logits) = (positive(parts[0], self.eps)?, parts[1]);
        NegativeBinomial::loss_of(failures, logits, target)
    }
}

impl NegativeBinomial {
    /// The loss of known parameters, each of the shape of the target: `total_count`, above 0, and the
    /// logits of success.
    pub fn loss_of<'g>(
        failures: Var<'g>,
        logits: Var<'g>,
        target: Target<'g>,
    ) -> Result<Var<'g>, NnError> {
        let count = target.counted()?;
        // -log(1 - s) = softplus(logits), -log s = softplus(-logits).
        let of_failures = failures.mul(logits.softplus()?)?;
        let of_successes = count.mul(logits.neg()?.softplus()?)?;
        let orders = log_gamma(count.add(logits.builder().scalar(1.0))?)?
            .add(log_gamma(failures)?)?
            .sub(log_gamma(failures.add(count)?)?)?;
        Ok(target.mean(of_failures.add(of_successes)?.add(orders)?)?)
    }
}
