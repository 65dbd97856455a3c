//! Layers as nodes of ONNX: containers, dense layers, norms, shapes and activations.

use super::attention::attention;
use super::sequence::{adaptive_pool, convolution, pool, recurrent};
use super::writer::{Attribute, Item, Writer};
use crate::NnError;
use crate::layers::*;
use Attribute::{Float, Int, Ints, Text};

/// Layers one after another, named by their position behind `place`.
pub fn run(layers: &[Layer], x: Item, place: &str, w: &mut Writer) -> Result<Item, NnError> {
    let mut numbered = layers.iter().enumerate();
    numbered.try_fold(x, |x, (number, layer)| write(layer, x, &format!("{place}{number}"), w))
}

/// One layer whose weights have names that begin with `place` and a dot.
fn write(layer: &Layer, x: Item, place: &str, w: &mut Writer) -> Result<Item, NnError> {
    let input = x.name.clone();
    let input = input.as_str();
    let name = match layer {
        Layer::Linear(linear) => {
            let weight = format!("{place}.weight");
            let name = dense(&x, &weight, &format!("{place}.bias"), w);
            return Ok(x.with_channels(name, linear.out_features));
        }
        Layer::Conv1d(conv) => return Ok(convolution(conv, &x, place, w)),
        Layer::MaxPool1d(max) => {
            let (kernel, stride) = (max.kernel_size, max.stride.unwrap_or(max.kernel_size));
            let dilations = ("dilations", Ints(vec![max.dilation as i64]));
            let span = max.dilation * (kernel - 1) + 1;
            return Ok(pool("MaxPool", &x, [kernel, stride, max.padding, span], dilations, w));
        }
        Layer::AvgPool1d(mean) => {
            let (kernel, stride) = (mean.kernel_size, mean.stride.unwrap_or(mean.kernel_size));
            let counted = ("count_include_pad", Int(1));
            return Ok(pool("AveragePool", &x, [kernel, stride, mean.padding, kernel], counted, w));
        }
        Layer::AdaptiveMaxPool1d(max) => {
            return Ok(adaptive_pool("ReduceMax", &x, max.output_size, w));
        }
        Layer::AdaptiveAvgPool1d(mean) => {
            return Ok(adaptive_pool("ReduceMean", &x, mean.output_size, w));
        }
        Layer::Rnn(_) | Layer::Lstm(_) | Layer::Gru(_) => {
            return Ok(recurrent(layer, &x, place, w));
        }
        Layer::MultiheadAttention(heads) => attention(heads, &x, place, w),
        Layer::Sequential(inner) => return run(&inner.layers, x, &format!("{place}."), w),
        Layer::Residual(inner) => {
            let y = run(&inner.layers, x.clone(), &format!("{place}."), w)?;
            w.node("Add", &[input, &y.name], &[])
        }
        Layer::Parallel(parallel) => return branches(parallel, &x, place, w),
        Layer::Flatten(_) => {
            let name = reshape(input, &[-1], w);
            return Ok(Item { name, shape: vec![x.shape.iter().product()] });
        }
        Layer::Reshape(to) => {
            let sizes: Vec<i64> = to.shape.iter().map(|&size| size as i64).collect();
            return Ok(Item { name: reshape(input, &sizes, w), shape: to.shape.clone() });
        }
        Layer::Transpose(_) => {
            let name = transpose(input, &[0, 2, 1], w);
            return Ok(Item { name, shape: x.shape.iter().rev().copied().collect() });
        }
        Layer::LastStep(_) => {
            let last = w.sizes(&[x.shape[0] as i64 - 1]);
            let step = w.node("Gather", &[input, &last], &[("axis", Int(1))]);
            let name = reshape(&step, &[-1], w);
            return Ok(Item { name, shape: vec![x.channels()] });
        }
        Layer::BatchNorm1d(norm) => batch_norm(norm, &x, place, w),
        Layer::LayerNorm(norm) => {
            let scale = w.plain_weight(&format!("{place}.weight"));
            let scale = scale.unwrap_or_else(|| filled(1.0, x.channels(), w));
            let bias = w.plain_weight(&format!("{place}.bias")).unwrap_or_default();
            let settings = [("axis", Int(-1)), ("epsilon", Float(norm.eps as f32))];
            w.node("LayerNormalization", &[input, &scale, &bias], &settings)
        }
        Layer::RmsNorm(norm) => rms_norm(norm, input, place, w),
        Layer::Dropout(_) => return Ok(x),
        Layer::PositionalEncoding(encoding) => {
            let [steps, channels] = [x.shape[0], x.channels()];
            let waves = encoding.waves(steps, channels);
            let waves = w.tensor(&format!("{place}.waves"), &[steps, channels], &waves);
            w.node("Add", &[input, &waves], &[])
        }
        Layer::PositionalEmbedding(_) => {
            let weight = w.plain_weight(&format!("{place}.weight")).unwrap_or_default();
            w.node("Add", &[input, &weight], &[])
        }
        Layer::Glu(_) => {
            let halves =
                w.nodes("Split", &[input], &[("axis", Int(-1)), ("num_outputs", Int(2))], 2);
            let gate = w.node("Sigmoid", &[&halves[1]], &[]);
            let name = w.node("Mul", &[&halves[0], &gate], &[]);
            return Ok(x.with_channels(name, x.channels() / 2));
        }
        other => activate(other, input, place, w).ok_or_else(|| without_form(other, place))?,
    };
    Ok(Item { name, ..x })
}

fn without_form(layer: &Layer, place: &str) -> NnError {
    NnError::Missing {
        place: format!("layer {place} ({})", layer.kind()),
        problem: "has no form in ONNX".into(),
        remedy: "export to a .safetensors file, which holds its weights".into(),
    }
}

/// Functions that keep the shape; none for other layers.
fn activate(layer: &Layer, x: &str, place: &str, w: &mut Writer) -> Option<String> {
    let clip = |w: &mut Writer, low: f32, high: f32| {
        let (low, high) = (w.scalar(low), w.scalar(high));
        w.node("Clip", &[x, &low, &high], &[])
    };
    Some(match layer {
        Layer::Relu6(_) => clip(w, 0.0, 6.0),
        Layer::Hardtanh(_) => clip(w, -1.0, 1.0),
        Layer::LeakyRelu(leaky) => {
            w.node("LeakyRelu", &[x], &[("alpha", Float(leaky.negative_slope))])
        }
        Layer::Prelu(_) => {
            let slope = w.plain_weight(&format!("{place}.weight")).unwrap_or_default();
            w.node("PRelu", &[x, &slope], &[])
        }
        Layer::Elu(elu) => w.node("Elu", &[x], &[("alpha", Float(elu.alpha))]),
        Layer::Celu(celu) => w.node("Celu", &[x], &[("alpha", Float(celu.alpha))]),
        Layer::Gelu(gelu) => {
            let by = if gelu.approximate == Approximation::Tanh { "tanh" } else { "none" };
            w.node("Gelu", &[x], &[("approximate", Text(by))])
        }
        Layer::Silu(_) => {
            let gate = w.node("Sigmoid", &[x], &[]);
            w.node("Mul", &[x, &gate], &[])
        }
        Layer::Softplus(softplus) if softplus.beta != 1.0 => {
            let beta = w.scalar(softplus.beta);
            let scaled = w.node("Mul", &[x, &beta], &[]);
            let bent = w.node("Softplus", &[&scaled], &[]);
            w.node("Div", &[&bent, &beta], &[])
        }
        Layer::Tanhshrink(_) => {
            let tanh = w.node("Tanh", &[x], &[]);
            w.node("Sub", &[x, &tanh], &[])
        }
        Layer::LogSigmoid(_) => {
            let negative = w.node("Neg", &[x], &[]);
            let bent = w.node("Softplus", &[&negative], &[]);
            w.node("Neg", &[&bent], &[])
        }
        Layer::Hardsigmoid(_) => {
            w.node("HardSigmoid", &[x], &[("alpha", Float(1.0 / 6.0)), ("beta", Float(0.5))])
        }
        Layer::Softmax(_) => w.node("Softmax", &[x], &[("axis", Int(-1))]),
        Layer::LogSoftmax(_) => w.node("LogSoftmax", &[x], &[("axis", Int(-1))]),
        Layer::Relu(_) => w.node("Relu", &[x], &[]),
        Layer::Selu(_) => w.node("Selu", &[x], &[]),
        Layer::Mish(_) => w.node("Mish", &[x], &[]),
        Layer::Softplus(_) => w.node("Softplus", &[x], &[]),
        Layer::Softsign(_) => w.node("Softsign", &[x], &[]),
        Layer::Tanh(_) => w.node("Tanh", &[x], &[]),
        Layer::Sigmoid(_) => w.node("Sigmoid", &[x], &[]),
        Layer::Hardswish(_) => w.node("HardSwish", &[x], &[]),
        _ => return None,
    })
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

/// ONNX has the channels on the second axis.
fn batch_norm(norm: &BatchNorm1d, x: &Item, place: &str, w: &mut Writer) -> String {
    let mut part = |what: &str, otherwise: f32| {
        let weight = w.plain_weight(&format!("{place}.{what}"));
        weight.unwrap_or_else(|| filled(otherwise, x.channels(), w))
    };
    let (scale, bias) = (part("weight", 1.0), part("bias", 0.0));
    let (mean, var) = (part("running_mean", 0.0), part("running_var", 1.0));
    let sequence = x.shape.len() == 2;
    let x = if sequence { transpose(&x.name, &[0, 2, 1], w) } else { x.name.clone() };
    let epsilon = ("epsilon", Float(norm.eps));
    let y = w.node("BatchNormalization", &[&x, &scale, &bias, &mean, &var], &[epsilon]);
    if sequence { transpose(&y, &[0, 2, 1], w) } else { y }
}

fn rms_norm(norm: &RmsNorm, x: &str, place: &str, w: &mut Writer) -> String {
    let (eps, last) = (w.scalar(norm.eps), w.sizes(&[-1]));
    let square = w.node("Mul", &[x, x], &[]);
    let mean = w.node("ReduceMean", &[&square, &last], &[("keepdims", Int(1))]);
    let shifted = w.node("Add", &[&mean, &eps], &[]);
    let root = w.node("Sqrt", &[&shifted], &[]);
    let y = w.node("Div", &[x, &root], &[]);
    match w.plain_weight(&format!("{place}.weight")) {
        Some(weight) => w.node("Mul", &[&y, &weight], &[]),
        None => y,
    }
}

/// A vector of one number.
fn filled(number: f32, len: usize, w: &mut Writer) -> String {
    w.tensor(&format!("{len} times {number}"), &[len], &vec![number; len])
}

/// Another shape for each item.
pub fn reshape(x: &str, item: &[i64], w: &mut Writer) -> String {
    // 0 keeps the batch.
    let sizes = w.sizes(&[&[0], item].concat());
    w.node("Reshape", &[x, &sizes], &[])
}

/// Another order of all axes.
pub fn transpose(x: &str, order: &[i64], w: &mut Writer) -> String {
    w.node("Transpose", &[x], &[("perm", Ints(order.to_vec()))])
}
