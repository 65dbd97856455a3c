//! Reductions: along inner axes block by block, over the batch in two steps.

use super::instruction::{Instruction, Kernel};
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::ops::{Reduce, ReduceOp};
use whimbrel_graph::{Graph, Node, Op};
use whimbrel_kernels::reduce::{self, reduce};
use whimbrel_plan::Lanes;
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views};

/// One pass over `[outer, n, inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    outer: usize,
    n: usize,
    inner: usize,
}

/// The passes that reduce `shape` along `axes`: adjacent reduced axes are one pass, inner ones
/// first.
fn passes(shape: &[usize], axes: &[usize]) -> Vec<Pass> {
    let mut sizes = shape.to_vec();
    let mut passes = Vec::new();
    let mut axis = shape.len();
    while axis > 0 {
        axis -= 1;
        if !axes.contains(&axis) {
            continue;
        }
        let end = axis + 1;
        while axis > 0 && axes.contains(&(axis - 1)) {
            axis -= 1;
        }
        let product = |sizes: &[usize]| sizes.iter().product();
        let n = product(&sizes[axis..end]);
        passes.push(Pass { outer: product(&sizes[..axis]), n, inner: product(&sizes[end..]) });
        sizes[axis..end].fill(1);
    }
    passes
}

/// Words of scratch memory: for each block the results of all passes but the last, and its partial
/// result where the batch is reduced.
pub fn scratch(graph: &Graph, lanes: &Lanes, node: &Node) -> usize {
    let Op::Reduce(op) = &node.op else { return 0 };
    let (x, y) = (node.inputs[0], node.outputs[0]);
    let blocks = lanes.blocks_of(x);
    let partial = if blocks > lanes.blocks_of(y) { graph.ty(y).numel() } else { 0 };
    blocks * (partial + temporary(&passes(&lanes.block_shape(graph, x), &op.axes)))
}

/// Lowers a reduction.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Reduce(op) = at.op() else { return Err(at.unsupported("not a reduction")) };
    let (x, y) = (at.input(0), at.output(0));
    let blocks = at.plan.lanes.blocks_of(x);
    let over_batch = blocks > 1 && !at.plan.lanes.is_split(y);
    let shape = at.block_shape(x);
    let results = at.block(y, 0).len;
    let scratch = at.scratch();
    // Each block has its own part of the scratch memory: its partial result, then temporaries.
    let per_block = scratch.len / blocks.max(1);
    let access = |block: usize| {
        let own = Span::new(scratch.offset + block * per_block, per_block);
        match over_batch {
            true => Access::new([at.block(x, block)], [own]),
            false => Access::new([at.block(x, block)], [own, at.block(y, block)]),
        }
    };
    let first = Instruction {
        name: at.op().to_string(),
        cost: at.cost(),
        pieces: (0..blocks).map(access).collect(),
        kernel: kernel(op, shape, results, over_batch),
    };
    if !over_batch {
        return Ok(vec![first]);
    }
    let how = kind(op.op);
    let second = Instruction {
        name: format!("{} over blocks", at.op()),
        cost: Default::default(),
        pieces: vec![Access::new([scratch], [at.block(y, 0)])],
        kernel: Box::new(move |_, views| {
            let ([partial], [y]) = views.get();
            for (i, y) in y.iter_mut().enumerate() {
                let mut parts = (0..blocks).map(|b| partial[b * per_block + i]);
                let start = parts.next().unwrap_or(0.0);
                *y = parts.fold(start, |so_far, new| how.combine(so_far, new));
            }
        }),
    };
    Ok(vec![first, second])
}

fn temporary(passes: &[Pass]) -> usize {
    passes.iter().take(passes.len().saturating_sub(1)).map(|p| p.outer * p.inner).sum()
}

fn kind(op: ReduceOp) -> reduce::Reduce {
    match op {
        ReduceOp::Sum => reduce::Reduce::Sum,
        ReduceOp::Max => reduce::Reduce::Max,
        ReduceOp::Min => reduce::Reduce::Min,
    }
}

/// Reduces one block. Over the batch, the partial result is at the start of the scratch memory and
/// the temporaries follow; otherwise the result has a span of its own.
fn kernel(op: &Reduce, shape: Shape, results: usize, over_batch: bool) -> Kernel {
    let how = kind(op.op);
    let passes = passes(&shape, &op.axes);
    Box::new(move |_, views: Views<'_>| {
        if over_batch {
            let ([x], [scratch]) = views.get();
            let (y, temporary) = scratch.split_at_mut(results);
            run_passes(how, &passes, x, temporary, y);
        } else {
            let ([x], [temporary, y]) = views.get();
            run_passes(how, &passes, x, temporary, y);
        }
    })
}

fn run_passes(
    how: reduce::Reduce,
    passes: &[Pass],
    x: &[f32],
    temporary: &mut [f32],
    y: &mut [f32],
) {
    let Some((pass, rest)) = passes.split_first() else { return y.copy_from_slice(x) };
    if rest.is_empty() {
        return reduce(how, pass.outer, pass.n, pass.inner, x, y);
    }
    let (made, temporary) = temporary.split_at_mut(pass.outer * pass.inner);
    reduce(how, pass.outer, pass.n, pass.inner, x, made);
    run_passes(how, rest, made, temporary, y);
}
