//! BatchNorm1d: mean 0 and variance 1 of each channel over batch and time.

use super::{Forward, channel_axis, expect_channels, expect_not_negative};
use crate::{NnError, Phase, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::ops::BatchNorm;
use whimbrel_graph::{Init, Var};

/// Normalises each channel of `[.., channel, batch]`: by the statistics of the batch while
/// learning, by running ones while predicting.
///
/// Parameters: `weight` and `bias` `[num_features, 1]`. State: `running_mean`, `running_var`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BatchNorm1d {
    /// Channels; taken from what arrives unless given.
    pub num_features: Option<usize>,
    /// Added to the variance.
    pub eps: f32,
    /// The weight of the newest batch in the running statistics.
    pub momentum: f32,
    /// Whether a learned weight and bias follow.
    pub affine: bool,
}

impl Default for BatchNorm1d {
    fn default() -> BatchNorm1d {
        BatchNorm1d { num_features: None, eps: 1e-5, momentum: 0.1, affine: true }
    }
}

impl Forward for BatchNorm1d {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let axis = channel_axis(x, scope, "batch_norm1d")?;
        expect_not_negative(scope, "batch_norm1d", "eps", self.eps)?;
        if !(0.0..=1.0).contains(&self.momentum) {
            let (place, reason) = (scope.place("batch_norm1d"), "a share is from 0 to 1");
            return Err(NnError::setting(place, "momentum", self.momentum, reason));
        }
        let channels =
            expect_channels(x, scope, "batch_norm1d", "num_features", self.num_features)?;
        let (eps, momentum, suffix) = (self.eps, self.momentum, scope.statistics_suffix());
        let norm = BatchNorm { axis, eps, momentum, suffix };
        let (name, training) = (scope.name(), scope.phase() == Phase::Train);
        if !self.affine {
            return Ok(x.batch_norm(name, norm, training)?);
        }
        let weight = scope.parameter("weight", [channels, 1], Init::Constant(1.0))?;
        let bias = scope.parameter("bias", [channels, 1], Init::Zeros)?;
        Ok(x.batch_norm_affine(name, norm, training, [weight, bias])?)
    }
}
