//! Keeps results apart from state that changes: a result that is a state, or a view of one, shows
//! what the state was before its update, so it becomes a copy. So does the new value of a state
//! that is the old one of another.

use super::rebuild::Rebuild;
use crate::ops::{Expr, Fused};
use crate::{Graph, Op, Type, ValueId};
use whimbrel_tensor::DType;

/// The graph with copies for results that an update would overwrite.
pub fn keep_outputs(graph: &Graph) -> Graph {
    let updated = |value: ValueId| graph.updates().iter().any(|u| u.state == value);
    let viewed = |mut value: ValueId| {
        while let Op::Reshape(_) | Op::StopGradient(_) | Op::Slice(_) = graph.op_of(value) {
            value = graph.node(graph.value(value).producer).inputs[0];
        }
        value
    };
    let overwritten =
        |value: ValueId| updated(viewed(value)) && graph.ty(value).dtype == DType::F32;
    let mut rebuild = Rebuild::new(graph);
    for node in graph.nodes() {
        rebuild.copy(node);
    }
    for (i, output) in graph.outputs().iter().enumerate() {
        if overwritten(output.value) {
            let copy = copy(graph, &mut rebuild, output.value);
            rebuild.output(i, copy);
        }
    }
    for (i, update) in graph.updates().iter().enumerate() {
        if overwritten(update.value) && viewed(update.value) != update.state {
            let copy = copy(graph, &mut rebuild, update.value);
            rebuild.update(i, copy);
        }
    }
    rebuild.finish()
}

fn copy(graph: &Graph, rebuild: &mut Rebuild, value: ValueId) -> ValueId {
    let shape = graph.ty(value).shape;
    let copy = Fused { shape, steps: vec![Expr::Input(0)], results: vec![0] };
    let origin = graph.node(graph.value(value).producer);
    let source = vec![rebuild.get(value)];
    rebuild.add_new(Op::Fused(copy), source, vec![Type::f32(shape)], origin)[0]
}
