//! A network as an ONNX file: `x` `[batch, features]` in, `prediction` `[batch, ..]` out, for any batch.
//!
//! Each layer becomes nodes of ONNX's own operations (`layers.rs`, `sequence.rs`, `attention.rs`). Values
//! have the batch first, and after it the axes of an item as we have them: `[batch, time, channel]`.
//! Weights keep PyTorch's names.

mod attention;
mod layers;
mod proto;
mod sequence;
mod writer;

use super::Weight;
use crate::NnError;
use crate::layers::Sequential;
use proto::Message;
use writer::{Item, Writer};

/// The version of the format, and that of the set of operations: the first with all we use.
const IR_VERSION: i64 = 9;
const OPSET: i64 = 20;

/// A network for rows of `features` inputs as the bytes of an ONNX file.
///
/// # Errors
/// A layer that has no form in ONNX, by its name.
pub fn onnx(
    network: &Sequential,
    features: usize,
    weights: Vec<Weight>,
) -> Result<Vec<u8>, NnError> {
    let mut writer = Writer::new(weights);
    let input = Item { name: "x".into(), shape: vec![features] };
    let output = layers::run(&network.layers, input.clone(), "", &mut writer)?;
    let graph = writer.finish("network", &input, &output, "prediction");
    let operations = Message::default().text(1, "").int(2, OPSET);
    let model = Message::default()
        .int(1, IR_VERSION)
        .text(2, "whimbrel")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, operations);
    Ok(model.into_bytes())
}
