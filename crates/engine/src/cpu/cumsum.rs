//! Cumulative sums along an axis, block by block of the batch.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::Op;
use whimbrel_kernels::reduce::cumulative_sum;
use whimbrel_tensor::arena::{Access, Views};

/// Lowers a cumulative sum.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Cumsum(op) = *at.op() else { return Err(at.unsupported("not a cumulative sum")) };
    let shape = at.block_shape(at.input(0));
    let (outer, inner) = (&shape[..op.axis], &shape[op.axis + 1..]);
    let sizes = [outer.iter().product(), shape[op.axis], inner.iter().product()];
    let access =
        |block: usize| Access::new([at.block(at.input(0), block)], [at.block(at.output(0), block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([x], [y]) = views.get();
        cumulative_sum(sizes, op.reverse, x, y);
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
