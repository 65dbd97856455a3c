//! The activations a model can be given, by PyTorch's names.

use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Forward, LeakyRelu, Relu, Selu, Sigmoid, Softplus, Tanh};
use whimbrel_nn::{NnError, Scope};

/// An activation between dense layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activation {
    /// max(x, 0).
    #[default]
    #[serde(rename = "ReLU")]
    Relu,
    /// A smooth ReLU.
    Softplus,
    /// Hyperbolic tangent.
    Tanh,
    /// The self-normalising exponential unit.
    #[serde(rename = "SELU")]
    Selu,
    /// A gentle slope below 0.
    #[serde(rename = "LeakyReLU")]
    LeakyRelu,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
}

impl Activation {
    /// Writes it into the graph of `x`.
    pub(super) fn forward<'g>(self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        match self {
            Activation::Relu => Relu.forward(x, scope),
            Activation::Softplus => Softplus::default().forward(x, scope),
            Activation::Tanh => Tanh.forward(x, scope),
            Activation::Selu => Selu.forward(x, scope),
            Activation::LeakyRelu => LeakyRelu::default().forward(x, scope),
            Activation::Sigmoid => Sigmoid.forward(x, scope),
        }
    }
}
