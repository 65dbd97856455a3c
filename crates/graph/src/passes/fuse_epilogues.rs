//! Fuses the element-wise steps that follow a product by a weight into it: they then run over rows of
//! the result while these are in the first cache.

use super::rebuild::Rebuild;
use crate::ops::{Dense, Dot, Expr, Fused};
use crate::{Graph, Node, NodeId, Op, ValueId};

/// The graph with steps fused into the products that only they read.
pub fn fuse_epilogues(graph: &Graph) -> Graph {
    let uses = graph.use_counts();
    let fusions: Vec<_> = graph.nodes().iter().map(|node| fusion(graph, &uses, node)).collect();
    let mut fused = vec![false; graph.nodes().len()];
    for fusion in fusions.iter().flatten() {
        fused[fusion.product.index()] = true;
    }
    let mut rebuild = Rebuild::new(graph);
    for (id, fusion) in graph.node_ids().zip(fusions) {
        let node = graph.node(id);
        match fusion {
            _ if fused[id.index()] => {}
            None => rebuild.copy(node),
            Some(Fusion { product, op, others }) => {
                let operands = graph.node(product).inputs.iter().chain(&others);
                let operands = operands.map(|&v| rebuild.get(v)).collect();
                let made = rebuild.add(Op::Dense(op), operands, graph.types(&node.outputs), node);
                rebuild.replace(node.outputs[0], made[0]);
            }
        }
    }
    rebuild.finish()
}

/// Steps and the product that goes into them.
struct Fusion {
    product: NodeId,
    op: Dense,
    /// What the steps read besides the product.
    others: Vec<ValueId>,
}

/// The fusion of a node of element-wise steps with one result, if it reads a product of the same shape
/// that nothing else does.
fn fusion(graph: &Graph, uses: &[u32], node: &Node) -> Option<Fusion> {
    let (Op::Fused(steps), [_]) = (&node.op, &node.outputs[..]) else { return None };
    let is_product = |value: &ValueId| {
        let producer = graph.node(graph.value(*value).producer);
        let by_weight = |dot: &Dot| {
            let weight = producer.inputs[0];
            let is_matrix = graph.ty(weight).shape.rank() == 2;
            let is_state = matches!(graph.op_of(weight), Op::State(_));
            is_matrix && is_state && !dot.rhs_transposed && !dot.sum
        };
        matches!(&producer.op, Op::Dot(dot) if by_weight(dot))
            && uses[value.index()] == 1
            && graph.ty(*value).shape == steps.shape
    };
    let at = node.inputs.iter().position(is_product)?;
    let product = graph.value(node.inputs[at]).producer;
    let Op::Dot(dot) = graph.node(product).op else { return None };
    let others: Vec<_> =
        node.inputs.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, v)| *v).collect();
    let weight = graph.node(product).inputs[0];
    if others.iter().any(|&other| may_follow_update(graph, weight, other)) {
        return None;
    }
    let fused = Fused { steps: with_first(&steps.steps, at), ..steps.clone() };
    Some(Fusion { product, op: Dense { dot, fused }, others })
}

/// Whether a value may depend on what a weight becomes: the product reads the weight before.
fn may_follow_update(graph: &Graph, weight: ValueId, value: ValueId) -> bool {
    let update = graph.updates().iter().find(|update| update.state == weight);
    let made = |value: ValueId| graph.value(value).producer;
    update.is_some_and(|update| made(value) >= made(update.value))
}

/// The steps with operand `first` as the first, the others behind it in their order.
fn with_first(steps: &[Expr], first: usize) -> Vec<Expr> {
    let place = |i: usize| match i {
        i if i == first => 0,
        i if i < first => i + 1,
        i => i,
    };
    let moved = |step: &Expr| match *step {
        Expr::Input(i) => Expr::Input(place(i)),
        other => other,
    };
    steps.iter().map(moved).collect()
}
