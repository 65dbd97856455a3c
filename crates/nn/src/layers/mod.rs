//! The layers, one file each: a struct of settings that writes itself into a graph.
//!
//! Adding one: a file here with a struct that implements [`Forward`], one line in `layers!`, a case
//! in `tests/golden/layers.py`. `linear.rs` is the one to imitate.

mod activations;
mod adaptive_pool1d;
mod batch_norm1d;
mod conv1d;
mod dropout;
mod embedding;
mod gru;
mod last_step;
mod layer_norm;
mod linear;
mod lstm;
mod multihead_attention;
mod parallel;
mod pool1d;
mod positional;
mod recurrent;
mod residual;
mod rms_norm;
mod rnn;
mod sequential;
mod shape;

pub use activations::*;
pub use adaptive_pool1d::{AdaptiveAvgPool1d, AdaptiveMaxPool1d};
pub use batch_norm1d::BatchNorm1d;
pub use conv1d::{Conv1d, Padding, PaddingRule};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use gru::Gru;
pub use last_step::LastStep;
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use lstm::Lstm;
pub use multihead_attention::MultiheadAttention;
pub use parallel::{Merge, Parallel};
pub use pool1d::{AvgPool1d, MaxPool1d};
pub use positional::{PositionalEmbedding, PositionalEncoding};
pub use residual::Residual;
pub use rms_norm::RmsNorm;
pub use rnn::{Nonlinearity, Rnn};
pub use sequential::Sequential;
pub use shape::{Flatten, Reshape, Transpose};

use crate::{NnError, Scope};
use schemars::JsonSchema;
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
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Convolution over time.
    Conv1d = "conv1d",
    /// The largest of windows over time.
    MaxPool1d = "max_pool1d",
    /// The mean of windows over time.
    AvgPool1d = "avg_pool1d",
    /// The largest of a given number of windows.
    AdaptiveMaxPool1d = "adaptive_max_pool1d",
    /// The mean of a given number of windows.
    AdaptiveAvgPool1d = "adaptive_avg_pool1d",
    /// Each channel normalised over batch and time.
    BatchNorm1d = "batch_norm1d",
    /// The channels of each step normalised.
    LayerNorm = "layer_norm",
    /// The channels of each step scaled to mean square 1.
    RmsNorm = "rms_norm",
    /// Elements left out at random.
    Dropout = "dropout",
    /// Learned vectors by index.
    Embedding = "embedding",
    /// Plain recurrent cells.
    Rnn = "rnn",
    /// LSTM cells.
    Lstm = "lstm",
    /// GRU cells.
    Gru = "gru",
    /// Attention of the steps to each other.
    MultiheadAttention = "multihead_attention",
    /// Waves added to each step.
    PositionalEncoding = "positional_encoding",
    /// Learned vectors added to each step.
    PositionalEmbedding = "positional_embedding",
    /// Layers one after another.
    Sequential = "sequential",
    /// Layers with a way around them.
    Residual = "residual",
    /// Branches side by side.
    Parallel = "parallel",
    /// All axes of an item as one.
    Flatten = "flatten",
    /// Another shape for each item.
    Reshape = "reshape",
    /// Time and channels exchanged.
    Transpose = "transpose",
    /// The last step of a sequence.
    LastStep = "last_step",
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

impl Layer {
    /// Of how many things its input names some, where it takes indices instead of numbers.
    pub fn indices(&self) -> Option<usize> {
        match self {
            Layer::Embedding(embedding) => Some(embedding.num_embeddings),
            Layer::Sequential(inner) => inner.indices(),
            // All branches read the same indices: the smallest table bounds them.
            Layer::Parallel(parallel) => {
                let branches = parallel.branches.iter();
                let all: Option<Vec<usize>> = branches.map(|b| b.first()?.indices()).collect();
                all?.into_iter().min()
            }
            _ => None,
        }
    }
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

/// The sizes time, channels and batch of a sequence.
pub(crate) fn sequence<'g>(
    x: Var<'g>,
    scope: &Scope<'g>,
    kind: &str,
) -> Result<[usize; 3], NnError> {
    let problem = "needs a sequence [time, channel, batch]";
    let remedy = "reshape the value that reaches it";
    x.shape()[..].try_into().map_err(|_| scope.refuse(kind, problem, x, remedy))
}

/// The most numbers a layer writes into a graph as a constant.
const LARGEST_CONSTANT: usize = 1 << 27;

/// Refuses a constant of more numbers than fit into memory with ease.
pub(crate) fn expect_small<'g>(
    x: Var<'g>,
    scope: &Scope<'g>,
    kind: &str,
    sizes: &[usize],
) -> Result<(), NnError> {
    let count = sizes.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    match count.is_some_and(|count| count <= LARGEST_CONSTANT) {
        true => Ok(()),
        false => {
            let problem = format!("keeps a table of {sizes:?} numbers, which is too large");
            Err(scope.refuse(kind, problem, x, "let a shorter sequence reach it"))
        }
    }
}

/// Refuses more parts than any network has: each becomes nodes of the graph.
pub(crate) fn expect_few(
    scope: &Scope,
    kind: &str,
    field: &'static str,
    value: usize,
) -> Result<(), NnError> {
    match value {
        0..=4096 => Ok(()),
        _ => Err(NnError::setting(scope.place(kind), field, value, "must be at most 4096")),
    }
}

/// Refuses a size of 0.
pub(crate) fn expect_positive(
    scope: &Scope,
    kind: &str,
    field: &'static str,
    value: usize,
) -> Result<(), NnError> {
    NnError::unless(value > 0, || scope.place(kind), field, value, "at least 1")
}

/// Refuses a number that is negative or not finite.
pub(crate) fn expect_not_negative(
    scope: &Scope,
    kind: &str,
    field: &'static str,
    value: impl Into<f64>,
) -> Result<(), NnError> {
    let value = value.into();
    let fits = value.is_finite() && value >= 0.0;
    NnError::unless(fits, || scope.place(kind), field, value, "a number not below 0")
}

/// Refuses windows over more steps than a sequence has; `padding` are all those added to it.
pub(crate) fn expect_windows<'g>(
    x: Var<'g>,
    scope: &Scope<'g>,
    kind: &str,
    window: usize,
    padding: usize,
) -> Result<(), NnError> {
    let [time, ..] = sequence(x, scope, kind)?;
    let steps = time.saturating_add(padding);
    match window <= steps {
        true => Ok(()),
        false => {
            let problem =
                format!("looks at {window} steps at once, and there are {steps} with padding");
            let remedy = "choose a smaller kernel_size or dilation, or more padding";
            Err(scope.refuse(kind, problem, x, remedy))
        }
    }
}

/// For sizes that are 1 unless given.
pub(crate) fn one() -> usize {
    1
}

/// For settings that are on unless switched off.
pub(crate) fn yes() -> bool {
    true
}
