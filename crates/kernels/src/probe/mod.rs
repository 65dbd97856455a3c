//! What the machine can do at best: loops that do nothing but arithmetic, or nothing but moving memory.
//!
//! They compute nothing anybody needs; a time is held against theirs. [`multiply_adds`] is the
//! arithmetic peak, [`Pattern`] the ways to move memory.

mod multiply_add;
mod patterns;

pub use multiply_add::multiply_adds;
pub use patterns::{BLOCK, Pattern};
