//! The layers, one file each: a struct of settings that writes itself into a graph.
//!
//! Adding one: a file here with a struct that implements [`Forward`], one line in `layers!`, a case
//! in `tests/golden/make.py`. `linear.rs` is the one to imitate.

mod activations;
mod linear;
mod sequential;

pub use activations::*;
pub use linear::Linear;
pub use sequential::Sequential;

use crate::{NnError, Scope};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// What every layer can do.
pub trait Forward {
    /// Writes the layer into the graph of `x`, its parameters under the name of `scope`.
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError>;
}

/// Declares [`Layer`] and its dispatch.
macro_rules! layers {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        /// Any layer with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub enum Layer {
            $($(#[$doc])* #[serde(rename = $kind)] $name($name),)*
        }

        impl Layer {
            /// Its kind, as files call it.
            pub fn kind(&self) -> &'static str {
                match self { $(Layer::$name(_) => $kind,)* }
            }
        }

        impl Forward for Layer {
            fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
                let made = match self { $(Layer::$name(layer) => layer.forward(x, scope),)* };
                made.map_err(|error| error.at(|| scope.place(self.kind())))
            }
        }

        $(impl From<$name> for Layer {
            fn from(layer: $name) -> Layer {
                Layer::$name(layer)
            }
        })*
    };
}

layers! {
    /// A dense layer.
    Linear = "linear",
    /// Layers one after another.
    Sequential = "sequential",
    /// max(x, 0).
    Relu = "relu",
    /// min(max(x, 0), 6).
    Relu6 = "relu6",
    /// A gentle slope below 0.
    LeakyRelu = "leaky_relu",
    /// A learned slope below 0.
    Prelu = "prelu",
    /// Exponential below 0.
    Elu = "elu",
    /// Exponential below 0, smooth for every width.
    Celu = "celu",
    /// The self-normalising exponential unit.
    Selu = "selu",
    /// x times the normal distribution function of x.
    Gelu = "gelu",
    /// x sigmoid(x).
    Silu = "silu",
    /// x tanh(softplus(x)).
    Mish = "mish",
    /// A smooth ReLU.
    Softplus = "softplus",
    /// x / (1 + |x|).
    Softsign = "softsign",
    /// Hyperbolic tangent.
    Tanh = "tanh",
    /// x - tanh(x).
    Tanhshrink = "tanhshrink",
    /// min(max(x, -1), 1).
    Hardtanh = "hardtanh",
    /// 1 / (1 + exp(-x)).
    Sigmoid = "sigmoid",
    /// log(sigmoid(x)).
    LogSigmoid = "log_sigmoid",
    /// A sigmoid of straight lines.
    Hardsigmoid = "hardsigmoid",
    /// x hardsigmoid(x).
    Hardswish = "hardswish",
    /// One half of the channels, gated by the other.
    Glu = "glu",
    /// Shares of the channels.
    Softmax = "softmax",
    /// Their logarithms.
    LogSoftmax = "log_softmax",
}

/// The axis of the channels, the last but one: features are `[channel, batch]`, sequences
/// `[time, channel, batch]`.
pub(crate) fn channel_axis<'g>(
    x: Var<'g>,
    scope: &Scope<'g>,
    kind: &str,
) -> Result<usize, NnError> {
    let problem = "needs channels before the batch, as in [channel, batch]";
    let remedy = "reshape the value that reaches it";
    x.shape().rank().checked_sub(2).ok_or_else(|| scope.refuse(kind, problem, x, remedy))
}

/// Checks a number of channels that was given against those that arrive.
pub(crate) fn expect_channels<'g>(
    x: Var<'g>,
    scope: &Scope<'g>,
    kind: &str,
    field: &str,
    expected: Option<usize>,
) -> Result<usize, NnError> {
    let channels = x.shape()[channel_axis(x, scope, kind)?];
    match expected {
        Some(expected) if expected != channels => {
            let problem = format!("expects {expected} channels ({field})");
            let remedy = format!("set {field} to {channels}, or leave it out");
            Err(scope.refuse(kind, problem, x, remedy))
        }
        _ => Ok(channels),
    }
}

/// For settings that are on unless switched off.
pub(crate) fn yes() -> bool {
    true
}
