//! Reversal along an axis, block by block of the batch.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::Op;
use whimbrel_tensor::arena::{Access, Views};

/// Lowers a reversal: whatever lies within one step of the axis is moved as a whole.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Reverse(reverse) = *at.op() else { return Err(at.unsupported("not a reversal")) };
    let shape = at.block_shape(at.input(0));
    let steps = shape[reverse.axis];
    let step_words = shape[reverse.axis + 1..].iter().product::<usize>().max(1);
    let access =
        |block: usize| Access::new([at.block(at.input(0), block)], [at.block(at.output(0), block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([x], [y]) = views.get();
        let sequence_words = (steps * step_words).max(1);
        for (x, y) in x.chunks_exact(sequence_words).zip(y.chunks_exact_mut(sequence_words)) {
            for (from, to) in x.chunks_exact(step_words).zip(y.chunks_exact_mut(step_words).rev()) {
                to.copy_from_slice(from);
            }
        }
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
