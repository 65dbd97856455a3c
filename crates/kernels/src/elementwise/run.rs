//! Running a program: straight through where one step needs no temporary, else block by block.

use super::broadcast::Cursor;
use super::op;
use super::program::{Input, MANY, OUTPUTS, Output, Program};
use super::step::{Source, Step, Target};
use super::sweep::{self, Flow, SPLAT};
use crate::simd::Isa;
use std::mem::MaybeUninit;

/// Elements of all arrays a block touches: 32 KiB, to stay in a first-level cache.
const RESIDENT: usize = 8192;
/// Elements of the longest block: past this the cost of dispatching a step is negligible.
const LONGEST: usize = 2048;
/// Slots on the stack: expanded inputs, registers, and outputs on their way to memory.
const SLOTS: usize = 2 * MANY + OUTPUTS;
/// Elements on the stack; each slot has a vector of room behind it.
const SCRATCH: usize = RESIDENT + SLOTS * SPLAT;

/// Outputs of so many elements are written past the caches: 4 MiB each, more than a core's own
/// caches hold. Writing through them would first read what is overwritten.
const STREAMED: usize = 1 << 20;

impl Program {
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
        assert_eq!(outputs.len(), self.outputs.len(), "element-wise program: number of outputs");
        let Some(len) = outputs.first().map(|first| first.len()) else { return };
        assert!(
            outputs.iter().all(|output| output.len() == len),
            "element-wise program: outputs differ in length"
        );
        for (i, input) in inputs.iter().enumerate() {
            let fits = match input {
                Input::Dense(data) => data.len() == len,
                Input::Scalar(_) => true,
                Input::Broadcast(data, layout) => {
                    len <= layout.len().saturating_sub(start) && data.len() >= layout.reach()
                }
            };
            assert!(fits, "element-wise program: input {i} does not fit the outputs");
        }
        if len == 0 {
            return;
        }
        let streams = len >= STREAMED && self.outputs.contains(&Output::Fresh);
        match &*self.steps {
            [step] if !streams && inputs.iter().all(|input| Plain::of(input, start).is_some()) => {
                self.run_step(isa, step, start, inputs, outputs, len);
            }
            _ => self.run_blocks(isa, start, inputs, outputs, len, streams),
        }
    }

    /// One step over everything, from inputs to output.
    #[inline(always)]
    fn run_step(
        &self,
        isa: Isa,
        step: &Step,
        start: usize,
        inputs: &[Input],
        outputs: &mut [&mut [f32]],
        len: usize,
    ) {
        let mut copies = [MaybeUninit::<[f32; SPLAT]>::uninit(); 3];
        let mut place = 0;
        let operands = step.sources().map(|source| {
            let (copies, constant) = (&mut copies[place], &self.constants[0][place]);
            place += 1;
            match source {
                Source::Constant(_) => Flow::constant(constant),
                Source::Output(o) => Flow::array(outputs[usize::from(o)].as_ptr()),
                Source::Input(i) => match Plain::of(&inputs[usize::from(i)], start) {
                    Some(Plain::Array(data)) => Flow::array(data),
                    Some(Plain::Number(x)) => Flow::constant(copies.write([x; SPLAT])),
                    None => Flow::constant(constant),
                },
                Source::Register(_) => Flow::constant(constant),
            }
        });
        if let Target::Output(o) = step.target() {
            let dst = outputs[usize::from(o)].as_mut_ptr();
            // SAFETY: inputs and outputs have len elements; no register was written before the
            // only step, so it reads none.
            unsafe { perform(isa, step, operands, dst, len) };
        }
    }

    /// Block by block, with temporaries on the stack.
    #[inline(never)]
    fn run_blocks(
        &self,
        isa: Isa,
        start: usize,
        inputs: &[Input],
        outputs: &mut [&mut [f32]],
        len: usize,
        streams: bool,
    ) {
        let mut copies = [MaybeUninit::<[f32; SPLAT]>::uninit(); MANY];
        let mut feeds = [Flow::NONE; MANY];
        let mut expansions = [const { None::<Expansion> }; MANY];
        let mut expanded = 0;
        for (i, input) in inputs.iter().enumerate() {
            feeds[i] = match (Plain::of(input, start), input) {
                (Some(Plain::Array(data)), _) => Flow::array(data),
                (Some(Plain::Number(x)), _) => Flow::constant(copies[i].write([x; SPLAT])),
                (None, Input::Broadcast(data, layout)) => {
                    let cursor = Cursor::new(layout, start);
                    let period = layout.period().unwrap_or(usize::MAX);
                    expansions[expanded] = Some(Expansion { input: i, data, cursor, period });
                    expanded += 1;
                    Flow::NONE
                }
                (None, _) => Flow::NONE,
            };
        }
        let expansions = &mut expansions[..expanded];
        let fresh = self.outputs.iter().filter(|o| streams && **o == Output::Fresh).count();
        let block = self.block(expansions, fresh);
        let pitch = block + SPLAT;
        let mut scratch = Scratch([MaybeUninit::uninit(); SCRATCH]);
        let scratch: *mut f32 = scratch.0.as_mut_ptr().cast();
        let slot = |i: usize| scratch.wrapping_add(i * pitch);
        let mut frame = Frame {
            feeds,
            targets: [std::ptr::null_mut(); OUTPUTS],
            registers: slot(expanded + fresh),
            pitch,
        };

        let mut at = 0;
        while at < len {
            let n = block.min(len - at);
            for (i, input) in inputs.iter().enumerate() {
                if matches!(Plain::of(input, start), Some(Plain::Array(_))) {
                    frame.feeds[i] = feeds[i].starting(at);
                }
            }
            for (i, expansion) in expansions.iter_mut().flatten().enumerate() {
                frame.feeds[expansion.input] = Flow::array(slot(i));
                if at == 0 || !block.is_multiple_of(expansion.period) {
                    // SAFETY: layout, data and range were held against each other; a slot has
                    // block + SPLAT elements.
                    unsafe { expansion.cursor.expand(isa, expansion.data, slot(i), n) };
                }
            }
            let mut streamed = expanded;
            for ((target, output), kind) in
                frame.targets.iter_mut().zip(outputs.iter_mut()).zip(&self.outputs)
            {
                *target = output.as_mut_ptr().wrapping_add(at);
                if streams && *kind == Output::Fresh {
                    *target = slot(streamed);
                    streamed += 1;
                }
            }
            for (step, constants) in self.steps.iter().zip(&self.constants) {
                // SAFETY: the program was checked when it was built, its operands in `run_on`;
                // every operand and target has n elements here.
                unsafe { frame.perform(isa, step, constants, n) };
            }
            if streams {
                for (i, output) in outputs.iter_mut().enumerate() {
                    if self.outputs[i] == Output::Fresh {
                        // SAFETY: both sides have n elements.
                        unsafe {
                            let dst = output.as_mut_ptr().add(at);
                            sweep::stream(isa, frame.targets[i], dst, n);
                        }
                    }
                }
            }
            at += n;
        }
    }

    /// Elements of a block: what keeps the arrays it touches in cache, a multiple of some
    /// repeating input's period if it can be.
    #[inline]
    fn block(&self, expansions: &[Option<Expansion>], streamed: usize) -> usize {
        let slots = self.registers + expansions.len() + streamed;
        let streams = self.inputs + self.outputs.len() + slots;
        let block = (RESIDENT / streams).min(LONGEST) & !63;
        let periods = expansions.iter().flatten().map(|e| e.period);
        match periods.filter(|period| *period <= block).max() {
            Some(period) => block - block % period,
            None => block,
        }
    }
}

/// An input that needs no expansion.
enum Plain {
    /// An array over the range of the outputs.
    Array(*const f32),
    Number(f32),
}

impl Plain {
    #[inline(always)]
    fn of(input: &Input, start: usize) -> Option<Plain> {
        match *input {
            Input::Dense(data) => Some(Plain::Array(data.as_ptr())),
            Input::Scalar(x) => Some(Plain::Number(x)),
            Input::Broadcast(data, layout) if layout.is_scalar() => Some(Plain::Number(data[0])),
            Input::Broadcast(data, layout) if layout.is_dense() => {
                Some(Plain::Array(data[start..].as_ptr()))
            }
            Input::Broadcast(..) => None,
        }
    }
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

/// Where the steps find their operands and targets in one block.
struct Frame {
    feeds: [Flow; MANY],
    targets: [*mut f32; OUTPUTS],
    registers: *mut f32,
    /// Elements from one register to the next.
    pitch: usize,
}

impl Frame {
    #[inline(always)]
    fn register(&self, r: u8) -> *mut f32 {
        self.registers.wrapping_add(usize::from(r) * self.pitch)
    }

    /// # Safety
    /// Operands and target of the step have `n` elements.
    #[inline(always)]
    unsafe fn perform(&self, isa: Isa, step: &Step, constants: &[[f32; SPLAT]; 3], n: usize) {
        let mut place = 0;
        let operands = step.sources().map(|source| {
            let constant = &constants[place];
            place += 1;
            match source {
                Source::Input(i) => self.feeds[usize::from(i)],
                Source::Register(r) => Flow::array(self.register(r)),
                Source::Output(o) => Flow::array(self.targets[usize::from(o)]),
                Source::Constant(_) => Flow::constant(constant),
            }
        });
        let dst = match step.target() {
            Target::Register(r) => self.register(r),
            Target::Output(o) => self.targets[usize::from(o)],
        };
        // SAFETY: promised by the caller.
        unsafe { perform(isa, step, operands, dst, n) };
    }
}

/// Sweeps one step over `n` elements.
///
/// # Safety
/// The operands the step has and its target have `n` elements. Inputs are disjoint from outputs,
/// and registers from both; a target equal to an operand begins at the same element.
#[inline(always)]
unsafe fn perform(isa: Isa, step: &Step, operands: [Flow; 3], dst: *mut f32, n: usize) {
    let [a, b, _] = operands;
    // SAFETY: promised by the caller.
    unsafe {
        match *step {
            Step::Unary { op, .. } => op::unary(isa, op, a, dst, n),
            Step::Binary { op, .. } => op::binary(isa, op, a, b, dst, n),
            Step::MulAdd { .. } => sweep::mul_add(isa, operands, dst, n),
            Step::Select { .. } => sweep::select(isa, operands, dst, n),
        }
    }
}
