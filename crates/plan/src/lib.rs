//! Planning: from a graph to the bytes it runs in.
//!
//! [`Lanes`] cuts the batch into blocks, [`schedule`] orders the nodes, [`place`] gives every
//! buffer an offset in one arena from sizes and lifetimes alone, [`validate`] proves that no two
//! buffers alive at once share a byte, and [`Plan`] is all of that for one graph.
//!
//! Start reading at [`Plan`].
#![forbid(unsafe_code)]

mod lanes;
mod place;
mod plan;
mod schedule;
mod sets;
mod usage;
mod validate;

pub use lanes::{Lanes, batch_size};
pub use place::{ALIGN, Lifetime, Placement, place};
pub use plan::{Place, Plan, Region, Storage, view_of};
pub use schedule::{Schedule, schedule};
pub use sets::Sets;
pub use usage::{Buffer, Class, Usage};
pub use validate::{Overlap, Placed, validate};
