//! A network as an ONNX file: `x` `[batch, features]` in, `prediction` `[batch, ..]` out, for any batch.
//!
//! Each layer becomes nodes of ONNX's own operations; start reading at `layers.rs`. Values have the batch
//! first, and after it the axes of an item as we have them: `[batch, time, channel]`. Weights keep
//! PyTorch's names. Indices of an embedding go in as 64-bit integers.

mod activations;
mod attention;
mod layers;
mod norms;
mod proto;
mod sequence;
mod shapes;
mod writer;

use super::Weight;
use crate::layers::Sequential;
use crate::trainer::MEANS;
use crate::{NnError, summarise};
use proto::Message;
use writer::{Item, Writer};

/// The version of the format, and that of the set of operations: the first with all we use.
const IR_VERSION: i64 = 9;
const OPSET: i64 = 20;

/// A network for rows of `features` inputs as the bytes of an ONNX file; missing inputs, NaN, count as
/// their `means`, where there are any.
///
/// # Errors
/// Layers that do not fit to the inputs or to each other, by their names; one without a form in ONNX.
pub fn onnx(
    network: &Sequential,
    features: usize,
    weights: Vec<Weight>,
    means: Option<&[f32]>,
) -> Result<Vec<u8>, NnError> {
    summarise(network, features)?;
    let mut writer = Writer::new(weights);
    let input = Item { name: "x".into(), shape: vec![features] };
    let filled = means.map_or(input.clone(), |means| fill_missing(&input, means, &mut writer));
    let output = layers::run(&network.layers, filled, "", &mut writer)?;
    let data_type = if network.indices().is_some() { writer::INT64 } else { writer::FLOAT };
    let graph = writer.finish("network", (&input, data_type), &output, "prediction");
    let operations = Message::default().text(1, "").int(2, OPSET);
    let model = Message::default()
        .int(1, IR_VERSION)
        .text(2, "whimbrel")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, operations);
    Ok(model.into_bytes())
}

/// Inputs with means in the place of what is missing.
fn fill_missing(x: &Item, means: &[f32], w: &mut Writer) -> Item {
    let means = w.tensor(MEANS, &[means.len()], means);
    let missing = w.node("IsNaN", &[&x.name], &[]);
    Item { name: w.node("Where", &[&missing, &means, &x.name], &[]), shape: x.shape.clone() }
}
