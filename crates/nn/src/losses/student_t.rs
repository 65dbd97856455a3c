//! StudentT: the likelihood of numbers that now and then lie far off.

use super::log_gamma::log_gamma;
use super::{Criterion, Target, expect_not_negative, parts, positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;
use whimbrel_graph::Var;

/// The mean negative log likelihood of Student's t distribution. Of targets `[.., channel, batch]` the
/// prediction is `[.., 3 channel, batch]`: the means, numbers whose softplus plus `eps` is the scale,
/// numbers whose softplus plus 2 is the degrees of freedom (so that the variance exists).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StudentT {
    /// The smallest scale.
    pub eps: f32,
}

impl Default for StudentT {
    fn default() -> StudentT {
        StudentT { eps: 1e-6 }
    }
}

impl Criterion for StudentT {
    /// With f degrees of freedom and `y = (target - mean) / scale`: `(f + 1) / 2 log(1 + y² / f) +
    /// log scale + log(f pi) / 2 + log gamma(f / 2) - log gamma((f + 1) / 2)`.
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        expect_not_negative("student_t", "eps", self.eps)?;
        let target = target.into();
        let parts = parts(prediction, &target, 3, "student_t")?;
        let g = prediction.builder();
        let half = |x: Var<'g>| x.mul(g.scalar(0.5));
        let scale = positive(parts[1], self.eps)?;
        let freedom = positive(parts[2], 2.0)?;
        let one_more = half(freedom.add(g.scalar(1.0))?)?;
        let distance = target.counted()?.sub(parts[0])?.div(scale)?;
        let tail = one_more.mul(distance.square()?.div(freedom)?.log1p()?)?;
        let norm = half(freedom.mul(g.scalar(PI))?.log()?)?.add(scale.log()?)?;
        let gammas = log_gamma(half(freedom)?)?.sub(log_gamma(one_more)?)?;
        Ok(target.mean(tail.add(norm)?.add(gammas)?)?)
    }
}
