//! Gather: rows of a table as the items of a batch; and its gradient, scatter-add.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::{Op, ValueId};
use whimbrel_kernels::gather::{gather_rows, scatter_add};
use whimbrel_tensor::arena::{Access, Views, as_i32};

/// Indices are checked before a run, which only works for those that are bound.
fn check_source(at: &Lowering, index: ValueId) -> Result<(), EngineError> {
    match at.graph.op_of(index) {
        Op::Input(_) => Ok(()),
        _ => Err(at.unsupported("its indices must be an input")),
    }
}

/// Batch items in a block of `index`, which has a row of them for each step of a sequence.
fn lanes_of(at: &Lowering, index: ValueId) -> usize {
    at.block_shape(index).last().copied().unwrap_or(1).max(1)
}

/// Lowers a gather, block by block of the batch.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let (table, index, out) = (at.input(0), at.input(1), at.output(0));
    check_source(at, index)?;
    let shape = at.shape(table);
    let features = shape[1];
    let access = |block: usize| {
        Access::new([at.block(table, 0), at.block(index, block)], [at.block(out, block)])
    };
    let accesses = (0..at.blocks()).map(access).collect();
    let lanes = lanes_of(at, index);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([table, index], [out]) = views.get();
        let steps = as_i32(index).chunks_exact(lanes);
        for (index, out) in steps.zip(out.chunks_exact_mut((features * lanes).max(1))) {
            // Indices were checked before the run.
            let _ = gather_rows(table, features, index, out);
        }
    });
    Ok(instruction(at, accesses, kernel))
}

/// Lowers a scatter-add: one piece, because items may name the same row.
pub fn lower_scatter(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let (items, index, out) = (at.input(0), at.input(1), at.output(0));
    check_source(at, index)?;
    let features = at.shape(out)[1];
    let blocks = at.blocks();
    let (words, step) = (at.block(items, 0).len, at.stride(items));
    let (count, index_step) = (at.block(index, 0).len, at.stride(index));
    let lanes = lanes_of(at, index);
    let access = Access::new([at.span(items), at.span(index)], [at.block(out, 0)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([items, index], [out]) = views.get();
        out.fill(0.0);
        for block in 0..blocks {
            let items = items[block * step..][..words].chunks_exact((features * lanes).max(1));
            let index = as_i32(&index[block * index_step..][..count]).chunks_exact(lanes);
            for (items, index) in items.zip(index) {
                // Indices were checked before the run.
                let _ = scatter_add(items, features, index, out);
            }
        }
    });
    Ok(instruction(at, vec![access], kernel))
}
