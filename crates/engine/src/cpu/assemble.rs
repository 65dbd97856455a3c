//! Turns the steps of a fused node into a program over block registers.
//!
//! Registers are reused as soon as their value is dead; results are written straight to their
//! output, unless that output still holds an operand that is read later.

use whimbrel_graph::ops::{BinaryOp, Expr, Fused, UnaryOp};
use whimbrel_kernels::elementwise::{Binary, Output, Program, Source, Step, Target, Unary};

/// Block registers of a program.
const REGISTERS: u8 = 16;

/// The program of `fused` over so many operands; `in_place` names, for each result, the operand
/// whose place it has taken over.
pub fn assemble(
    fused: &Fused,
    inputs: usize,
    in_place: &[Option<usize>],
) -> Result<Program, String> {
    let mut assembler = Assembler::new(fused, inputs, in_place);
    for at in 0..fused.steps.len() {
        assembler.step(at)?;
    }
    assembler.finish()
}

struct Assembler<'a> {
    fused: &'a Fused,
    in_place: &'a [Option<usize>],
    /// Number of each operand among those that stay inputs.
    numbers: Vec<Option<u8>>,
    /// The last step that reads each step.
    last_use: Vec<usize>,
    /// Where each step's value is.
    sources: Vec<Source>,
    free: Vec<u8>,
    steps: Vec<Step>,
}

impl<'a> Assembler<'a> {
    fn new(fused: &'a Fused, inputs: usize, in_place: &'a [Option<usize>]) -> Assembler<'a> {
        let mut last_use = vec![0; fused.steps.len()];
        for (at, step) in fused.steps.iter().enumerate() {
            for operand in step.operands() {
                last_use[operand] = at;
            }
        }
        // A result that is also read later stays where it is until the end.
        for &result in &fused.results {
            last_use[result] = usize::MAX;
        }
        let mut next = 0..;
        let stays = |input: usize| !in_place.contains(&Some(input));
        let numbers = (0..inputs).map(|i| if stays(i) { next.next() } else { None }).collect();
        let free = (0..REGISTERS).rev().collect();
        Assembler {
            fused,
            in_place,
            numbers,
            last_use,
            sources: Vec::new(),
            free,
            steps: Vec::new(),
        }
    }

    fn step(&mut self, at: usize) -> Result<(), String> {
        let source = match self.fused.steps[at] {
            Expr::Input(input) => self.input(input)?,
            Expr::Constant(x) => Source::Constant(x),
            Expr::Unary(op, a) => {
                let a = self.sources[a];
                self.compute(at, |dst| Step::unary(unary(op), a, dst))?
            }
            Expr::Binary(op, a, b) => {
                let [a, b] = [a, b].map(|operand| self.sources[operand]);
                self.compute(at, |dst| Step::binary(binary(op), a, b, dst))?
            }
            Expr::Select(mask, a, b) => {
                let [mask, a, b] = [mask, a, b].map(|operand| self.sources[operand]);
                self.compute(at, |dst| Step::Select { mask, a, b, dst })?
            }
        };
        self.sources.push(source);
        Ok(())
    }

    /// Adds the instruction of step `at`, given where it writes, and says where that is.
    fn compute(
        &mut self,
        at: usize,
        instruction: impl FnOnce(Target) -> Step,
    ) -> Result<Source, String> {
        for operand in self.fused.steps[at].operands() {
            self.release(operand, at);
        }
        let dst = self.target(at)?;
        self.steps.push(instruction(dst));
        Ok(match dst {
            Target::Output(o) => Source::Output(o),
            Target::Register(r) => Source::Register(r),
        })
    }

    fn input(&self, input: usize) -> Result<Source, String> {
        let taken = self.in_place.iter().position(|&place| place == Some(input));
        match (self.numbers.get(input).copied().flatten(), taken) {
            (Some(number), _) => Ok(Source::Input(number)),
            (None, Some(output)) => Ok(Source::Output(output as u8)),
            (None, None) => Err("an operand is missing".into()),
        }
    }

    /// Frees the register of a value read for the last time.
    fn release(&mut self, operand: usize, at: usize) {
        if let Source::Register(register) = self.sources[operand]
            && self.last_use[operand] == at
            && !self.free.contains(&register)
        {
            self.free.push(register);
        }
    }

    /// Where step `at` writes: its output, if it is a result and nothing there is still read.
    fn target(&mut self, at: usize) -> Result<Target, String> {
        let output = self.fused.results.iter().position(|&result| result == at);
        let vacant = |o: &usize| self.in_place[*o].is_none_or(|input| self.last_read(input) <= at);
        match output.filter(vacant) {
            Some(output) => Ok(Target::Output(output as u8)),
            None => {
                let register = self.free.pop().ok_or("too many intermediate values")?;
                Ok(Target::Register(register))
            }
        }
    }

    fn last_read(&self, input: usize) -> usize {
        let steps = self.fused.steps.iter().zip(&self.last_use);
        steps.filter(|(step, _)| **step == Expr::Input(input)).map(|(_, &at)| at).max().unwrap_or(0)
    }

    fn finish(mut self) -> Result<Program, String> {
        for (output, &result) in self.fused.results.iter().enumerate() {
            let (here, dst) = (self.sources[result], Target::Output(output as u8));
            if here != Source::Output(output as u8) {
                // Taking nothing away copies, and keeps NaN and the sign of zero.
                self.steps.push(Step::binary(Binary::Sub, here, Source::Constant(0.0), dst));
            }
        }
        let place = |taken: &Option<usize>| match taken {
            Some(_) => Output::InPlace,
            None => Output::Fresh,
        };
        let outputs: Vec<_> = self.in_place.iter().map(place).collect();
        let inputs = self.numbers.iter().flatten().count();
        Program::new(inputs, &outputs, self.steps).map_err(|e| e.to_string())
    }
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
