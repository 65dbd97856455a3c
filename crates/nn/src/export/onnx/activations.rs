//! Functions of single numbers, or over the channels, as nodes of ONNX.

use super::writer::{Attribute, Writer};
use crate::layers::*;
use Attribute::{Float, Int, Text};

/// A function that keeps the shape; none for other layers.
pub fn activate(layer: &Layer, x: &str, place: &str, w: &mut Writer) -> Option<String> {
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
