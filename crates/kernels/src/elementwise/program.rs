//! The program: built and checked once. How it runs is in `run`.

use super::broadcast::Broadcast;
use super::step::{ProgramError, Source, Step, Target};
use super::sweep::SPLAT;

/// Inputs and registers a program may have.
pub(super) const MANY: usize = 16;
/// Outputs a program may have.
pub(super) const OUTPUTS: usize = 8;

/// What an output holds when the program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nothing of interest: some step writes it before any reads it.
    Fresh,
    /// A value that steps may read as [`Source::Output`] and overwrite.
    InPlace,
}

/// An input of one run.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// As long as the outputs, element by element.
    Dense(&'a [f32]),
    /// Smaller than the whole output, which the layout describes.
    Broadcast(&'a [f32], &'a Broadcast),
    /// One number.
    Scalar(f32),
}

/// A checked list of element-wise steps.
///
/// Registers are block-sized temporaries; there may be 16 of them, 16 inputs and 8 outputs.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) inputs: usize,
    pub(super) outputs: Box<[Output]>,
    pub(super) registers: usize,
    pub(super) steps: Box<[Step]>,
    /// Copies of each step's constants, ready to be loaded as vectors.
    pub(super) constants: Box<[[[f32; SPLAT]; 3]]>,
}

impl Program {
    /// Checks `steps` over so many inputs and outputs.
    pub fn new(
        inputs: usize,
        outputs: &[Output],
        steps: Vec<Step>,
    ) -> Result<Program, ProgramError> {
        within("inputs", inputs, MANY)?;
        within("outputs", outputs.len(), OUTPUTS)?;
        let mut output_ready: Vec<bool> = outputs.iter().map(|o| *o == Output::InPlace).collect();
        let mut register_ready = [false; 256];
        let mut registers = 0;
        for (step, what) in steps.iter().enumerate() {
            for source in what.sources() {
                let (ready, place) = match source {
                    Source::Constant(_) => continue,
                    Source::Input(input) if usize::from(input) < inputs => continue,
                    Source::Input(input) => return Err(ProgramError::NoInput { step, input }),
                    Source::Register(r) => (register_ready[usize::from(r)], Target::Register(r)),
                    Source::Output(output) => match output_ready.get(usize::from(output)) {
                        Some(ready) => (*ready, Target::Output(output)),
                        None => return Err(ProgramError::NoOutput { step, output }),
                    },
                };
                if !ready {
                    return Err(ProgramError::ReadBeforeWrite { step, place });
                }
            }
            match what.target() {
                Target::Register(r) => {
                    register_ready[usize::from(r)] = true;
                    registers = registers.max(usize::from(r) + 1);
                }
                Target::Output(output) => match output_ready.get_mut(usize::from(output)) {
                    Some(ready) => *ready = true,
                    None => return Err(ProgramError::NoOutput { step, output }),
                },
            }
        }
        within("registers", registers, MANY)?;
        if let Some(output) = output_ready.iter().position(|ready| !ready) {
            return Err(ProgramError::NeverWritten { output: output as u8 });
        }
        let copies = |source| match source {
            Source::Constant(c) => [c; SPLAT],
            _ => [0.0; SPLAT],
        };
        Ok(Program {
            inputs,
            outputs: outputs.into(),
            registers,
            constants: steps.iter().map(|step| step.sources().map(copies)).collect(),
            steps: steps.into(),
        })
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

fn within(what: &'static str, count: usize, limit: usize) -> Result<(), ProgramError> {
    if count <= limit { Ok(()) } else { Err(ProgramError::TooMany { what, count, limit }) }
}
