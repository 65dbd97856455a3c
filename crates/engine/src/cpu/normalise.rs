//! Softmax, its logarithm, cross entropy and layer norm: along one axis, block by block.

use super::instruction;
use super::instruction::{Instruction, Kernel};
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::{Graph, Node, Op};
use whimbrel_kernels::norm::{Affine, layer_norm};
use whimbrel_kernels::softmax::{cross_entropy, cross_entropy_grad, log_softmax, softmax};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views, as_i32};

/// `[outer, n, inner]` around an axis.
fn sizes(shape: Shape, axis: usize) -> [usize; 3] {
    [shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()]
}

/// Words of scratch memory: the means of a layer norm, which nobody asks for.
pub fn scratch(graph: &Graph, node: &Node) -> usize {
    match node.op {
        Op::LayerNorm(_) => graph.ty(node.outputs[1]).numel(),
        _ => 0,
    }
}

/// Lowers any of them.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let shape = at.block_shape(at.input(0));
    let mut own = 0;
    let kernel: Kernel = match *at.op() {
        Op::Softmax(op) => {
            let sizes = sizes(shape, op.axis);
            Box::new(move |_, views: Views<'_>| {
                let ([x], [y]) = views.get();
                softmax(sizes, x, y);
            })
        }
        Op::LogSoftmax(op) => {
            let sizes = sizes(shape, op.axis);
            Box::new(move |_, views: Views<'_>| {
                let ([x], [y]) = views.get();
                log_softmax(sizes, x, y);
            })
        }
        Op::CrossEntropy(_) => {
            let sizes = sizes(shape, 0);
            Box::new(move |_, views: Views<'_>| {
                let ([x, labels], [loss]) = views.get();
                cross_entropy(sizes, x, as_i32(labels), loss);
            })
        }
        Op::CrossEntropyGrad(_) => {
            let sizes = sizes(shape, 0);
            Box::new(move |_, views: Views<'_>| {
                let ([x, labels, dloss], [dx]) = views.get();
                cross_entropy_grad(sizes, x, as_i32(labels), dloss, dx);
            })
        }
        Op::LayerNorm(op) => {
            let sizes = sizes(shape, op.axis);
            own = at.block(at.output(1), 0).len;
            let eps = op.eps as f32;
            Box::new(move |_, views: Views<'_>| {
                let ([x], [y, rstd, mean]) = views.get();
                layer_norm(sizes, eps, x, Affine::default(), y, mean, rstd);
            })
        }
        _ => return Err(at.unsupported("not a normalisation")),
    };
    let scratch = at.scratch();
    let access = |block: usize| {
        let reads = at.node().inputs.iter().map(|&v| at.block(v, block));
        let mut writes: Vec<Span> = at.node().outputs.iter().map(|&v| at.block(v, block)).collect();
        if own > 0 {
            writes.push(Span::new(scratch.offset + block * own, own));
        }
        Access::new(reads.collect::<Vec<_>>(), writes)
    };
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
