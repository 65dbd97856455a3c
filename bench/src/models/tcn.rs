//! TCN: causal convolutions of growing reach, a dense layer over time, an MLP over channels.

use super::layers::{bound, decoder, linear};
use whimbrel_graph::ops::Conv1d;
use whimbrel_graph::{GraphError, Init, Var};

/// Sizes of the TCN.
#[derive(Clone, Debug)]
pub struct Tcn {
    /// Channels of each convolution.
    pub hidden: usize,
    /// Steps each convolution looks at.
    pub kernel: usize,
    /// Distances of those steps, one convolution each.
    pub dilations: Vec<usize>,
    /// Units of the decoder's hidden layer.
    pub decoder: usize,
}

impl Default for Tcn {
    fn default() -> Tcn {
        Tcn { hidden: 128, kernel: 2, dilations: vec![1, 2, 4, 8, 16], decoder: 128 }
    }
}

impl Tcn {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let (g, time, batch) = (x.builder(), x.shape()[0], x.shape()[1]);
        let mut y = x.reshape([time, 1, batch])?;
        for (layer, &dilation) in self.dilations.iter().enumerate() {
            let channels = y.shape()[1];
            let init = Init::Uniform { bound: bound(channels * self.kernel) };
            let name = format!("hist_encoder.tcn.{layer}.conv");
            let shape = [self.kernel, self.hidden, channels];
            let weight = g.parameter(&format!("{name}.weight"), shape, init)?;
            let bias = g.parameter(&format!("{name}.bias"), [self.hidden, 1], init)?;
            y = y.conv1d(weight, Conv1d::causal(self.kernel, dilation))?.add(bias)?.relu()?;
        }
        // A dense layer over time, for every channel the same; the batch stays an axis of its own.
        let context = linear(y.permute(&[1, 0, 2])?, "context_adapter", horizon)?;
        decoder(context.permute(&[1, 0, 2])?, self.decoder)
    }
}
