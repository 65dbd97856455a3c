//! Planning: from a graph to the bytes it runs in.
//!
//! [`place`] gives every buffer an offset in one arena, from sizes and lifetimes alone;
//! [`validate`] proves that no two buffers alive at once share a byte.
#![forbid(unsafe_code)]

mod place;
mod validate;

pub use place::{ALIGN, Lifetime, Placement, place};
pub use validate::{Overlap, Placed, validate};
