//! Cumulative sums along an axis, block by block of the batch.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::Op;
use whimbrel_tensor::arena::{Access, Views};

/// Lowers a cumulative sum.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Cumsum(op) = *at.op() else { return Err(at.unsupported("not a cumulative sum")) };
    let shape = at.block_shape(at.input(0));
    let n = shape[op.axis];
    let inner: usize = shape[op.axis + 1..].iter().product();
    let access =
        |block: usize| Access::new([at.block(at.input(0), block)], [at.block(at.output(0), block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([x], [y]) = views.get();
        y.copy_from_slice(x);
        for outer in y.chunks_exact_mut((n * inner).max(1)) {
            for j in 1..n {
                // From the end, row n - 1 - j takes up the one after it.
                let (to, from) = if op.reverse { (n - 1 - j, n - j) } else { (j, j - 1) };
                let (low, high) = outer.split_at_mut(to.max(from) * inner);
                let at = to.min(from) * inner;
                let (low, high) = (&mut low[at..at + inner], &mut high[..inner]);
                let (to, from) = if op.reverse { (low, high) } else { (high, low) };
                for (to, from) in to.iter_mut().zip(from.iter()) {
                    *to += *from;
                }
            }
        }
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
