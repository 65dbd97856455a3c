//! Random numbers, block by block of the batch; any cut draws the same numbers.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::{Op, ops};
use whimbrel_kernels::random::{Distribution, Place, Stream, fill};
use whimbrel_tensor::arena::{Access, Views, as_i32};

fn distribution(of: ops::Distribution) -> Distribution {
    match of {
        ops::Distribution::Uniform => Distribution::Uniform,
        ops::Distribution::Normal => Distribution::Normal,
        ops::Distribution::Bernoulli { p } => Distribution::Bernoulli { p },
    }
}

/// Lowers random numbers.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Random(random) = at.op() else { return Err(at.unsupported("not random")) };
    let out = at.output(0);
    let blocks = at.plan.lanes.blocks_of(out);
    let lanes = at.block_shape(out).last().copied().unwrap_or(1);
    if blocks > 1 && lanes != at.plan.lanes.lanes {
        return Err(at.unsupported("its last axis is more than the batch"));
    }
    let access = |block: usize| Access::new([at.block(at.input(0), 0)], [at.block(out, block)]);
    let (key, distribution) = (random.key, distribution(random.distribution));
    let kernel = Box::new(move |block: usize, views: Views<'_>| {
        let ([rng], [out]) = views.get();
        let rng = as_i32(rng);
        let stream = Stream { seed: rng[0] as u32, step: rng[1] as u32, key };
        fill(distribution, stream, Place { row: 0, item: block * lanes, lanes }, out);
    });
    Ok(instruction(at, (0..blocks).map(access).collect(), kernel))
}
