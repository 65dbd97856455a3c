//! MultiheadAttention: every step reads from other steps by likeness, in several ways at once.

use super::{Dropout, Forward, expect_channels, expect_positive, expect_small, sequence};
use crate::{NnError, Scope, init};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::ops::Attention;
use whimbrel_graph::{Builder, GraphError, Init, Var};

/// A score whose exponential is 0 beside any other, and which is finite: where all are left out, nothing
/// is divided by nothing.
const HIDDEN: f32 = -1e30;

/// Attention of the steps of `[time, embed_dim, batch]` to each other.
///
/// Parameters: `in_proj_weight` `[3 embed_dim, embed_dim]`, `in_proj_bias` `[3 embed_dim, 1]`, of
/// queries, keys and values one after another; `out_proj.weight`, `out_proj.bias`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MultiheadAttention {
    /// Channels; taken from what arrives unless given.
    #[serde(default)]
    pub embed_dim: Option<usize>,
    /// Heads, a divisor of the channels.
    pub num_heads: usize,
    /// Whether there are biases.
    #[serde(default = "super::yes")]
    pub bias: bool,
    /// Whether a step reads only from itself and earlier steps.
    #[serde(default)]
    pub is_causal: bool,
    /// The share of the weights of the mean that is left out while learning.
    // A default that is not written is not found by the schema.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = 0.0))]
    pub dropout: f32,
}

fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

impl MultiheadAttention {
    /// Attention with biases to all steps.
    pub fn new(num_heads: usize) -> MultiheadAttention {
        MultiheadAttention {
            embed_dim: None,
            num_heads,
            bias: true,
            is_causal: false,
            dropout: 0.0,
        }
    }

    /// Lets `query` `[time_q, channel, batch]` read `value` by likeness to `key`, both
    /// `[time_k, channel, batch]`. `additive` `[num_heads, time_q, time_k, batch or 1]` is added to the
    /// scores: -inf hides a step.
    pub fn attend<'g>(
        &self,
        [query, key, value]: [Var<'g>; 3],
        additive: Option<Var<'g>>,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        let channels = self.channels(query, scope)?;
        let projection = Projection::declare(channels, self.bias, scope)?;
        let parts = [query, key, value].into_iter().enumerate();
        let parts = parts.map(|(i, x)| projection.part(x, i..i + 1, channels));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        self.read([parts[0], parts[1], parts[2]], additive, scope)
    }

    fn channels<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<usize, NnError> {
        let kind = "multihead_attention";
        expect_positive(scope, kind, "num_heads", self.num_heads)?;
        sequence(x, scope, kind)?;
        let channels = expect_channels(x, scope, kind, "embed_dim", self.embed_dim)?;
        if !channels.is_multiple_of(self.num_heads) {
            let problem = format!("divides the channels among {} heads", self.num_heads);
            let remedy = "choose num_heads that divides them";
            return Err(scope.refuse(kind, problem, x, remedy));
        }
        Ok(channels)
    }

    /// From projected queries, keys and values to the result.
    fn read<'g>(
        &self,
        [query, key, value]: [Var<'g>; 3],
        additive: Option<Var<'g>>,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        let channels = query.shape()[1];
        let read = self.mean_of_values([query, key, value], additive, scope)?;
        let out = scope.child("out_proj");
        let weight =
            out.parameter("weight", [channels, channels], init::default_uniform(channels))?;
        let y = weight.dot(read)?;
        match self.bias {
            true => Ok(y.add(out.parameter("bias", [channels, 1], Init::Zeros)?)?),
            false => Ok(y),
        }
    }
}

impl MultiheadAttention {
    /// What each query reads, before the last projection.
    ///
    /// With dropout the weights p of a mean become `p m / (1 - dropout)`, m being 0 or 1. Attention that
    /// does not see what m leaves out has the weights `p m / sum p m`: multiplied by `sum p m`, its
    /// result is the mean sought.
    fn mean_of_values<'g>(
        &self,
        [query, key, value]: [Var<'g>; 3],
        additive: Option<Var<'g>>,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        let [queries, channels, batch] = sequence(query, scope, "multihead_attention")?;
        let attention = Attention::new(self.num_heads, channels / self.num_heads);
        let whole = query.attention(key, value, additive, attention)?;
        let dropout = Dropout { p: self.dropout };
        let Some(mask) = dropout.mask(whole.probs.shape(), &scope.child("dropout"))? else {
            return Ok(whole.out);
        };
        let g = query.builder();
        let hidden = g.scalar(1.0).sub(mask)?.mul(g.scalar(HIDDEN))?;
        let scores = additive.map_or(Ok(hidden), |additive| additive.add(hidden))?;
        let seen = query.attention(key, value, Some(scores), attention)?.out;
        let share = whole.probs.mul(mask)?.sum_axes(&[2])?.mul(g.scalar(dropout.scale()))?;
        // [heads, queries, 1, batch] beside the channels of each head.
        let share = share.permute(&[1, 0, 2, 3])?;
        let seen = seen.reshape([queries, self.num_heads, channels / self.num_heads, batch])?;
        Ok(seen.mul(share)?.reshape([queries, channels, batch])?)
    }
}

impl Forward for MultiheadAttention {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let channels = self.channels(x, scope)?;
        let projection = Projection::declare(channels, self.bias, scope)?;
        // All three read the same steps, so that one product makes them.
        let all = projection.part(x, 0..3, channels)?;
        let part = |i: usize| all.slice(1, i * channels, (i + 1) * channels);
        let time = x.shape()[0];
        if self.is_causal {
            expect_small(x, scope, "multihead_attention", &[self.num_heads, time, time])?;
        }
        let mask = self.is_causal.then(|| hide_later_steps(x.builder(), self.num_heads, time));
        self.read([part(0)?, part(1)?, part(2)?], mask, scope)
    }
}

/// The parameters that make queries, keys and values.
struct Projection<'g> {
    weight: Var<'g>,
    bias: Option<Var<'g>>,
}

impl<'g> Projection<'g> {
    fn declare(channels: usize, bias: bool, scope: &Scope<'g>) -> Result<Self, GraphError> {
        let init = init::xavier_uniform(channels, 3 * channels, 1.0);
        let weight = scope.parameter("in_proj_weight", [3 * channels, channels], init)?;
        let bias = bias.then(|| scope.parameter("in_proj_bias", [3 * channels, 1], Init::Zeros));
        Ok(Projection { weight, bias: bias.transpose()? })
    }

    /// Some of queries (0), keys (1) and values (2) of `x`.
    fn part(
        &self,
        x: Var<'g>,
        parts: std::ops::Range<usize>,
        channels: usize,
    ) -> Result<Var<'g>, GraphError> {
        let rows = |all: Var<'g>| match parts.len() {
            3 => Ok(all),
            _ => all.slice(0, parts.start * channels, parts.end * channels),
        };
        let y = rows(self.weight)?.dot(x)?;
        match self.bias {
            Some(bias) => y.add(rows(bias)?),
            None => Ok(y),
        }
    }
}

/// Scores `[heads, time, time, 1]` that hide later steps from earlier ones.
fn hide_later_steps(g: &Builder, heads: usize, time: usize) -> Var<'_> {
    let score = |at: usize| {
        let (query, key) = (at / time % time, at % time);
        if key > query { f32::NEG_INFINITY } else { 0.0 }
    };
    g.constant([heads, time, time, 1], (0..heads * time * time).map(score).collect())
}
