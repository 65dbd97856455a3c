//! Replaces operations by cheaper ones that compute the same, one node at a time.
//!
//! A rule looks at a node and the producers of its operands in the new graph. Rules apply until
//! none does; each leaves fewer or cheaper operations. Rules keep numbers equal, though not the sign
//! of zero. A product with 0 stays: it is NaN where the other operand is infinite or NaN.

mod elementwise;
mod movement;

use super::rebuild::Rebuild;
use crate::{Graph, Node, Op, Operation, ValueId};

/// What a rule makes of a node.
enum Rewrite {
    /// The node is a value that is there already.
    Value(ValueId),
    /// The node is another operation over other values.
    Apply(Op, Vec<ValueId>),
}

/// The graph with nodes simplified.
pub fn simplify(graph: &Graph) -> Graph {
    let mut rebuild = Rebuild::new(graph);
    for node in graph.nodes() {
        simplify_node(&mut rebuild, node);
    }
    rebuild.finish()
}

fn simplify_node(rebuild: &mut Rebuild, node: &Node) {
    let mut inputs: Vec<_> = node.inputs.iter().map(|&i| rebuild.get(i)).collect();
    let mut op = None;
    loop {
        match rule(rebuild, op.as_ref().unwrap_or(&node.op), &inputs, node) {
            None => break,
            Some(Rewrite::Value(value)) => return rebuild.replace(node.outputs[0], value),
            Some(Rewrite::Apply(next, over)) => (op, inputs) = (Some(next), over),
        }
    }
    match op {
        None => rebuild.copy(node),
        Some(op) => {
            let types = op.infer(&rebuild.graph().types(&inputs)).unwrap_or_default();
            let made = rebuild.add(op, inputs, types, node);
            rebuild.replace(node.outputs[0], made[0]);
        }
    }
}

fn rule(rebuild: &mut Rebuild, op: &Op, inputs: &[ValueId], node: &Node) -> Option<Rewrite> {
    let graph = rebuild.graph();
    match op {
        Op::Unary(unary) => elementwise::unary(rebuild, unary.op, inputs, node),
        Op::Binary(binary) => elementwise::binary(rebuild, binary.op, inputs, node),
        Op::Select(_) => elementwise::select(graph, inputs),
        Op::Broadcast(op) => movement::broadcast(graph, op, inputs[0]),
        Op::Reshape(op) => movement::reshape(graph, op, inputs[0]),
        Op::Permute(op) => movement::permute(graph, op, inputs[0]),
        Op::Slice(op) => movement::slice(graph, op, inputs[0]),
        Op::Pad(op) => {
            let nothing = op.low.iter().chain(&op.high).all(|&n| n == 0);
            nothing.then_some(Rewrite::Value(inputs[0]))
        }
        Op::Reduce(op) => {
            let shape = graph.ty(inputs[0]).shape;
            op.axes.iter().all(|&axis| shape[axis] == 1).then_some(Rewrite::Value(inputs[0]))
        }
        Op::Concat(_) if inputs.len() == 1 => Some(Rewrite::Value(inputs[0])),
        Op::Cast(cast) if graph.ty(inputs[0]).dtype == cast.to => Some(Rewrite::Value(inputs[0])),
        // It has done its work: passes run after differentiation.
        Op::StopGradient(_) => Some(Rewrite::Value(inputs[0])),
        _ => None,
    }
}
