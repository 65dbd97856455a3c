//! The fused element-wise program: a few steps over blocks that stay in the first-level cache.
//!
//! A [`Program`] is checked once, when it is built. It runs block by block: each step sweeps one
//! block from its operands to its target, temporaries live in block registers on the stack, and
//! a step whose target is an output writes straight to it. A value depends only on the operands
//! at its own index, so any cut of the work gives the same bits.
//!
//! Start reading at [`Program`]; the operations are in [`op`](Unary), the loops in `sweep`.
//!
//! ```
//! use whimbrel_kernels::elementwise::{Binary, Input, Output, Program, Source, Step, Target, Unary};
//!
//! // y = relu(x + 1)
//! let steps = vec![
//!     Step::binary(Binary::Add, Source::Input(0), Source::Constant(1.0), Target::Register(0)),
//!     Step::unary(Unary::Relu, Source::Register(0), Target::Output(0)),
//! ];
//! let program = Program::new(1, &[Output::Fresh], steps)?;
//! let mut y = [0.0; 3];
//! program.run(0, &[Input::Dense(&[-3.0, 0.5, 2.0])], &mut [&mut y]);
//! assert_eq!(y, [0.0, 1.5, 3.0]);
//! # Ok::<(), whimbrel_kernels::elementwise::ProgramError>(())
//! ```

mod broadcast;
mod op;
mod program;
mod run;
mod step;
mod sweep;

pub use broadcast::{Broadcast, BroadcastError};
pub use op::{Binary, Unary};
pub use program::{Input, Output, Program};
pub use step::{ProgramError, Source, Step, Target};

use crate::simd::Isa;
use sweep::Flow;

/// `dst[i] = op(src[i])` over slices of equal length.
///
/// # Panics
/// When the lengths differ.
pub fn unary(op: Unary, src: &[f32], dst: &mut [f32]) {
    unary_on(Isa::current(), op, src, dst);
}

/// [`unary`] on a given instruction set.
///
/// # Panics
/// When the lengths differ.
pub fn unary_on(isa: Isa, op: Unary, src: &[f32], dst: &mut [f32]) {
    assert_eq!(src.len(), dst.len(), "unary: src and dst differ in length");
    // SAFETY: the slices are disjoint and of the same length.
    unsafe { op::unary(isa, op, Flow::array(src.as_ptr()), dst.as_mut_ptr(), dst.len()) };
}

/// `dst[i] = op(a[i], b[i])` over slices of equal length.
///
/// # Panics
/// When the lengths differ.
pub fn binary(op: Binary, a: &[f32], b: &[f32], dst: &mut [f32]) {
    binary_on(Isa::current(), op, a, b, dst);
}

/// [`binary`] on a given instruction set.
///
/// # Panics
/// When the lengths differ.
pub fn binary_on(isa: Isa, op: Binary, a: &[f32], b: &[f32], dst: &mut [f32]) {
    assert!(a.len() == dst.len() && b.len() == dst.len(), "binary: operands differ in length");
    let (a, b) = (Flow::array(a.as_ptr()), Flow::array(b.as_ptr()));
    // SAFETY: the slices are disjoint from dst and of the same length.
    unsafe { op::binary(isa, op, a, b, dst.as_mut_ptr(), dst.len()) };
}

#[cfg(test)]
pub(crate) mod reference;
#[cfg(test)]
mod tests;
