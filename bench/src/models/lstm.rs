//! LSTM: recurrent layers over the window, an MLP over the last states.

use super::layers::{bound, decoder};
use whimbrel_graph::{GraphError, Init, Var};

/// Sizes of the LSTM model.
#[derive(Clone, Copy, Debug)]
pub struct Lstm {
    /// Cells of each recurrent layer.
    pub hidden: usize,
    /// Recurrent layers.
    pub layers: usize,
    /// Units of the decoder's hidden layer.
    pub decoder: usize,
}

impl Default for Lstm {
    fn default() -> Lstm {
        Lstm { hidden: 128, layers: 2, decoder: 128 }
    }
}

impl Lstm {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`, at most as far as they reach back.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let (g, time, batch) = (x.builder(), x.shape()[0], x.shape()[1]);
        let (rows, init) = (4 * self.hidden, Init::Uniform { bound: bound(self.hidden) });
        let mut states = x.reshape([time, 1, batch])?;
        for layer in 0..self.layers {
            let parameter = |what: &str, columns: usize| {
                g.parameter(&format!("hist_encoder.{what}_l{layer}"), [rows, columns], init)
            };
            let w_ih = parameter("weight_ih", states.shape()[1])?;
            let w_hh = parameter("weight_hh", self.hidden)?;
            let bias = parameter("bias_ih", 1)?.add(parameter("bias_hh", 1)?)?;
            states = states.lstm(w_ih, w_hh, bias, None, None)?.hs;
        }
        decoder(states.slice(0, time - horizon, time)?, self.decoder)
    }
}
