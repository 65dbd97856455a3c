//! PatchTST: a transformer whose tokens are overlapping patches of the window.
//!
//! The window is normalised by its own last value and deviation, cut into patches, encoded by
//! attention layers that add up their scores from layer to layer, and projected to the horizon.

use whimbrel_graph::ops::{Attention, BatchNorm};
use whimbrel_graph::{GraphError, Init, Var};
use whimbrel_nn::layers::{Forward, Linear};
use whimbrel_nn::{NnError, Phase, Scope};

/// Added to the variance of a window.
const EPS: f32 = 1e-5;

/// Sizes of PatchTST.
#[derive(Clone, Copy, Debug)]
pub struct PatchTst {
    /// Channels of a token.
    pub hidden: usize,
    /// Encoder layers.
    pub layers: usize,
    /// Heads of the attention, a divisor of `hidden`.
    pub heads: usize,
    /// Units of the feed-forward layer.
    pub feed_forward: usize,
    /// Values in a patch.
    pub patch: usize,
    /// Values from one patch to the next.
    pub stride: usize,
    /// The share dropped while learning.
    pub dropout: f32,
}

impl Default for PatchTst {
    fn default() -> PatchTst {
        PatchTst {
            hidden: 128,
            layers: 3,
            heads: 16,
            feed_forward: 256,
            patch: 16,
            stride: 8,
            dropout: 0.2,
        }
    }
}

impl PatchTst {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(
        &self,
        x: Var<'g>,
        scope: &Scope<'g>,
        horizon: usize,
    ) -> Result<Var<'g>, NnError> {
        let (g, input, batch) = (x.builder(), x.shape()[0], x.shape()[1]);
        let last = x.slice(0, input - 1, input)?;
        let variance = x.sub(x.mean_axes(&[0])?)?.square()?.mean_axes(&[0])?;
        let deviation = variance.add(g.scalar(EPS))?.sqrt()?;
        let patches = self.patches(x.sub(last)?.div(deviation)?)?;

        let tokens = patches.shape()[0];
        let shape = [tokens, self.hidden];
        let init = Init::Uniform { bound: 0.02 };
        let position = scope.parameter("model.backbone.W_pos", shape, init)?;
        let position = position.reshape([tokens, self.hidden, 1])?;
        let projected = linear(patches, &scope.child("model.backbone.W_P"), self.hidden)?;
        let mut y = self.drop(projected.add(position)?, scope)?;
        let mut scores = None;
        for layer in 0..self.layers {
            let place = scope.child(&format!("model.backbone.encoder.layers.{layer}"));
            let attended;
            (attended, scores) = self.attend(y, &place, scores)?;
            y = norm(y.add(attended)?, &place.child("norm_attn.1"))?;
            let hidden = linear(y, &place.child("ff.0"), self.feed_forward)?.gelu()?;
            let fed = linear(self.drop(hidden, scope)?, &place.child("ff.3"), self.hidden)?;
            let fed = self.drop(fed, scope)?;
            y = norm(y.add(fed)?, &place.child("norm_ffn.1"))?;
        }
        // Channel by channel, the tokens of each side by side.
        let flat = y.permute(&[1, 0, 2])?.reshape([self.hidden * tokens, batch])?;
        Ok(linear(flat, &scope.child("model.head.linear"), horizon)?.mul(deviation)?.add(last)?)
    }

    /// Patches `[tokens, patch, batch]` of the window, its last value repeated for one stride.
    fn patches<'g>(&self, x: Var<'g>) -> Result<Var<'g>, GraphError> {
        let (input, batch) = (x.shape()[0], x.shape()[1]);
        let end = x.slice(0, input - 1, input)?.broadcast([self.stride, batch])?;
        let padded = Var::concat(&[x, end], 0)?;
        let tokens = (input - self.patch) / self.stride + 2;
        let patch = |token: usize| {
            let start = token * self.stride;
            padded.slice(0, start, start + self.patch)?.reshape([1, self.patch, batch])
        };
        let patches = (0..tokens).map(patch).collect::<Result<Vec<_>, _>>()?;
        Var::concat(&patches, 0)
    }

    /// Attention of the tokens to each other, and its scores for the next layer.
    fn attend<'g>(
        &self,
        x: Var<'g>,
        scope: &Scope<'g>,
        scores: Option<Var<'g>>,
    ) -> Result<(Var<'g>, Option<Var<'g>>), NnError> {
        let project =
            |what: &str| linear(x, &scope.child(&format!("self_attn.{what}")), self.hidden);
        let (q, k, v) = (project("W_Q")?, project("W_K")?, project("W_V")?);
        let attention = Attention::new(self.heads, self.hidden / self.heads);
        let attention = Attention { return_scores: true, ..attention };
        let read = q.attention(k, v, scores, attention)?;
        let out = linear(read.out, &scope.child("self_attn.to_out.0"), self.hidden)?;
        // Once as the end of the attention, once as the residual's own.
        Ok((self.drop(self.drop(out, scope)?, scope)?, read.scores))
    }

    fn drop<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, GraphError> {
        match (scope.phase(), scope.random()) {
            (Phase::Train, Some(random)) => x.dropout(self.dropout, random),
            _ => Ok(x),
        }
    }
}

/// A dense layer over channels.
fn linear<'g>(x: Var<'g>, scope: &Scope<'g>, outputs: usize) -> Result<Var<'g>, NnError> {
    Linear::new(outputs).forward(x, scope)
}

/// Batch norm of the channels of tokens `[tokens, channels, batch]`, then a weight and a bias.
fn norm<'g>(x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
    let channels = x.shape()[1];
    let training = scope.phase() == Phase::Train;
    let weight = scope.parameter("weight", [channels, 1], Init::Constant(1.0))?;
    let bias = scope.parameter("bias", [channels, 1], Init::Zeros)?;
    Ok(x.batch_norm_affine(scope.name(), BatchNorm::new(1), training, [weight, bias])?)
}
