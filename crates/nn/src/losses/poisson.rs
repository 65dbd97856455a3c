//! Poisson: the likelihood of counts, by their expected number.

use super::log_gamma::log_gamma;
use super::{Criterion, Target, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean negative log likelihood of counts under a Poisson distribution with the predicted rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Poisson {
    /// Whether the prediction is the logarithm of the rate, or the rate itself.
    pub log_input: bool,
    /// Whether to add what depends on the target only, `log(target!)`.
    pub full: bool,
    /// Added to a rate before its logarithm is taken.
    pub eps: f32,
}

impl Default for Poisson {
    fn default() -> Poisson {
        Poisson { log_input: true, full: false, eps: 1e-8 }
    }
}

impl Criterion for Poisson {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        expect_not_negative("poisson", "eps", self.eps)?;
        let target = target.into();
        let (g, count) = (prediction.builder(), target.like(prediction, "poisson")?);
        let mut errors = match self.log_input {
            true => prediction.exp()?.sub(count.mul(prediction)?)?,
            false => {
                let log = prediction.add(g.scalar(self.eps))?.log()?;
                prediction.sub(count.mul(log)?)?
            }
        };
        if self.full {
            errors = errors.add(log_gamma(count.add(g.scalar(1.0))?)?)?;
        }
        Ok(target.mean(errors)?)
    }
}
