//! Operations that only move elements: broadcast, permute, slice, concat, pad, and views that could
//! not be one.

use super::instruction;
use super::instruction::Instruction;
use super::layout::Layouts;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::{Cost, Graph, Op, ValueId};
use whimbrel_kernels::copy::strided_copy;
use whimbrel_plan::{Place, Plan};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Elements of a source, axis by axis of the result: sizes and steps.
struct Walk {
    sizes: Vec<usize>,
    src: Vec<usize>,
    dst: Vec<usize>,
    src_start: usize,
    dst_start: usize,
}

/// One instruction that copies operand `i` to the result along `walks[i]`, block by block.
fn lower_walks(at: &Lowering, walks: Vec<Walk>) -> Vec<Instruction> {
    let blocks = at.blocks();
    let access = |block: usize| {
        let reads = at.node().inputs.iter().map(|&v| at.block(v, block));
        Access::new(reads.collect::<Vec<_>>(), [at.block(at.output(0), block)])
    };
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let (operands, result) = views.split_at(walks.len(), 0);
        let ([], [dst]) = result.get();
        for (walk, src) in walks.iter().zip(operands.split().0.iter()) {
            let dst = &mut dst[walk.dst_start..];
            strided_copy(&walk.sizes, &src[walk.src_start..], &walk.src, dst, &walk.dst);
        }
    });
    instruction(at, (0..blocks).map(access).collect(), kernel)
}

/// Repeats the operand.
pub fn lower_broadcast(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let (own, shape) = (at.block_shape(at.input(0)), at.block_shape(at.output(0)));
    let lead = shape.rank() - own.rank();
    let strides = own.strides();
    let step = |axis: usize| match axis.checked_sub(lead) {
        Some(axis) if own[axis] != 1 => strides[axis],
        _ => 0,
    };
    let walk = Walk {
        sizes: shape.to_vec(),
        src: (0..shape.rank()).map(step).collect(),
        dst: shape.strides().to_vec(),
        src_start: 0,
        dst_start: 0,
    };
    Ok(lower_walks(at, vec![walk]))
}

/// Copies a reshape that shares no memory with its operand.
pub fn lower_view(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let words = at.block(at.output(0), 0).len;
    let walk = Walk { sizes: vec![words], src: vec![1], dst: vec![1], src_start: 0, dst_start: 0 };
    Ok(lower_walks(at, vec![walk]))
}

/// Reorders axes.
pub fn lower_permute(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Permute(permute) = at.op() else { return Err(at.unsupported("not a permutation")) };
    let (own, shape) = (at.block_shape(at.input(0)), at.block_shape(at.output(0)));
    let strides = own.strides();
    let walk = Walk {
        sizes: shape.to_vec(),
        src: permute.order.iter().map(|&axis| strides[axis]).collect(),
        dst: shape.strides().to_vec(),
        src_start: 0,
        dst_start: 0,
    };
    Ok(lower_walks(at, vec![walk]))
}

/// Takes a range of an axis.
pub fn lower_slice(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Slice(slice) = at.op() else { return Err(at.unsupported("not a slice")) };
    let (own, shape) = (at.block_shape(at.input(0)), at.block_shape(at.output(0)));
    let strides = own.strides();
    let walk = Walk {
        sizes: shape.to_vec(),
        src: strides.to_vec(),
        dst: shape.strides().to_vec(),
        src_start: slice.start * strides[slice.axis],
        dst_start: 0,
    };
    Ok(lower_walks(at, vec![walk]))
}

/// Joins operands along an axis.
pub fn lower_concat(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Concat(concat) = at.op() else { return Err(at.unsupported("not a concatenation")) };
    let shape = at.block_shape(at.output(0));
    let strides = shape.strides();
    let mut walks = Vec::new();
    let mut dst_start = 0;
    for &input in &at.node().inputs {
        let own = at.block_shape(input);
        walks.push(Walk {
            sizes: own.to_vec(),
            src: own.strides().to_vec(),
            dst: strides.to_vec(),
            src_start: 0,
            dst_start,
        });
        dst_start += own[concat.axis] * strides[concat.axis];
    }
    Ok(lower_walks(at, walks))
}

/// Puts elements around the operand.
pub fn lower_pad(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Pad(pad) = at.op().clone() else { return Err(at.unsupported("not a padding")) };
    let (own, shape) = (at.block_shape(at.input(0)), at.block_shape(at.output(0)));
    let (src, dst) = (own.strides(), shape.strides());
    let start: usize = pad.low.iter().zip(dst.iter()).map(|(low, step)| low * step).sum();
    let access =
        |block: usize| Access::new([at.block(at.input(0), block)], [at.block(at.output(0), block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([x], [y]) = views.get();
        y.fill(pad.value);
        if !x.is_empty() {
            strided_copy(&own, x, &src, &mut y[start..], &dst);
        }
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}

/// Copies new state that could not be made in place, after everything else has run.
pub fn late_updates(
    graph: &Graph,
    plan: &Plan,
    layouts: &Layouts,
    spans: &dyn Fn(Place) -> Span,
) -> Vec<Instruction> {
    let span = |value: ValueId| {
        let first = spans(plan.place(value)?);
        Some(Span::new(first.offset, layouts.words(graph, value)))
    };
    let mut late = Vec::new();
    for update in graph.updates() {
        let (Some(src), Some(dst)) = (span(update.value), span(update.state)) else { continue };
        if src == dst {
            continue;
        }
        late.push(Instruction {
            name: format!("update {}", graph.label(update.state)),
            cost: Cost { flops: 0.0, bytes: 8.0 * src.len as f64 },
            pieces: vec![Access::new([src], [dst])],
            kernel: Box::new(|_, views| {
                let ([src], [dst]) = views.get();
                dst.copy_from_slice(src);
            }),
        });
    }
    late
}
