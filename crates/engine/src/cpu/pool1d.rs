//! Pooling over time and its gradient, block by block of the batch.

use super::instruction;
use super::instruction::{Instruction, Kernel};
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::{Op, ops};
use whimbrel_kernels::pool1d::{Pool1d, PoolOp, pool1d, pool1d_grad};
use whimbrel_tensor::arena::{Access, Views};

fn settings(pool: &ops::Pool1d) -> Pool1d {
    let op = match pool.op {
        ops::PoolOp::Max => PoolOp::Max,
        ops::PoolOp::Average => PoolOp::Average,
    };
    let ops::Pool1d { kernel, stride, padding, dilation, .. } = *pool;
    Pool1d { op, kernel, stride, padding, dilation }
}

/// Lowers a pooling or its gradient.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let kernel: Kernel = match at.op() {
        Op::Pool1d(op) => {
            let shape = at.block_shape(at.input(0));
            let (pool, time, width) = (settings(op), shape[0], shape[1] * shape[2]);
            Box::new(move |_, views: Views<'_>| {
                let ([x], [y]) = views.get();
                pool1d(pool, time, width, x, y);
            })
        }
        Op::Pool1dGrad(op) => {
            let shape = at.block_shape(at.output(0));
            let (pool, time, width) = (settings(&op.pool), op.time, shape[1] * shape[2]);
            match op.pool.op {
                ops::PoolOp::Max => Box::new(move |_, views: Views<'_>| {
                    let ([x, dy], [dx]) = views.get();
                    pool1d_grad(pool, time, width, x, dy, dx);
                }),
                // The mean's gradient does not look at the operand and is not given it.
                ops::PoolOp::Average => Box::new(move |_, views: Views<'_>| {
                    let ([dy], [dx]) = views.get();
                    pool1d_grad(pool, time, width, &[], dy, dx);
                }),
            }
        }
        _ => return Err(at.unsupported("not a pooling")),
    };
    let access = |block: usize| {
        let reads = at.node().inputs.iter().map(|&v| at.block(v, block));
        Access::new(reads.collect::<Vec<_>>(), [at.block(at.output(0), block)])
    };
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
