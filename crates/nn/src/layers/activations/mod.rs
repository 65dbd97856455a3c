//! Activations: functions of each element, and a few of all channels.
//!
//! `plain.rs` has those without settings; the others have a file each.

mod elu;
mod gelu;
mod glu;
mod leaky_relu;
mod plain;
mod prelu;
mod softmax;
mod softplus;

pub use elu::{Celu, Elu};
pub use gelu::{Approximation, Gelu};
pub use glu::Glu;
pub use leaky_relu::LeakyRelu;
pub use plain::*;
pub use prelu::Prelu;
pub use softmax::{LogSoftmax, Softmax};
pub use softplus::Softplus;
