//! What a network looks like layer by layer.

use crate::layers::{Forward, Sequential};
use crate::{NnError, Scope};
use whimbrel_graph::Builder;

/// One layer of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSummary {
    /// Its kind, as files call it.
    pub kind: &'static str,
    /// The sizes of an item that leaves it.
    pub shape: Vec<usize>,
    /// Numbers it learns.
    pub parameters: usize,
}

/// The layers of a network for rows of `features` inputs, first to last.
pub fn summarise(network: &Sequential, features: usize) -> Result<Vec<LayerSummary>, NnError> {
    let g = Builder::new();
    let scope = Scope::predicting(&g);
    let mut x = network.input(&g, features, 1)?;
    let (mut lines, mut known) = (Vec::new(), 0);
    for (number, layer) in network.layers.iter().enumerate() {
        x = layer.forward(x, &scope.child(&number.to_string()))?;
        let all: usize = g.parameters().iter().map(|parameter| parameter.ty().numel()).sum();
        let shape = x.shape();
        let item = shape.split_last().map_or(&[][..], |(_, item)| item);
        lines.push(LayerSummary {
            kind: layer.kind(),
            shape: item.to_vec(),
            parameters: all - known,
        });
        known = all;
    }
    Ok(lines)
}
