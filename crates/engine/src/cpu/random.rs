//! Random numbers: four rows of one item come from one call of the generator, so any cut of the
//! batch draws the same numbers.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::Op;
use whimbrel_graph::ops::{Distribution, Random, philox};
use whimbrel_tensor::arena::{Access, Views};

/// Lowers random numbers, block by block of the batch.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Random(random) = at.op().clone() else { return Err(at.unsupported("not random")) };
    let out = at.output(0);
    let blocks = at.plan.lanes.blocks_of(out);
    let shape = at.block_shape(out);
    let lanes = shape.last().copied().unwrap_or(1);
    if blocks > 1 && lanes != at.plan.lanes.lanes {
        return Err(at.unsupported("its last axis is more than the batch"));
    }
    let access = |block: usize| Access::new([at.block(at.input(0), 0)], [at.block(out, block)]);
    let kernel = Box::new(move |block: usize, views: Views<'_>| {
        let (reads, mut writes) = views.split();
        let (Some(&[seed, step]), Some(out)) = (reads.get_i32(0), writes.next()) else { return };
        let first = if blocks > 1 { block * lanes } else { 0 };
        fill(&random, [seed as u32, step as u32], first, lanes, out);
    });
    Ok(instruction(at, (0..blocks).map(access).collect(), kernel))
}

/// Rows of `lanes` items, the first of them item `first`.
fn fill(random: &Random, [seed, step]: [u32; 2], first: usize, lanes: usize, out: &mut [f32]) {
    for (group, rows) in out.chunks_mut(4 * lanes.max(1)).enumerate() {
        for lane in 0..lanes {
            let item = (first + lane) as u32;
            let counter = [item, group as u32, step, (random.key >> 32) as u32];
            let words = philox(counter, [seed, random.key as u32]);
            let unit = words.map(|word| (word >> 8) as f32 / (1 << 24) as f32);
            let numbers = match random.distribution {
                Distribution::Uniform => unit,
                Distribution::Bernoulli { p } => unit.map(|u| if u < p { 1.0 } else { 0.0 }),
                Distribution::Normal => {
                    let [a, b] = pair(unit[0], unit[1]);
                    let [c, d] = pair(unit[2], unit[3]);
                    [a, b, c, d]
                }
            };
            for (row, number) in rows.chunks_mut(lanes).zip(numbers) {
                row[lane] = number;
            }
        }
    }
}

/// Two normal numbers from two uniform ones.
fn pair(a: f32, b: f32) -> [f32; 2] {
    let radius = (-2.0 * (-f64::from(a)).ln_1p()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * f64::from(b)).sin_cos();
    [(radius * cos) as f32, (radius * sin) as f32]
}
