//! Fuses a weight's gradient, where it is a product used by nothing else, into its optimiser
//! update: the gradient is then made and used tile by tile and never stored.

use super::rebuild::Rebuild;
use crate::ops::Adam;
use crate::{Graph, Node, Op};

/// The graph with products fused into the updates that consume them.
pub fn fuse_updates(graph: &Graph) -> Graph {
    let uses = graph.use_counts();
    let product_of = |node: &Node| -> Option<(Adam, &Node)> {
        let Op::Adam(adam @ Adam { grad: None, .. }) = &node.op else { return None };
        let grad = *node.inputs.get(4)?;
        let producer = graph.node(graph.value(grad).producer);
        match producer.op {
            Op::Dot(dot)
                if dot.rhs_transposed && !dot.lhs_transposed && uses[grad.index()] == 1 =>
            {
                Some((Adam { grad: Some(dot), ..*adam }, producer))
            }
            _ => None,
        }
    };
    let mut fused = vec![false; graph.nodes().len()];
    for node in graph.nodes() {
        if let Some((_, product)) = product_of(node) {
            fused[graph.value(product.outputs[0]).producer.index()] = true;
        }
    }
    let mut rebuild = Rebuild::new(graph);
    for id in graph.node_ids() {
        let node = graph.node(id);
        if fused[id.index()] {
            continue;
        }
        match product_of(node) {
            None => rebuild.copy(node),
            Some((adam, product)) => {
                let operands = node.inputs[..4].iter().chain(&product.inputs);
                let operands = operands.map(|&v| rebuild.get(v)).collect();
                let made = rebuild.add(Op::Adam(adam), operands, graph.types(&node.outputs), node);
                for (&old, new) in node.outputs.iter().zip(made) {
                    rebuild.replace(old, new);
                }
            }
        }
    }
    rebuild.finish()
}
