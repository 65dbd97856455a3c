//! Gaussian: the likelihood of numbers, by their mean and deviation.

use super::{Criterion, LEAST, Target, expect_not_negative, parts, positive};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::TAU;
use whimbrel_graph::Var;

/// The mean negative log likelihood of a normal distribution. Of targets `[.., channel, batch]` the
/// prediction is `[.., 2 channel, batch]`: the means, then numbers whose softplus plus `eps` is the
/// deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gaussian {
    /// The smallest deviation; none for 1e-6, in forecasts for a fifth of the scale of a window.
    pub eps: Option<f32>,
}

impl Criterion for Gaussian {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let eps = self.eps.unwrap_or(LEAST);
        expect_not_negative("gaussian", "eps", eps)?;
        let target = target.into();
        let parts = parts(prediction, &target, 2, "gaussian")?;
        let g = prediction.builder();
        let deviation = positive(parts[1], eps)?;
        let distance = target.counted()?.sub(parts[0])?.div(deviation)?;
        let errors = distance.square()?.mul(g.scalar(0.5))?.add(deviation.log()?)?;
        Ok(target.mean(errors.add(g.scalar(0.5 * TAU.ln()))?)?)
    }
}
