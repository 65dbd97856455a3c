//! Training: one file for each algorithm.
//!
//! [`Network::train_on_data`](crate::Network::train_on_data) repeats
//! [`Network::train_epoch`](crate::Network::train_epoch), which hands over to the algorithm chosen. Incremental
//! training goes sample by sample; the others sum slopes over all samples (`gradient`: sixteen samples at a time, or four,
//! in `lanes`, whole blocks by matrix products in `products`) and then take one step. Tiny networks have ways of their own:
//! `tiny` for incremental training, `few` for whole epochs over few samples.

mod batch;
mod epoch;
mod few;
mod follow;
mod gradient;
mod incremental;
mod lanes;
mod pass;
mod products;
pub(crate) mod quickprop;
pub(crate) mod rprop;
pub(crate) mod sarprop;
mod state;
mod tally;
mod tiny;

pub(crate) use follow::Weights;
pub(crate) use state::{State, first_step, grow};
pub(crate) use tally::{Tally, half_if_symmetric};

/// The rules by which weights follow their slopes, for weights that lie elsewhere. Each takes a step and
/// sets the slopes to 0.
pub mod rules {
    pub use super::batch::step as batch;
    pub use super::follow::Weights;
    pub use super::quickprop::step as quickprop;
    pub use super::rprop::step as rprop;
    pub use super::sarprop::step as sarprop;
}
