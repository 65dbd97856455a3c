//! Element-wise operations, single or fused: one program over blocks of the first-level cache.

use super::assemble::assemble;
use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part};
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::ops::{Expr, Fused};
use whimbrel_graph::{Op, ValueId};
use whimbrel_kernels::elementwise::{Broadcast, Input, Program};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Reads, Span, Views};

/// Most operands a program may have.
const MANY: usize = 16;

/// How an operand lies under the result.
enum Operand {
    /// Element by element.
    Dense,
    /// Repeated along some axes.
    Repeated(Broadcast),
}

/// Lowers a unary, binary, select or fused node.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    lower_over(at, &fused_form(at), &at.node().inputs)
}

/// Lowers steps over `inputs`, which may be results of the node made before.
pub fn lower_over(
    at: &Lowering,
    fused: &Fused,
    inputs: &[ValueId],
) -> Result<Vec<Instruction>, EngineError> {
    let steps = Steps::new(at, fused, inputs)?;
    let blocks = at.blocks();
    let words = at.block(at.output(0), 0).len;
    let ranges = if blocks > 1 { vec![0..words; blocks] } else { parts(at, inputs, words) };
    let access = |piece: usize| {
        let block = if blocks > 1 { piece } else { 0 };
        let Range { start, end } = ranges[piece];
        let writes = at.node().outputs.iter().map(|&value| {
            let span = at.block(value, block);
            Span::new(span.offset + start, end - start)
        });
        Access::new(steps.reads(at, block, start..end), writes.collect::<Vec<_>>())
    };
    let accesses = (0..ranges.len()).map(access).collect();
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let (reads, writes) = views.split();
        let mut outputs = [const { None }; 8];
        let mut count = 0;
        for (output, data) in outputs.iter_mut().zip(writes) {
            *output = Some(data);
            count += 1;
        }
        let mut slices = outputs.map(Option::unwrap_or_default);
        let range = ranges[piece].clone();
        steps.run(&reads, 0..range.len(), range.start, &mut slices[..count]);
    });
    Ok(instruction(at, accesses, kernel))
}

/// The program of some steps, and what it reads besides the operands whose places its results take
/// over.
pub struct Steps {
    program: Program,
    operands: Vec<Operand>,
    values: Vec<ValueId>,
}

impl Steps {
    /// The program of `fused` over `inputs`, into the results of the node.
    pub fn new(at: &Lowering, fused: &Fused, inputs: &[ValueId]) -> Result<Steps, EngineError> {
        let in_place: Vec<Option<usize>> =
            at.node().outputs.iter().map(|&o| taken_over(at, inputs, o)).collect();
        let program =
            assemble(fused, inputs.len(), &in_place).map_err(|reason| at.unsupported(reason))?;
        let shape = at.block_shape(at.output(0));
        let mut steps = Steps { program, operands: Vec::new(), values: Vec::new() };
        for (i, &value) in inputs.iter().enumerate() {
            if !in_place.contains(&Some(i)) {
                steps.operands.push(operand(at, value, shape)?);
                steps.values.push(value);
            }
        }
        Ok(steps)
    }

    /// What it reads for the words `range` of a block of the results.
    pub fn reads(&self, at: &Lowering, block: usize, range: Range<usize>) -> Vec<Span> {
        let read = |(&value, operand): (&ValueId, &Operand)| {
            let span = at.block(value, block);
            match operand {
                Operand::Dense => Span::new(span.offset + range.start, range.len()),
                Operand::Repeated(_) => span,
            }
        };
        self.values.iter().zip(&self.operands).map(read).collect()
    }

    /// Runs over the words `within` those that `reads` and `results` were cut for; `start` is the first
    /// of them in the block.
    pub fn run(
        &self,
        reads: &Reads<'_>,
        within: Range<usize>,
        start: usize,
        results: &mut [&mut [f32]],
    ) {
        let mut inputs = [const { Input::Scalar(0.0) }; MANY];
        for ((input, operand), data) in inputs.iter_mut().zip(&self.operands).zip(reads.iter()) {
            *input = match operand {
                Operand::Dense => Input::Dense(&data[within.clone()]),
                Operand::Repeated(broadcast) => Input::Broadcast(data, broadcast),
            };
        }
        self.program.run(start, &inputs[..self.operands.len()], results);
    }
}

/// The parts of a result of so many words: those an operand was made in, or as many as are worth it.
fn parts(at: &Lowering, inputs: &[ValueId], words: usize) -> Vec<Range<usize>> {
    let dense = |value: &&ValueId| at.block(**value, 0).len == words;
    let made = inputs.iter().filter(dense).find_map(|&value| at.parts_written(value));
    // The unit keeps cuts on cache lines.
    let pieces = at.pieces(words / 256);
    made.unwrap_or_else(|| (0..pieces).map(|i| part(words, 16, pieces, i)).collect())
}

/// Single operations are fused programs of one step.
fn fused_form(at: &Lowering) -> Fused {
    let steps = match at.op() {
        Op::Fused(fused) => return fused.clone(),
        Op::Unary(unary) => vec![Expr::Input(0), Expr::Unary(unary.op, 0)],
        Op::Binary(binary) => {
            vec![Expr::Input(0), Expr::Input(1), Expr::Binary(binary.op, 0, 1)]
        }
        _ => vec![Expr::Input(0), Expr::Input(1), Expr::Input(2), Expr::Select(0, 1, 2)],
    };
    let results = vec![steps.len() - 1];
    Fused { shape: at.shape(at.output(0)), steps, results }
}

/// The operand whose place a result has taken over, if any.
fn taken_over(at: &Lowering, inputs: &[ValueId], output: ValueId) -> Option<usize> {
    let words = at.block(output, 0);
    inputs.iter().position(|&input| at.block(input, 0) == words && words.len > 0)
}

fn operand(at: &Lowering, value: ValueId, shape: Shape) -> Result<Operand, EngineError> {
    let own = at.block_shape(value);
    if own == shape || at.layouts.in_panels(value) {
        return Ok(Operand::Dense);
    }
    let lead = shape.rank() - own.rank();
    let strides = own.strides();
    let stride = |axis: usize| match axis.checked_sub(lead) {
        Some(axis) if own[axis] != 1 => strides[axis],
        _ => 0,
    };
    let strides: Vec<_> = (0..shape.rank()).map(stride).collect();
    if at.layouts.in_panels(at.output(0)) {
        // Over panels only single numbers are repeated.
        return Ok(Operand::Repeated(Broadcast::scalar(at.block(at.output(0), 0).len)));
    }
    let broadcast = Broadcast::new(&shape, &strides);
    broadcast.map(Operand::Repeated).map_err(|e| at.unsupported(e.to_string()))
}
