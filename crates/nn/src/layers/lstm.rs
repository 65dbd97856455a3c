//! Lstm: cells that decide what to keep.

use super::Forward;
use super::recurrent::Stack;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// LSTM cells over a sequence: `[time, input_size, batch]` to the states of the last layer,
/// `[time, hidden_size, batch]`, twice as many channels if `bidirectional`. States start at 0.
///
/// Parameters of layer 0: `weight_ih_l0` `[4 hidden_size, input_size]`, `weight_hh_l0`
/// `[4 hidden_size, hidden_size]`, `bias_ih_l0`, `bias_hh_l0`; of the way back the same with
/// `_reverse` at the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lstm {
    /// Channels in; taken from what arrives unless given.
    #[serde(default)]
    pub input_size: Option<usize>,
    /// Cells of a layer.
    pub hidden_size: usize,
    /// Layers, each reading the states of the one before.
    #[serde(default = "super::one")]
    pub num_layers: usize,
    /// Whether there are biases.
    #[serde(default = "super::yes")]
    pub bias: bool,
    /// The share of states left out between layers while learning.
    #[serde(default)]
    pub dropout: f32,
    /// Whether to read the sequence from its end too.
    #[serde(default)]
    pub bidirectional: bool,
}

impl Lstm {
    /// One layer, read forward.
    pub fn new(hidden_size: usize) -> Lstm {
        Lstm {
            input_size: None,
            hidden_size,
            num_layers: 1,
            bias: true,
            dropout: 0.0,
            bidirectional: false,
        }
    }
}

impl Forward for Lstm {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let stack = Stack {
            kind: "lstm",
            gates: 4,
            input_size: self.input_size,
            hidden_size: self.hidden_size,
            num_layers: self.num_layers,
            bias: self.bias,
            dropout: self.dropout,
            bidirectional: self.bidirectional,
        };
        stack.forward(x, scope, |x, w| {
            Ok(x.lstm(w.w_ih, w.w_hh, w.b_ih.add(w.b_hh)?, None, None)?.hs)
        })
    }
}
