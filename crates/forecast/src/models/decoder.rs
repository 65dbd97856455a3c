//! The decoder of the recurrent and convolutional models: an MLP over the state of each step ahead.

use super::{Activation, Window};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Forward, Linear};
use whimbrel_nn::{NnError, Scope};

/// An MLP from states `[horizon, channels, batch]` to forecasts `[horizon, outputs, batch]`.
pub(super) struct Decoder {
    pub hidden_size: usize,
    /// The last one included; none is as two, as in NeuralForecast.
    pub layers: usize,
    pub activation: Activation,
}

impl Decoder {
    /// Reads a forecast off the states and what is known of the steps ahead.
    pub(super) fn forward<'g>(
        &self,
        states: Var<'g>,
        window: &Window<'g>,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        let scope = scope.child("mlp_decoder.layers");
        let mut y = window.with_future(states)?;
        // Activation and dropout count as layers in the names.
        let name = |layer: usize| scope.child(&(3 * layer).to_string());
        let last = if self.layers == 0 { 1 } else { self.layers - 1 };
        for layer in 0..last {
            y = Linear::new(self.hidden_size).forward(y, &name(layer))?;
            y = self.activation.forward(y, &scope)?;
        }
        Linear::new(window.outputs).forward(y, &name(last))
    }
}
