//! Layers more than one model is built of, initialised as PyTorch does.

use whimbrel_graph::{GraphError, Init, Var};

/// A dense layer over channels: x `[.., inputs, batch]` to `[.., outputs, batch]`.
#[track_caller]
pub fn linear<'g>(x: Var<'g>, name: &str, outputs: usize) -> Result<Var<'g>, GraphError> {
    let shape = x.shape();
    let inputs = shape[shape.rank().saturating_sub(2)];
    let init = Init::Uniform { bound: bound(inputs) };
    let g = x.builder();
    let weight = g.parameter(&format!("{name}.weight"), [outputs, inputs], init)?;
    let bias = g.parameter(&format!("{name}.bias"), [outputs, 1], init)?;
    weight.dot(x)?.add(bias)
}

/// Half the width of PyTorch's uniform initialisation for sums over `fan_in` terms.
pub fn bound(fan_in: usize) -> f32 {
    1.0 / (fan_in.max(1) as f32).sqrt()
}

/// The MLP that reads a forecast off states `[horizon, channels, batch]`, step by step:
/// `[horizon, batch]`.
pub fn decoder<'g>(states: Var<'g>, hidden: usize) -> Result<Var<'g>, GraphError> {
    let (horizon, batch) = (states.shape()[0], states.shape()[2]);
    let y = linear(states, "mlp_decoder.layers.0", hidden)?.relu()?;
    // Activation and dropout count as layers in the names.
    linear(y, "mlp_decoder.layers.3", 1)?.reshape([horizon, batch])
}
