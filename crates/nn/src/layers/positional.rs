//! PositionalEncoding and PositionalEmbedding: what tells attention which step is which.

use super::{Forward, expect_not_negative, expect_small, sequence};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{Init, Var};

/// Adds waves of different lengths to `[time, channel, batch]` (Vaswani et al., 2017): to channel
/// `2 i` of step t `sin(t / base^(2 i / channels))`, to channel `2 i + 1` the cosine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PositionalEncoding {
    /// The longest wave has `2 pi base` steps.
    pub base: f64,
}

impl Default for PositionalEncoding {
    fn default() -> PositionalEncoding {
        PositionalEncoding { base: 10_000.0 }
    }
}

/// Adds a learned vector for each step to `[time, channel, batch]`.
///
/// Parameters: `weight` `[time, channel]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PositionalEmbedding {
    /// The deviation of the vectors at the start.
    pub std: f32,
}

impl Default for PositionalEmbedding {
    fn default() -> PositionalEmbedding {
        PositionalEmbedding { std: 0.02 }
    }
}

impl PositionalEncoding {
    /// The waves `[time, channel]`.
    pub(crate) fn waves(&self, time: usize, channels: usize) -> Vec<f32> {
        let wave = |at: usize| {
            let (step, channel) = (at / channels, at % channels);
            let pair = (channel - channel % 2) as f64 / channels as f64;
            let angle = step as f64 / self.base.powf(pair);
            if channel % 2 == 0 { angle.sin() as f32 } else { angle.cos() as f32 }
        };
        (0..time * channels).map(wave).collect()
    }
}

impl Forward for PositionalEncoding {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let [time, channels, _] = sequence(x, scope, "positional_encoding")?;
        if !self.base.is_finite() || self.base <= 0.0 {
            let place = scope.place("positional_encoding");
            return Err(NnError::setting(place, "base", self.base, "must be a number above 0"));
        }
        expect_small(x, scope, "positional_encoding", &[time, channels])?;
        let waves = self.waves(time, channels);
        Ok(x.add(x.builder().constant([time, channels, 1], waves))?)
    }
}

impl Forward for PositionalEmbedding {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let [time, channels, _] = sequence(x, scope, "positional_embedding")?;
        expect_not_negative(scope, "positional_embedding", "std", self.std)?;
        let init = Init::Normal { std: self.std };
        let weight = scope.parameter("weight", [time, channels], init)?;
        Ok(x.add(weight.reshape([time, channels, 1])?)?)
    }
}
