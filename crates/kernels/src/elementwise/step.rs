//! Steps, where they read and write, and the check that a list of them makes sense.

use super::{Binary, Unary};

/// Where a step reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// An input of the program.
    Input(u8),
    /// A block register some earlier step wrote.
    Register(u8),
    /// An output: written by an earlier step, or updated in place.
    Output(u8),
    /// The same number everywhere.
    Constant(f32),
}

/// Where a step writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A block register; it may be written again.
    Register(u8),
    /// An output of the program.
    Output(u8),
}

/// One operation of a program over a block.
#[allow(missing_docs, reason = "fields are operands in the order of the formula")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// `dst = op(a)`
    Unary { op: Unary, a: Source, dst: Target },
    /// `dst = op(a, b)`
    Binary { op: Binary, a: Source, b: Source, dst: Target },
    /// `dst = a * b + c`, fused where the instruction set fuses
    MulAdd { a: Source, b: Source, c: Source, dst: Target },
    /// `dst = if mask != 0 { a } else { b }`; NaN counts as true
    Select { mask: Source, a: Source, b: Source, dst: Target },
}

impl Step {
    /// `dst = op(a)`
    pub fn unary(op: Unary, a: Source, dst: Target) -> Step {
        Step::Unary { op, a, dst }
    }

    /// `dst = op(a, b)`
    pub fn binary(op: Binary, a: Source, b: Source, dst: Target) -> Step {
        Step::Binary { op, a, b, dst }
    }

    /// What the step reads, in the order of its fields; unused places are constants.
    pub(super) fn sources(&self) -> [Source; 3] {
        let none = Source::Constant(0.0);
        match *self {
            Step::Unary { a, .. } => [a, none, none],
            Step::Binary { a, b, .. } => [a, b, none],
            Step::MulAdd { a, b, c, .. } => [a, b, c],
            Step::Select { mask, a, b, .. } => [mask, a, b],
        }
    }

    /// Where the step writes.
    pub(super) fn target(&self) -> Target {
        match *self {
            Step::Unary { dst, .. }
            | Step::Binary { dst, .. }
            | Step::MulAdd { dst, .. }
            | Step::Select { dst, .. } => dst,
        }
    }
}

/// Why a list of steps is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// More inputs, outputs or registers than a program may have.
    TooMany {
        /// Inputs, outputs or registers.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A step reads an input that does not exist.
    NoInput {
        /// The step, counted from 0.
        step: usize,
        /// The input it names.
        input: u8,
    },
    /// A step reads or writes an output that does not exist.
    NoOutput {
        /// The step, counted from 0.
        step: usize,
        /// The output it names.
        output: u8,
    },
    /// A step reads a register or a fresh output before anything was written to it.
    ReadBeforeWrite {
        /// The step, counted from 0.
        step: usize,
        /// What it reads.
        place: Target,
    },
    /// No step writes this fresh output.
    NeverWritten {
        /// The output.
        output: u8,
    },
}

impl std::fmt::Display for ProgramError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            ProgramError::TooMany { what, count, limit } => {
                write!(f, "element-wise program: {count} {what}, at most {limit} are possible")
            }
            ProgramError::NoInput { step, input } => {
                write!(
                    f,
                    "element-wise program: step {step} reads input {input}, which does not exist"
                )
            }
            ProgramError::NoOutput { step, output } => {
                write!(
                    f,
                    "element-wise program: step {step} names output {output}, which does not exist"
                )
            }
            ProgramError::ReadBeforeWrite { step, place } => {
                write!(f, "element-wise program: step {step} reads {place:?} before it is written")
            }
            ProgramError::NeverWritten { output } => {
                write!(f, "element-wise program: no step writes output {output}")
            }
        }
    }
}

impl std::error::Error for ProgramError {}
