//! Keeps results apart from state that changes: a result that is a state, or a view of one, shows
//! what the state was before its update, so it becomes a copy.

use super::rebuild::Rebuild;
use crate::ops::{Expr, Fused};
use crate::{Graph, Op, Type, ValueId};
use whimbrel_tensor::DType;

/// The graph with copies for results that an update would overwrite.
pub fn keep_outputs(graph: &Graph) -> Graph {
    let updated = |value: ValueId| graph.updates().iter().any(|u| u.state == value);
    let overwritten = |mut value: ValueId| {
        while let Op::Reshape(_) | Op::StopGradient(_) | Op::Slice(_) = graph.op_of(value) {
            value = graph.node(graph.value(value).producer).inputs[0];
        }
        updated(value) && graph.ty(value).dtype == DType::F32
    };
    let mut rebuild = Rebuild::new(graph);
    for node in graph.nodes() {
        rebuild.copy(node);
    }
    for (i, output) in graph.outputs().iter().enumerate() {
        if overwritten(output.value) {
            let shape = graph.ty(output.value).shape;
            let copy = Fused { shape, steps: vec![Expr::Input(0)], results: vec![0] };
            let origin = graph.node(graph.value(output.value).producer);
            let source = vec![rebuild.get(output.value)];
            let made = rebuild.add_new(Op::Fused(copy), source, vec![Type::f32(shape)], origin);
            rebuild.output(i, made[0]);
        }
    }
    rebuild.finish()
}
