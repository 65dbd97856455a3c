//! Norms as nodes of ONNX.

use super::shapes::transpose;
use super::writer::{Attribute, Item, Writer};
use crate::layers::{BatchNorm1d, LayerNorm, RmsNorm};
use Attribute::{Float, Int};

/// ONNX has the channels on the second axis.
pub fn batch_norm(norm: &BatchNorm1d, x: &Item, place: &str, w: &mut Writer) -> String {
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

pub fn rms_norm(norm: &RmsNorm, x: &str, place: &str, w: &mut Writer) -> String {
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

pub fn layer_norm(norm: &LayerNorm, x: &Item, place: &str, w: &mut Writer) -> String {
    let scale = w.plain_weight(&format!("{place}.weight"));
    let scale = scale.unwrap_or_else(|| filled(1.0, x.channels(), w));
    let bias = w.plain_weight(&format!("{place}.bias")).unwrap_or_default();
    let settings = [("axis", Int(-1)), ("epsilon", Float(norm.eps as f32))];
    w.node("LayerNormalization", &[&x.name, &scale, &bias], &settings)
}

/// A vector of one number.
fn filled(number: f32, len: usize, w: &mut Writer) -> String {
    w.tensor(&format!("{len} times {number}"), &[len], &vec![number; len])
}
