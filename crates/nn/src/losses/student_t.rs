//! StudentT: the likelihood of numbers that now and then lie far off.

use super::log_gamma::log_gamma;
use super::{Criterion, LEAST, Target, expect_not_negative, parts, positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;
use whimbrel_graph::Var;

/// The mean negative log likelihood of Student's t distribution. Of targets `[.., channel, batch]` the
/// prediction is `[.., 3 channel, batch]`: numbers whose softplus plus [`LEAST_FREEDOM`](StudentT::LEAST_FREEDOM)
/// is the degrees of freedom, the means, numbers whose softplus plus `eps` is the scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StudentT {
    /// The smallest scale; none for 1e-6, in forecasts for a tenth of the scale of a window.
    pub eps: Option<f32>,
}

impl StudentT {
    /// The smallest degrees of freedom, NeuralForecast's: the variance exists.
    pub const LEAST_FREEDOM: f32 = 3.0;
}

impl Criterion for StudentT {
    /// With f degrees of freedom and `y = (target - mean) / scale`: `(f + 1) / 2 log(1 + y² / f) +
    /// log scale + log(f pi) / 2 + log gamma(f / 2) - log gamma((f + 1) / 2)`.
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let eps = self.eps.unwrap_or(LEAST);
        expect_not_negative("student_t", "eps", eps)?;
        let target = target.into();
        let parts = parts(prediction, &target, 3, "student_t")?;
        let g = prediction.builder();
        let half = |x: Var<'g>| x.mul(g.scalar(0.5));
        let freedom = positive(parts[0], StudentT::LEAST_FREEDOM)?;
        let scale = positive(parts[2], eps)?;
        let one_more = half(freedom.add(g.scalar(1.0))?)?;
        let distance = target.counted()?.sub(parts[1])?.div(scale)?;
        let tail = one_more.mul(distance.square()?.div(freedom)?.log1p()?)?;
        let norm = half(freedom.mul(g.scalar(PI))?.log()?)?.add(scale.log()?)?;
        let gammas = log_gamma(half(freedom)?)?.sub(log_gamma(one_more)?)?;
        Ok(target.mean(tail.add(norm)?.add(gammas)?)?)
    }
}
