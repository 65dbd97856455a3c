//! Between f32 and i32, and counting: values made element by element from integers.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::Op;
use whimbrel_tensor::DType;
use whimbrel_tensor::arena::{Access, Views, as_i32, as_i32_mut};

/// Lowers a cast; `as` rounds towards 0, saturates and turns NaN into 0, as the operation does.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let (from, to) = (at.graph.ty(at.input(0)).dtype, at.graph.ty(at.output(0)).dtype);
    let access =
        |block: usize| Access::new([at.block(at.input(0), block)], [at.block(at.output(0), block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([x], [y]) = views.get();
        match (from, to) {
            (DType::F32, DType::I32) => {
                as_i32_mut(y).iter_mut().zip(x).for_each(|(y, &x)| *y = x as i32);
            }
            (DType::I32, DType::F32) => {
                y.iter_mut().zip(as_i32(x)).for_each(|(y, &x)| *y = x as f32);
            }
            _ => y.copy_from_slice(x),
        }
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}

/// Lowers counting along an axis.
pub fn lower_iota(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Iota(op) = at.op() else { return Err(at.unsupported("not a count")) };
    let out = at.output(0);
    let shape = at.block_shape(out);
    if at.plan.lanes.is_split(out) && op.axis + 1 == shape.rank() {
        return Err(at.unsupported("it counts the batch, which is cut"));
    }
    let inner: usize = shape[op.axis + 1..].iter().product();
    let n = shape[op.axis];
    let access = |block: usize| Access::new([], [at.block(out, block)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([], [y]) = views.get();
        for (i, run) in y.chunks_exact_mut(inner.max(1)).enumerate() {
            run.fill((i % n.max(1)) as f32);
        }
    });
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}
