//! Fuses a weight's gradient, where it is a product used by nothing else, into its optimiser
//! update, which can then make and use it tile by tile without storing it.

use super::rebuild::Rebuild;
use crate::ops::{Adam, Dot, Sgd};
use crate::{Graph, Node, Op};

/// The graph with products fused into the updates that consume them.
pub fn fuse_updates(graph: &Graph) -> Graph {
    let uses = graph.use_counts();
    // The update with its gradient fused, and the product that the gradient is.
    let fusion = |node: &Node| -> Option<(Op, &Node)> {
        let gradient = *node.inputs.last()?;
        let product = graph.node(graph.value(gradient).producer);
        let dot = match product.op {
            Op::Dot(dot) if dot.rhs_transposed && !dot.lhs_transposed => dot,
            _ => return None,
        };
        let fused = with_gradient(&node.op, dot)?;
        (uses[gradient.index()] == 1).then_some((fused, product))
    };
    let mut fused = vec![false; graph.nodes().len()];
    for node in graph.nodes() {
        if let Some((_, product)) = fusion(node) {
            fused[graph.value(product.outputs[0]).producer.index()] = true;
        }
    }
    let mut rebuild = Rebuild::new(graph);
    for id in graph.node_ids() {
        let node = graph.node(id);
        if fused[id.index()] {
            continue;
        }
        match fusion(node) {
            None => rebuild.copy(node),
            Some((op, product)) => {
                let state = &node.inputs[..node.inputs.len() - 1];
                let operands = state.iter().chain(&product.inputs);
                let operands = operands.map(|&v| rebuild.get(v)).collect();
                let made = rebuild.add(op, operands, graph.types(&node.outputs), node);
                for (&old, new) in node.outputs.iter().zip(made) {
                    rebuild.replace(old, new);
                }
            }
        }
    }
    rebuild.finish()
}

/// The update that makes its gradient by `dot`; `None` if it does so already or is no update.
fn with_gradient(op: &Op, dot: Dot) -> Option<Op> {
    match op {
        Op::Adam(adam @ Adam { grad: None, .. }) => {
            Some(Op::Adam(Adam { grad: Some(dot), ..*adam }))
        }
        Op::Sgd(sgd @ Sgd { grad: None, .. }) => Some(Op::Sgd(Sgd { grad: Some(dot), ..*sgd })),
        _ => None,
    }
}
