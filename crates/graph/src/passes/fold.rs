//! Computes at once what depends on constants only, where the result is small.
//!
//! Numbers that are the same everywhere are folded as single numbers and broadcast again: a constant
//! as large as a batch would have to be stored whole.

use super::rebuild::Rebuild;
use crate::ops::Constant;
use crate::{Array, Graph, Node, Op, Operation, ValueId};
use whimbrel_tensor::{DType, Shape};

/// Elements a folded constant may have.
const MAX_ELEMENTS: usize = 1024;
/// Arithmetic worth spending on one node.
const MAX_FLOPS: f64 = 65536.0;

/// The graph with operations on constants computed.
pub fn fold_constants(graph: &Graph) -> Graph {
    let mut rebuild = Rebuild::new(graph);
    for node in graph.nodes() {
        let inputs: Vec<_> = node.inputs.iter().map(|&i| rebuild.get(i)).collect();
        if inputs.is_empty() {
            rebuild.copy(node);
        } else if let Some(number) = uniform_result(&rebuild, node, &inputs) {
            let constant = Constant::new(Shape::SCALAR, vec![number]);
            let value = rebuild.uniform(constant, graph.ty(node.outputs[0]).shape, node);
            rebuild.replace(node.outputs[0], value);
        } else if let Some(results) = results(graph, &rebuild, node, &inputs) {
            for (&output, array) in node.outputs.iter().zip(results) {
                let data = array.data.iter().map(|&x| x as f32).collect();
                let op = Op::Constant(Constant::new(array.shape, data));
                let made = rebuild.add_new(op, Vec::new(), graph.types(&[output]), node);
                rebuild.replace(output, made[0]);
            }
        } else {
            rebuild.copy(node);
        }
    }
    rebuild.finish()
}

/// The number an element-wise operation over uniform operands gives everywhere.
fn uniform_result(rebuild: &Rebuild, node: &Node, inputs: &[ValueId]) -> Option<f32> {
    if !matches!(node.op, Op::Unary(_) | Op::Binary(_) | Op::Select(_)) {
        return None;
    }
    let numbers = inputs.iter().map(|&i| rebuild.graph().uniform(i));
    let numbers: Vec<_> =
        numbers.map(|x| x.map(|x| Array::scalar(f64::from(x)))).collect::<Option<_>>()?;
    let results = node.op.eval(&numbers.iter().collect::<Vec<_>>());
    Some(results[0].data[0] as f32)
}

/// What the node makes, if it is small and all operands are constants.
fn results(
    graph: &Graph,
    rebuild: &Rebuild,
    node: &Node,
    inputs: &[ValueId],
) -> Option<Vec<Array>> {
    let types = graph.types(&node.outputs);
    let elements: usize = types.iter().map(|ty| ty.numel()).sum();
    let kept = match node.op {
        Op::Broadcast(_) => elements > 1,
        Op::Adam(_) | Op::AdamRate(_) | Op::Sgd(_) | Op::Random(_) => true,
        _ => false,
    };
    if kept || elements > MAX_ELEMENTS || types.iter().any(|ty| ty.dtype != DType::F32) {
        return None;
    }
    let constant = |value: &ValueId| match rebuild.graph().op_of(*value) {
        Op::Constant(constant) => Some(constant),
        _ => None,
    };
    let constants: Vec<_> = inputs.iter().map(constant).collect::<Option<_>>()?;
    if node.op.cost(&graph.types(&node.inputs), &types).flops > MAX_FLOPS {
        return None;
    }
    let arrays: Vec<_> = constants.iter().flat_map(|c| c.eval(&[])).collect();
    Some(node.op.eval(&arrays.iter().collect::<Vec<_>>()))
}
