//! Merges nodes that compute the same: common subexpressions.
//!
//! Inputs, state and random numbers are themselves and stay; updates write over their operands and
//! stay too.

use super::rebuild::Rebuild;
use crate::{Graph, NodeId, Op, ValueId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The graph with each expression computed once.
pub fn merge_common_subexpressions(graph: &Graph) -> Graph {
    let mut rebuild = Rebuild::new(graph);
    // New nodes by a hash of operation and operands; nodes of one hash may still differ.
    let mut seen: HashMap<u64, Vec<NodeId>> = HashMap::new();
    for node in graph.nodes() {
        let inputs: Vec<_> = node.inputs.iter().map(|&i| rebuild.get(i)).collect();
        let inputs = in_order(&node.op, inputs);
        if !merges(&node.op) {
            rebuild.copy(node);
            continue;
        }
        let alike = seen.entry(fingerprint(&node.op, &inputs)).or_default();
        let new = rebuild.graph();
        let same = alike.iter().map(|&id| new.node(id)).find(|other| {
            same_op(&other.op, &node.op) && in_order(&other.op, other.inputs.clone()) == inputs
        });
        match same {
            Some(other) => {
                let outputs = other.outputs.clone();
                for (&old, new) in node.outputs.iter().zip(outputs) {
                    rebuild.replace(old, new);
                }
            }
            None => {
                alike.push(NodeId(new.nodes().len() as u32));
                rebuild.copy(node);
            }
        }
    }
    rebuild.finish()
}

fn merges(op: &Op) -> bool {
    !matches!(
        op,
        Op::Input(_) | Op::State(_) | Op::Random(_) | Op::Adam(_) | Op::AdamRate(_) | Op::Sgd(_)
    )
}

/// Operands in ascending order where the operation does not care.
fn in_order(op: &Op, mut inputs: Vec<ValueId>) -> Vec<ValueId> {
    if matches!(op, Op::Binary(binary) if binary.op.commutes()) {
        inputs.sort_unstable();
    }
    inputs
}

fn fingerprint(op: &Op, inputs: &[ValueId]) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(op).hash(&mut hasher);
    inputs.hash(&mut hasher);
    if let Op::Constant(constant) = op {
        constant.shape.hash(&mut hasher);
        for x in &constant.data {
            x.to_bits().hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Whether operations are the same; constants must be so bit by bit, -0 is not 0.
fn same_op(a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::Constant(a), Op::Constant(b)) => {
            a.shape == b.shape
                && a.data.iter().map(|x| x.to_bits()).eq(b.data.iter().map(|x| x.to_bits()))
        }
        _ => a == b,
    }
}
