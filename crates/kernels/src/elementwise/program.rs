//! The program: built and checked once, then run block by block.

use super::broadcast::{Broadcast, Cursor};
use super::op;
use super::step::{ProgramError, Source, Step, Target};
use super::sweep::{self, Flow, SPLAT};
use crate::simd::Isa;
use std::mem::MaybeUninit;

/// Inputs and registers a program may have.
const MANY: usize = 16;
/// Outputs a program may have.
const OUTPUTS: usize = 8;

/// Elements of all arrays a block touches: 32 KiB, to stay in a first-level cache.
const RESIDENT: usize = 8192;
/// Elements of the longest block: past this the cost of dispatching a step is negligible.
const LONGEST: usize = 2048;
/// Elements on the stack: expanded inputs and registers, each with a vector of room behind it.
const SCRATCH: usize = RESIDENT + 2 * MANY * SPLAT;

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
    inputs: usize,
    outputs: usize,
    registers: usize,
    steps: Box<[Step]>,
    /// Copies of each step's constants, ready to be loaded as vectors.
    constants: Box<[[[f32; SPLAT]; 3]]>,
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
            outputs: outputs.len(),
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
        self.outputs
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Computes the elements `start..start + len` of the whole, `len` being the length of the
    /// output slices. Dense inputs are slices of the same range; broadcast ones are whole.
    ///
    /// # Panics
    /// When the number or a length of inputs or outputs does not fit the program.
    #[inline]
    pub fn run(&self, start: usize, inputs: &[Input], outputs: &mut [&mut [f32]]) {
        self.run_on(Isa::current(), start, inputs, outputs);
    }

    /// [`Program::run`] on a given instruction set.
    ///
    /// # Panics
    /// As [`Program::run`].
    pub fn run_on(&self, isa: Isa, start: usize, inputs: &[Input], outputs: &mut [&mut [f32]]) {
        assert_eq!(inputs.len(), self.inputs, "element-wise program: number of inputs");
        assert_eq!(outputs.len(), self.outputs, "element-wise program: number of outputs");
        let Some(len) = outputs.first().map(|first| first.len()) else { return };

        let mut targets = [std::ptr::null_mut(); OUTPUTS];
        for (target, output) in targets.iter_mut().zip(outputs) {
            assert_eq!(output.len(), len, "element-wise program: outputs differ in length");
            *target = output.as_mut_ptr();
        }

        let mut scalars = [MaybeUninit::<[f32; SPLAT]>::uninit(); MANY];
        let mut feeds = [Feed::IDLE; MANY];
        let mut cursors = [const { None::<Expansion> }; MANY];
        let mut expanded = 0;
        for (i, input) in inputs.iter().enumerate() {
            feeds[i] = match *input {
                Input::Dense(data) => {
                    assert_eq!(
                        data.len(),
                        len,
                        "element-wise program: input {i} has another length"
                    );
                    Feed::array(data.as_ptr())
                }
                Input::Scalar(x) => Feed::constant(scalars[i].write([x; SPLAT])),
                Input::Broadcast(data, layout) => {
                    assert!(
                        start + len <= layout.len() && data.len() >= layout.reach(),
                        "element-wise program: input {i} is shorter than its layout"
                    );
                    if len == 0 {
                        Feed::IDLE
                    } else if layout.is_scalar() {
                        Feed::constant(scalars[i].write([data[0]; SPLAT]))
                    } else if layout.is_dense() {
                        Feed::array(data[start..].as_ptr())
                    } else {
                        let cursor = Cursor::new(layout, start);
                        let period = layout.period().unwrap_or(usize::MAX);
                        cursors[expanded] = Some(Expansion { input: i, data, cursor, period });
                        expanded += 1;
                        Feed::IDLE
                    }
                }
            };
        }

        let block = self.block(len, &cursors[..expanded]);
        let mut scratch = Scratch([MaybeUninit::uninit(); SCRATCH]);
        let slot = |i: usize| i * (block + SPLAT);
        let scratch: *mut f32 = scratch.0.as_mut_ptr().cast();
        for (i, expansion) in cursors[..expanded].iter().enumerate() {
            if let Some(expansion) = expansion {
                feeds[expansion.input] = Feed::resident(scratch.wrapping_add(slot(i)));
            }
        }

        let frame = Frame {
            feeds: &feeds,
            targets: &targets,
            registers: scratch.wrapping_add(slot(expanded)),
            pitch: block + SPLAT,
        };
        let mut at = 0;
        while at < len {
            let n = block.min(len - at);
            for (i, expansion) in cursors[..expanded].iter_mut().enumerate() {
                let Some(expansion) = expansion else { continue };
                if at == 0 || !block.is_multiple_of(expansion.period) {
                    // SAFETY: the layout was held against data and range above; slot i has
                    // block + SPLAT elements.
                    unsafe {
                        let dst = scratch.add(slot(i));
                        expansion.cursor.expand(isa, expansion.data, dst, n);
                    }
                }
            }
            for (step, constants) in self.steps.iter().zip(&self.constants) {
                // SAFETY: the program was checked when it was built and its operands above, so
                // every operand and target has n elements from `at` on.
                unsafe { frame.perform(isa, step, constants, at, n) };
            }
            at += n;
        }
    }

    /// Elements of a block: all of them where one step needs no temporary; otherwise what keeps
    /// the arrays of a block in cache, a multiple of some repeating input's period if it can be.
    #[inline]
    fn block(&self, len: usize, expansions: &[Option<Expansion>]) -> usize {
        let slots = self.registers + expansions.len();
        if slots == 0 && self.steps.len() == 1 {
            return len;
        }
        let streams = self.inputs + self.outputs + slots;
        let block = (RESIDENT / streams).min(LONGEST) & !63;
        let periods = expansions.iter().flatten().map(|e| e.period);
        match periods.filter(|period| *period <= block).max() {
            Some(period) => block - block % period,
            None => block,
        }
    }
}

fn within(what: &'static str, count: usize, limit: usize) -> Result<(), ProgramError> {
    if count <= limit { Ok(()) } else { Err(ProgramError::TooMany { what, count, limit }) }
}

#[repr(align(64))]
struct Scratch([MaybeUninit<f32>; SCRATCH]);

/// A broadcast input, expanded into a slot of the scratch block by block.
struct Expansion<'a> {
    input: usize,
    data: &'a [f32],
    cursor: Cursor,
    period: usize,
}

/// Where an operand is found: an array over the whole range, one block that is refilled, or a
/// constant.
#[derive(Clone, Copy)]
struct Feed {
    ptr: *const f32,
    /// All ones where the operand moves on from block to block.
    moves: usize,
    is_constant: bool,
}

impl Feed {
    const IDLE: Feed = Feed { ptr: std::ptr::null(), moves: 0, is_constant: false };

    #[inline(always)]
    fn array(ptr: *const f32) -> Feed {
        Feed { ptr, moves: usize::MAX, is_constant: false }
    }

    #[inline(always)]
    fn resident(ptr: *const f32) -> Feed {
        Feed { ptr, moves: 0, is_constant: false }
    }

    #[inline(always)]
    fn constant(copies: &[f32; SPLAT]) -> Feed {
        Feed { ptr: copies.as_ptr(), moves: 0, is_constant: true }
    }

    /// The operand of the block at `at`.
    #[inline(always)]
    fn flow(self, at: usize) -> Flow {
        let ptr = self.ptr.wrapping_add(at & self.moves);
        if self.is_constant { Flow::constant(ptr.cast()) } else { Flow::array(ptr) }
    }
}

/// What the steps of one run share.
struct Frame<'a> {
    feeds: &'a [Feed; MANY],
    targets: &'a [*mut f32; OUTPUTS],
    registers: *mut f32,
    /// Elements from one register to the next.
    pitch: usize,
}

impl Frame<'_> {
    #[inline(always)]
    fn register(&self, r: u8) -> *mut f32 {
        self.registers.wrapping_add(usize::from(r) * self.pitch)
    }

    #[inline(always)]
    fn operand(&self, source: Source, copies: &[f32; SPLAT], at: usize) -> Flow {
        match source {
            Source::Input(i) => self.feeds[usize::from(i)].flow(at),
            Source::Register(r) => Flow::array(self.register(r)),
            Source::Output(o) => Flow::array(self.targets[usize::from(o)].wrapping_add(at)),
            Source::Constant(_) => Flow::constant(copies),
        }
    }

    /// # Safety
    /// Operands and target of the step have `n` elements from `at` on.
    #[inline(always)]
    unsafe fn perform(
        &self,
        isa: Isa,
        step: &Step,
        constants: &[[f32; SPLAT]; 3],
        at: usize,
        n: usize,
    ) {
        let dst = match step.target() {
            Target::Register(r) => self.register(r),
            Target::Output(o) => self.targets[usize::from(o)].wrapping_add(at),
        };
        let operand = |source, i: usize| self.operand(source, &constants[i], at);
        // SAFETY: the caller vouches for the elements. Inputs are disjoint from outputs, and
        // registers from both; a target equal to an operand begins at the same element.
        unsafe {
            match *step {
                Step::Unary { op, a, .. } => op::unary(isa, op, operand(a, 0), dst, n),
                Step::Binary { op, a, b, .. } => {
                    op::binary(isa, op, operand(a, 0), operand(b, 1), dst, n);
                }
                Step::MulAdd { a, b, c, .. } => {
                    sweep::mul_add(isa, [operand(a, 0), operand(b, 1), operand(c, 2)], dst, n);
                }
                Step::Select { mask, a, b, .. } => {
                    sweep::select(isa, [operand(mask, 0), operand(a, 1), operand(b, 2)], dst, n);
                }
            }
        }
    }
}
