//! Rules for operations that move elements: those that move nothing, and one after another.
//!
//! A single number stays single as long as it can: what is moved after a broadcast is broadcast.

use super::Rewrite;
use crate::ops::{Broadcast, Permute, Reshape, Slice};
use crate::{Graph, Node, Op, ValueId};
use whimbrel_tensor::Shape;

fn producer(graph: &Graph, value: ValueId) -> &Node {
    graph.node(graph.value(value).producer)
}

/// The single number that a value repeats, if it can be repeated to `shape` at once.
fn repeated_number(graph: &Graph, value: ValueId, shape: &Shape) -> Option<Rewrite> {
    let node = producer(graph, value);
    match node.op {
        Op::Broadcast(_) | Op::Reshape(_) => {
            let source = graph.ty(node.inputs[0]).shape;
            let single = source.numel() == 1 && source.rank() <= shape.rank();
            single.then(|| broadcast_to(node.inputs[0], shape))
        }
        _ => None,
    }
}

fn broadcast_to(value: ValueId, shape: &Shape) -> Rewrite {
    Rewrite::Apply(Op::Broadcast(Broadcast { shape: *shape }), vec![value])
}

pub(super) fn broadcast(graph: &Graph, op: &Broadcast, x: ValueId) -> Option<Rewrite> {
    if graph.ty(x).shape == op.shape {
        return Some(Rewrite::Value(x));
    }
    let before = producer(graph, x);
    match before.op {
        Op::Broadcast(_) => Some(broadcast_to(before.inputs[0], &op.shape)),
        _ => repeated_number(graph, x, &op.shape),
    }
}

pub(super) fn reshape(graph: &Graph, op: &Reshape, x: ValueId) -> Option<Rewrite> {
    if graph.ty(x).shape == op.shape {
        return Some(Rewrite::Value(x));
    }
    let before = producer(graph, x);
    match before.op {
        Op::Reshape(_) => Some(Rewrite::Apply(Op::Reshape(op.clone()), vec![before.inputs[0]])),
        Op::Broadcast(_) => repeated_number(graph, x, &op.shape),
        _ => None,
    }
}

pub(super) fn permute(graph: &Graph, op: &Permute, x: ValueId) -> Option<Rewrite> {
    let shape = graph.ty(x).shape;
    let moved: Vec<_> = op.order.iter().copied().filter(|&axis| shape[axis] != 1).collect();
    let to: Vec<_> = op.order.iter().map(|&axis| shape[axis]).collect();
    let to = Shape::from_slice(&to).ok()?;
    if moved.is_sorted() {
        return Some(Rewrite::Apply(Op::Reshape(Reshape { shape: to }), vec![x]));
    }
    let before = producer(graph, x);
    match &before.op {
        Op::Permute(first) => {
            let order = op.order.iter().map(|&axis| first.order[axis]).collect();
            Some(Rewrite::Apply(Op::Permute(Permute { order }), vec![before.inputs[0]]))
        }
        Op::Broadcast(_) => repeated_number(graph, x, &to),
        _ => None,
    }
}

pub(super) fn slice(graph: &Graph, op: &Slice, x: ValueId) -> Option<Rewrite> {
    let shape = graph.ty(x).shape;
    let Slice { axis, start, end } = *op;
    if (start, end) == (0, shape[axis]) {
        return Some(Rewrite::Value(x));
    }
    let before = producer(graph, x);
    match &before.op {
        Op::Slice(first) if first.axis == axis => {
            let merged = Slice { axis, start: first.start + start, end: first.start + end };
            Some(Rewrite::Apply(Op::Slice(merged), vec![before.inputs[0]]))
        }
        Op::Concat(concat) if concat.axis == axis => {
            let mut at = 0;
            for &part in &before.inputs {
                let size = graph.ty(part).shape[axis];
                if start >= at && end <= at + size {
                    let inside = Slice { axis, start: start - at, end: end - at };
                    return Some(Rewrite::Apply(Op::Slice(inside), vec![part]));
                }
                at += size;
            }
            None
        }
        Op::Broadcast(_) => repeated_number(graph, x, &shape.with(axis, end - start)?),
        _ => None,
    }
}
