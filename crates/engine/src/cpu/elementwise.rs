//! Element-wise operations, single or fused: one program over blocks of the first-level cache.

use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part};
use crate::EngineError;
use whimbrel_graph::ops::{BinaryOp, Expr, Fused, UnaryOp};
use whimbrel_graph::{Op, ValueId};
use whimbrel_kernels::elementwise::{
    Binary, Broadcast, Input, Output, Program, Source, Step, Target, Unary,
};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span};

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
    let fused = fused_form(at);
    let inputs = &at.node().inputs;
    let result = at.output(0);
    let in_place: Vec<Option<usize>> =
        at.node().outputs.iter().map(|&o| taken_over(at, inputs, o)).collect();
    let program =
        compile(&fused, inputs.len(), &in_place).map_err(|reason| at.unsupported(reason))?;
    let shape = at.block_shape(result);
    let mut operands = Vec::new();
    let mut reads: Vec<ValueId> = Vec::new();
    for (i, &value) in inputs.iter().enumerate() {
        if in_place.contains(&Some(i)) {
            continue;
        }
        operands.push(operand(at, value, shape)?);
        reads.push(value);
    }
    let blocks = at.blocks();
    let words = at.block(result, 0).len;
    // Cut inside a block only if there is one; the unit keeps cuts on cache lines.
    let pieces = if blocks > 1 { blocks } else { at.pieces(words / 256) };
    let range = move |piece: usize| match blocks {
        1 => part(words, 16, pieces, piece),
        _ => 0..words,
    };
    let cut = |value: ValueId, piece: usize, dense: bool| {
        let span = at.block(value, if blocks > 1 { piece } else { 0 });
        let range = range(piece);
        if dense { Span::new(span.offset + range.start, range.len()) } else { span }
    };
    let access = |piece: usize| {
        let reads = reads
            .iter()
            .zip(&operands)
            .map(|(&value, operand)| cut(value, piece, matches!(operand, Operand::Dense)));
        let writes = at.node().outputs.iter().map(|&value| cut(value, piece, true));
        Access::new(reads.collect::<Vec<_>>(), writes.collect::<Vec<_>>())
    };
    let accesses = (0..pieces).map(access).collect();
    let kernel = Box::new(move |piece: usize, views: whimbrel_tensor::arena::Views<'_>| {
        let (reads, writes) = views.split();
        let mut inputs = [const { Input::Scalar(0.0) }; MANY];
        for ((input, operand), data) in inputs.iter_mut().zip(&operands).zip(reads.iter()) {
            *input = match operand {
                Operand::Dense => Input::Dense(data),
                Operand::Repeated(broadcast) => Input::Broadcast(data, broadcast),
            };
        }
        let mut outputs = [const { None }; 8];
        let mut count = 0;
        for (output, data) in outputs.iter_mut().zip(writes) {
            *output = Some(data);
            count += 1;
        }
        run(&program, range(piece).start, &inputs[..operands.len()], outputs, count);
    });
    Ok(instruction(at, accesses, kernel))
}

/// Runs over `count` outputs; programs want them as a slice of slices.
fn run(
    program: &Program,
    start: usize,
    inputs: &[Input],
    outputs: [Option<&mut [f32]>; 8],
    count: usize,
) {
    let mut slices = outputs.map(Option::unwrap_or_default);
    program.run(start, inputs, &mut slices[..count]);
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
    let len = if at.layouts.in_panels(at.output(0)) { None } else { Some(()) };
    match len {
        // Over panels only single numbers are repeated.
        None => Ok(Operand::Repeated(Broadcast::scalar(at.block(at.output(0), 0).len))),
        Some(()) => Broadcast::new(&shape, &strides)
            .map(Operand::Repeated)
            .map_err(|e| at.unsupported(e.to_string())),
    }
}

/// Turns the steps into a program: registers are reused as soon as their value is dead, results
/// are written straight to their output.
fn compile(fused: &Fused, inputs: usize, in_place: &[Option<usize>]) -> Result<Program, String> {
    let mut last_use: Vec<usize> = vec![0; fused.steps.len()];
    for (i, step) in fused.steps.iter().enumerate() {
        for a in step.operands() {
            last_use[a] = i;
        }
    }
    // Inputs that stay inputs are numbered without those taken over in place.
    let mut numbers: Vec<Option<u8>> = Vec::new();
    let mut next = 0u8;
    for i in 0..inputs {
        numbers.push((!in_place.contains(&Some(i))).then(|| {
            next += 1;
            next - 1
        }));
    }
    let last_reads: Vec<usize> = (0..inputs)
        .map(|input| {
            let reads = fused.steps.iter().enumerate().filter(|(_, s)| **s == Expr::Input(input));
            reads.map(|(at, _)| last_use[at]).max().unwrap_or(0)
        })
        .collect();
    let mut sources: Vec<Source> = Vec::new();
    let mut free: Vec<u8> = (0..16).rev().collect();
    let mut steps = Vec::new();
    for (i, step) in fused.steps.iter().enumerate() {
        let get = |a: usize| sources[a];
        let make: Box<dyn Fn(Target) -> Step> = match *step {
            Expr::Input(n) => {
                let taken = in_place.iter().position(|&p| p == Some(n));
                sources.push(match (numbers.get(n).copied().flatten(), taken) {
                    (Some(number), _) => Source::Input(number),
                    (None, Some(output)) => Source::Output(output as u8),
                    (None, None) => return Err("an operand is missing".into()),
                });
                continue;
            }
            Expr::Constant(x) => {
                sources.push(Source::Constant(x));
                continue;
            }
            Expr::Unary(op, a) => {
                let a = get(a);
                Box::new(move |dst| Step::unary(unary(op), a, dst))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (get(a), get(b));
                Box::new(move |dst| Step::binary(binary(op), a, b, dst))
            }
            Expr::Select(m, a, b) => {
                let (mask, a, b) = (get(m), get(a), get(b));
                Box::new(move |dst| Step::Select { mask, a, b, dst })
            }
        };
        for a in step.operands() {
            if let Source::Register(r) = sources[a]
                && last_use[a] == i
                && !free.contains(&r)
            {
                free.push(r);
            }
        }
        // A result may be written to its output at once, unless that output still holds an operand.
        let output = fused.results.iter().position(|&r| r == i);
        let direct = output.filter(|&o| in_place[o].is_none_or(|input| last_reads[input] <= i));
        let dst = match direct {
            Some(o) => Target::Output(o as u8),
            None => Target::Register(free.pop().ok_or("too many intermediate values")?),
        };
        steps.push(make(dst));
        sources.push(match dst {
            Target::Output(o) => Source::Output(o),
            Target::Register(r) => Source::Register(r),
        });
        if let (Some(_), None) = (output, direct) {
            last_use[i] = usize::MAX;
        }
    }
    for (o, &result) in fused.results.iter().enumerate() {
        if sources[result] != Source::Output(o as u8) {
            // Adding nothing copies, and keeps NaN and the sign of zero.
            let dst = Target::Output(o as u8);
            steps.push(Step::binary(Binary::Sub, sources[result], Source::Constant(0.0), dst));
        }
    }
    let outputs: Vec<_> = in_place
        .iter()
        .map(|taken| if taken.is_some() { Output::InPlace } else { Output::Fresh })
        .collect();
    Program::new(usize::from(next), &outputs, steps).map_err(|e| e.to_string())
}

fn unary(op: UnaryOp) -> Unary {
    match op {
        UnaryOp::Neg => Unary::Neg,
        UnaryOp::Abs => Unary::Abs,
        UnaryOp::Sign => Unary::Sign,
        UnaryOp::Square => Unary::Square,
        UnaryOp::Sqrt => Unary::Sqrt,
        UnaryOp::Rsqrt => Unary::Rsqrt,
        UnaryOp::Recip => Unary::Recip,
        UnaryOp::Exp => Unary::Exp,
        UnaryOp::Log => Unary::Log,
        UnaryOp::Log1p => Unary::Log1p,
        UnaryOp::Sin => Unary::Sin,
        UnaryOp::Cos => Unary::Cos,
        UnaryOp::Tanh => Unary::Tanh,
        UnaryOp::Sigmoid => Unary::Sigmoid,
        UnaryOp::Relu => Unary::Relu,
        UnaryOp::Softplus => Unary::Softplus,
        UnaryOp::Silu => Unary::Silu,
        UnaryOp::Gelu => Unary::Gelu,
        UnaryOp::Erf => Unary::Erf,
        UnaryOp::Floor => Unary::Floor,
    }
}

fn binary(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Sub,
        BinaryOp::Mul => Binary::Mul,
        BinaryOp::Div => Binary::Div,
        BinaryOp::Max => Binary::Max,
        BinaryOp::Min => Binary::Min,
        BinaryOp::Pow => Binary::Pow,
        BinaryOp::Lt => Binary::Lt,
        BinaryOp::Le => Binary::Le,
        BinaryOp::Eq => Binary::Eq,
    }
}
