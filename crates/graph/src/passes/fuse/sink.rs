//! Which element-wise nodes are computed anew where they are read.
//!
//! The slope of an activation is made of the activation's result: the mask of a rectifier, one less
//! the square of a tanh. Made where its operand is made, it would be stored until the backward pass
//! reads it, beside the result, which is stored anyway. Such nodes sink: they dissolve into the
//! groups that read them, and only the result is stored.

use super::producers;
use super::write::Readers;
use crate::ops::{BinaryOp, UnaryOp};
use crate::{Graph, NodeId, Op};

/// For each node, whether it sinks: it is cheap, made of values that are there anyway, and every
/// reader is an element-wise node that runs later than it could.
pub fn sinking(graph: &Graph, readers: &Readers) -> Vec<bool> {
    let depths = depths(graph);
    let mut sinks = cheap_of_stored(graph, readers, &depths);
    // From last to first: where the readers end up is known.
    let mut first_use = depths.clone();
    for id in graph.node_ids().collect::<Vec<_>>().into_iter().rev() {
        if !sinks[id.index()] {
            continue;
        }
        let nodes = readers.nodes(graph.node(id).outputs[0]);
        let soonest = nodes.iter().map(|r| first_use[r.index()]).min().unwrap_or(0);
        let grouped = nodes.iter().all(|&r| is_elementwise(&graph.node(r).op));
        sinks[id.index()] = grouped && soonest > depths[id.index()];
        if sinks[id.index()] {
            first_use[id.index()] = soonest;
        }
    }
    sinks
}

/// For each node, whether it is cheap and can be made of values that are there in the backward
/// pass whether it sinks or not.
fn cheap_of_stored(graph: &Graph, readers: &Readers, depths: &[u32]) -> Vec<bool> {
    let mut cheap = vec![false; graph.nodes().len()];
    let mut there = cheap.clone();
    for id in graph.node_ids() {
        let node = graph.node(id);
        let later = |r: &NodeId| depths[r.index()] > depths[id.index()];
        let stored = node.outputs.iter().any(|&v| readers.nodes(v).iter().any(later));
        let made = producers(graph, id).all(|p| there[p.index()]);
        cheap[id.index()] = made && is_cheap(&node.op) && !readers.is_result(node.outputs[0]);
        there[id.index()] = match node.op {
            Op::Constant(_) | Op::Input(_) | Op::State(_) => true,
            Op::Broadcast(_) => made,
            _ => stored || cheap[id.index()],
        };
    }
    cheap
}

/// How many nodes that are not element-wise precede each node on the longest way to it.
fn depths(graph: &Graph) -> Vec<u32> {
    let mut depths = vec![0; graph.nodes().len()];
    for id in graph.node_ids() {
        let above = |p: NodeId| {
            let op = &graph.node(p).op;
            let counts = !is_elementwise(op) && !matches!(op, Op::Broadcast(_) | Op::Constant(_));
            depths[p.index()] + u32::from(counts)
        };
        depths[id.index()] = producers(graph, id).map(above).max().unwrap_or(0);
    }
    depths
}

pub(super) fn is_elementwise(op: &Op) -> bool {
    matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Select(_))
}

/// Whether computing it again costs less than loading it.
fn is_cheap(op: &Op) -> bool {
    match op {
        Op::Unary(unary) => matches!(
            unary.op,
            UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Square | UnaryOp::Relu
        ),
        Op::Binary(binary) => !matches!(binary.op, BinaryOp::Div | BinaryOp::Pow),
        Op::Select(_) => true,
        _ => false,
    }
}
