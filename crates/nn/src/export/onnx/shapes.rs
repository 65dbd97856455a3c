//! Changes of shape as nodes of ONNX; the batch stays the first axis.

use super::writer::{Attribute, Item, Writer};
use Attribute::{Int, Ints};

/// All axes of an item as one.
pub fn flatten(x: &Item, w: &mut Writer) -> Item {
    Item { name: reshape(&x.name, &[-1], w), shape: vec![x.shape.iter().product()] }
}

/// Items of another shape.
pub fn reshaped(x: &Item, shape: &[usize], w: &mut Writer) -> Item {
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Item { name: reshape(&x.name, &sizes, w), shape: shape.to_vec() }
}

/// Time and channels exchanged.
pub fn turned(x: &Item, w: &mut Writer) -> Item {
    let shape = x.shape.iter().rev().copied().collect();
    Item { name: transpose(&x.name, &[0, 2, 1], w), shape }
}

/// The last step of a sequence.
pub fn last_step(x: &Item, w: &mut Writer) -> Item {
    let last = w.sizes(&[x.shape[0] as i64 - 1]);
    let step = w.node("Gather", &[&x.name, &last], &[("axis", Int(1))]);
    Item { name: reshape(&step, &[-1], w), shape: vec![x.channels()] }
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
