//! Layers as nodes of ONNX: one arm for each, containers and the layers that only read a weight.

use super::activations::activate;
use super::attention::attention;
use super::norms::{batch_norm, layer_norm, rms_norm};
use super::sequence::{adaptive_pool, avg_pool, convolution, max_pool, recurrent};
use super::shapes::{flatten, last_step, reshaped, transpose, turned};
use super::writer::{Attribute, Item, Writer};
use crate::NnError;
use crate::layers::*;
use Attribute::Int;

/// Layers one after another, named by their position behind `place`.
pub fn run(layers: &[Layer], x: Item, place: &str, w: &mut Writer) -> Result<Item, NnError> {
    let mut numbered = layers.iter().enumerate();
    numbered.try_fold(x, |x, (number, layer)| write(layer, x, &format!("{place}{number}"), w))
}

/// One layer whose weights have names that begin with `place` and a dot.
fn write(layer: &Layer, x: Item, place: &str, w: &mut Writer) -> Result<Item, NnError> {
    let name = match layer {
        Layer::Linear(linear) => {
            let name = dense(&x, &format!("{place}.weight"), &format!("{place}.bias"), w);
            return Ok(x.with_channels(name, linear.out_features));
        }
        Layer::Embedding(embedding) => return Ok(vectors(embedding, &x, place, w)),
        Layer::Conv1d(conv) => return Ok(convolution(conv, &x, place, w)),
        Layer::MaxPool1d(max) => return Ok(max_pool(max, &x, w)),
        Layer::AvgPool1d(mean) => return Ok(avg_pool(mean, &x, w)),
        Layer::AdaptiveMaxPool1d(max) => {
            return Ok(adaptive_pool("ReduceMax", &x, max.output_size, w));
        }
        Layer::AdaptiveAvgPool1d(mean) => {
            return Ok(adaptive_pool("ReduceMean", &x, mean.output_size, w));
        }
        Layer::Rnn(_) | Layer::Lstm(_) | Layer::Gru(_) => {
            return Ok(recurrent(layer, &x, place, w));
        }
        Layer::Sequential(inner) => return run(&inner.layers, x, &format!("{place}."), w),
        Layer::Parallel(parallel) => return branches(parallel, &x, place, w),
        Layer::Flatten(_) => return Ok(flatten(&x, w)),
        Layer::Reshape(to) => return Ok(reshaped(&x, &to.shape, w)),
        Layer::Transpose(_) => return Ok(turned(&x, w)),
        Layer::LastStep(_) => return Ok(last_step(&x, w)),
        Layer::Glu(_) => return Ok(gated(&x, w)),
        Layer::Dropout(_) => return Ok(x),
        Layer::Residual(inner) => {
            let y = run(&inner.layers, x.clone(), &format!("{place}."), w)?;
            w.node("Add", &[&x.name, &y.name], &[])
        }
        Layer::MultiheadAttention(heads) => attention(heads, &x, place, w),
        Layer::BatchNorm1d(norm) => batch_norm(norm, &x, place, w),
        Layer::LayerNorm(norm) => layer_norm(norm, &x, place, w),
        Layer::RmsNorm(norm) => rms_norm(norm, &x.name, place, w),
        Layer::PositionalEncoding(encoding) => {
            let [steps, channels] = [x.shape[0], x.channels()];
            let waves = encoding.waves(steps, channels);
            let waves = w.tensor(&format!("{place}.waves"), &[steps, channels], &waves);
            w.node("Add", &[&x.name, &waves], &[])
        }
        Layer::PositionalEmbedding(_) => {
            let weight = w.plain_weight(&format!("{place}.weight")).unwrap_or_default();
            w.node("Add", &[&x.name, &weight], &[])
        }
        function => {
            activate(function, &x.name, place, w).ok_or_else(|| without_form(function, place))?
        }
    };
    Ok(Item { name, ..x })
}

/// The error that a layer is unknown here.
fn without_form(layer: &Layer, place: &str) -> NnError {
    NnError::Missing {
        place: format!("layer {place} ({})", layer.kind()),
        problem: "has no form in ONNX".into(),
        remedy: "export to a .safetensors file, which holds its weights".into(),
    }
}

/// The vectors of indices.
fn vectors(embedding: &Embedding, x: &Item, place: &str, w: &mut Writer) -> Item {
    let weight = w.plain_weight(&format!("{place}.weight")).unwrap_or_default();
    let name = w.node("Gather", &[&weight, &x.name], &[("axis", Int(0))]);
    Item { name, shape: [&x.shape[..], &[embedding.embedding_dim]].concat() }
}

/// One half of the channels, gated by the other.
fn gated(x: &Item, w: &mut Writer) -> Item {
    let halves = w.nodes("Split", &[&x.name], &[("axis", Int(-1)), ("num_outputs", Int(2))], 2);
    let gate = w.node("Sigmoid", &[&halves[1]], &[]);
    let name = w.node("Mul", &[&halves[0], &gate], &[]);
    x.with_channels(name, x.channels() / 2)
}

/// `weight x + bias` over the last axis, whatever stands before it; the bias may be missing.
pub fn dense(x: &Item, weight: &str, bias: &str, w: &mut Writer) -> String {
    let weight = w.plain_weight(weight).unwrap_or_default();
    let bias = w.plain_weight(bias);
    if x.shape.len() == 1 {
        let inputs: Vec<&str> =
            [Some(x.name.as_str()), Some(&weight), bias.as_deref()].into_iter().flatten().collect();
        return w.node("Gemm", &inputs, &[("transB", Int(1))]);
    }
    let turned = transpose(&weight, &[1, 0], w);
    let product = w.node("MatMul", &[&x.name, &turned], &[]);
    match bias {
        Some(bias) => w.node("Add", &[&product, &bias], &[]),
        None => product,
    }
}

fn branches(parallel: &Parallel, x: &Item, place: &str, w: &mut Writer) -> Result<Item, NnError> {
    let mut made = Vec::new();
    for (number, layers) in parallel.branches.iter().enumerate() {
        made.push(run(layers, x.clone(), &format!("{place}.{number}."), w)?);
    }
    let names: Vec<&str> = made.iter().map(|item| item.name.as_str()).collect();
    let join = |w: &mut Writer, op: &str| {
        let first = names[0].to_owned();
        names[1..].iter().fold(first, |all, next| w.node(op, &[&all, next], &[]))
    };
    let name = match parallel.merge {
        Merge::Concat => w.node("Concat", &names, &[("axis", Int(-1))]),
        Merge::Sum => join(w, "Add"),
        Merge::Product => join(w, "Mul"),
    };
    let channels = match parallel.merge {
        Merge::Concat => made.iter().map(Item::channels).sum(),
        Merge::Sum | Merge::Product => made[0].channels(),
    };
    Ok(made[0].with_channels(name, channels))
}
