//! RNN, LSTM and GRU: recurrent layers over the look-back, an MLP over the states of its last steps.

use super::decoder::Decoder;
use super::{Activation, Architecture, Window, expect_share};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{self, Forward, Linear, Nonlinearity};
use whimbrel_nn::{NnError, Scope};

/// Declares one of the three models: its cells and their number by default.
macro_rules! recurrent {
    ($(#[$doc:meta])* $name:ident, $cells:literal $(, $(#[$of:meta])* $field:ident: $ty:ty = $default:expr)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// Recurrent layers.
            pub encoder_n_layers: usize,
            /// Cells of each.
            pub encoder_hidden_size: usize,
            $($(#[$of])* pub $field: $ty,)?
            /// Whether the cells have biases.
            pub encoder_bias: bool,
            /// The share of states left out between layers while learning.
            pub encoder_dropout: f32,
            /// Units of the decoder's hidden layers.
            pub decoder_hidden_size: usize,
            /// Layers of the decoder, the last one included; 0 is as 2.
            pub decoder_layers: usize,
            /// The activation between them.
            pub decoder_activation: Activation,
        }

        impl Default for $name {
            fn default() -> $name {
                $name {
                    encoder_n_layers: 2,
                    encoder_hidden_size: $cells,
                    $($field: $default,)?
                    encoder_bias: true,
                    encoder_dropout: 0.0,
                    decoder_hidden_size: 128,
                    decoder_layers: 2,
                    decoder_activation: Activation::Relu,
                }
            }
        }

        impl Architecture for $name {
            fn forward<'g>(
                &self,
                window: &Window<'g>,
                scope: &Scope<'g>,
            ) -> Result<Var<'g>, NnError> {
                let model = stringify!($name).to_uppercase();
                expect_share(&model, "encoder_dropout", self.encoder_dropout)?;
                let states = self.cells().forward(window.channels()?, &scope.child("hist_encoder"))?;
                let decoder = Decoder {
                    hidden_size: self.decoder_hidden_size,
                    layers: self.decoder_layers,
                    activation: self.decoder_activation,
                };
                decoder.forward(ahead(states, window, scope)?, window, scope)
            }
        }
    };
}

recurrent! {
    /// Plain recurrent cells.
    Rnn, 128,
    /// What the cells do to their sums.
    encoder_activation: Nonlinearity = Nonlinearity::Tanh
}

recurrent! {
    /// LSTM cells.
    Lstm, 128
}

recurrent! {
    /// GRU cells.
    Gru, 200
}

impl Rnn {
    fn cells(&self) -> layers::Rnn {
        layers::Rnn {
            num_layers: self.encoder_n_layers,
            nonlinearity: self.encoder_activation,
            bias: self.encoder_bias,
            dropout: self.encoder_dropout,
            ..layers::Rnn::new(self.encoder_hidden_size)
        }
    }
}

impl Lstm {
    fn cells(&self) -> layers::Lstm {
        layers::Lstm {
            num_layers: self.encoder_n_layers,
            bias: self.encoder_bias,
            dropout: self.encoder_dropout,
            ..layers::Lstm::new(self.encoder_hidden_size)
        }
    }
}

impl Gru {
    fn cells(&self) -> layers::Gru {
        layers::Gru {
            num_layers: self.encoder_n_layers,
            bias: self.encoder_bias,
            dropout: self.encoder_dropout,
            ..layers::Gru::new(self.encoder_hidden_size)
        }
    }
}

/// A state for each step ahead: those of the last steps, or of all of them mapped to the horizon where
/// it is longer than the look-back.
fn ahead<'g>(states: Var<'g>, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
    let (time, horizon) = (window.input_size(), window.horizon);
    match time.checked_sub(horizon) {
        Some(first) => Ok(states.slice(0, first, time)?),
        None => over_time(states, horizon, &scope.child("upsample_sequence")),
    }
}

/// A dense layer over the steps of `[time, channels, batch]`, for every channel the same; the batch stays
/// an axis of its own, along which work is cut.
pub(super) fn over_time<'g>(
    states: Var<'g>,
    steps: usize,
    scope: &Scope<'g>,
) -> Result<Var<'g>, NnError> {
    let channels = states.permute(&[1, 0, 2])?;
    Ok(Linear::new(steps).forward(channels, scope)?.permute(&[1, 0, 2])?)
}
