//! Attention as nodes of ONNX.

use super::layers::dense;
use super::shapes::{reshape, transpose};
use super::writer::{Attribute, Item, Writer};
use crate::layers::MultiheadAttention;
use Attribute::Int;

/// Every step of `x` `[batch, time, channel]` reads from the others.
pub fn attention(heads: &MultiheadAttention, x: &Item, place: &str, w: &mut Writer) -> String {
    let (steps, channels) = (x.shape[0], x.channels());
    let width = channels / heads.num_heads;
    let (weight, bias) = (format!("{place}.in_proj_weight"), format!("{place}.in_proj_bias"));
    let projected = dense(x, &weight, &bias, w);
    let thirds = [("axis", Int(-1)), ("num_outputs", Int(3))];
    let parts = w.nodes("Split", &[&projected], &thirds, 3);
    let mut by_head = |part: &str, order: &[i64]| {
        let sizes = [steps, heads.num_heads, width].map(|size| size as i64);
        transpose(&reshape(part, &sizes, w), order, w)
    };
    // [batch, head, time, width], keys with the last two axes exchanged.
    let query = by_head(&parts[0], &[0, 2, 1, 3]);
    let key = by_head(&parts[1], &[0, 2, 3, 1]);
    let value = by_head(&parts[2], &[0, 2, 1, 3]);
    let scale = w.scalar(1.0 / (width as f32).sqrt());
    let query = w.node("Mul", &[&query, &scale], &[]);
    let mut scores = w.node("MatMul", &[&query, &key], &[]);
    if heads.is_causal {
        let later = |at: usize| if at % steps > at / steps { f32::NEG_INFINITY } else { 0.0 };
        let mask: Vec<f32> = (0..steps * steps).map(later).collect();
        let mask = w.tensor(&format!("{place}.mask"), &[steps, steps], &mask);
        scores = w.node("Add", &[&scores, &mask], &[]);
    }
    let shares = w.node("Softmax", &[&scores], &[("axis", Int(-1))]);
    let read = w.node("MatMul", &[&shares, &value], &[]);
    let joined = transpose(&read, &[0, 2, 1, 3], w);
    let joined = reshape(&joined, &[steps as i64, channels as i64], w);
    let joined = Item { name: joined, shape: x.shape.clone() };
    dense(&joined, &format!("{place}.out_proj.weight"), &format!("{place}.out_proj.bias"), w)
}
