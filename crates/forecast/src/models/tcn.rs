//! TCN: causal convolutions of growing reach, a dense layer over time, an MLP over channels.

use super::decoder::Decoder;
use super::recurrent::over_time;
use super::{Activation, Architecture, Window};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Conv1d, Forward, Padding, PaddingRule};
use whimbrel_nn::{NnError, Scope};

/// TCN and its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tcn {
    /// Steps each convolution looks at.
    pub kernel_size: usize,
    /// Distances of those steps, one convolution each.
    pub dilations: Vec<usize>,
    /// Channels of each convolution.
    pub encoder_hidden_size: usize,
    /// The activation after each convolution.
    pub encoder_activation: Activation,
    /// Units of the decoder's hidden layers.
    pub decoder_hidden_size: usize,
    /// Layers of the decoder, the last one included; 0 is as 2.
    pub decoder_layers: usize,
    /// The activation between them.
    pub decoder_activation: Activation,
}

impl Default for Tcn {
    fn default() -> Tcn {
        Tcn {
            kernel_size: 2,
            dilations: vec![1, 2, 4, 8, 16],
            encoder_hidden_size: 128,
            encoder_activation: Activation::Relu,
            decoder_hidden_size: 128,
            decoder_layers: 2,
            decoder_activation: Activation::Relu,
        }
    }
}

impl Architecture for Tcn {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let mut y = window.channels()?;
        for (layer, &dilation) in self.dilations.iter().enumerate() {
            let conv = Conv1d {
                dilation,
                padding: Padding::Named(PaddingRule::Causal),
                ..Conv1d::new(self.encoder_hidden_size, self.kernel_size)
            };
            y = conv.forward(y, &scope.child(&format!("hist_encoder.tcn.{layer}.conv")))?;
            y = self.encoder_activation.forward(y, scope)?;
        }
        let context = over_time(y, window.horizon, &scope.child("context_adapter"))?;
        let decoder = Decoder {
            hidden_size: self.decoder_hidden_size,
            layers: self.decoder_layers,
            activation: self.decoder_activation,
        };
        decoder.forward(context, window, scope)
    }
}
