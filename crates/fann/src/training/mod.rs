//! Training: one file for each algorithm.
//!
//! [`Network::train_on_data`](crate::Network::train_on_data) repeats
//! [`Network::train_epoch`](crate::Network::train_epoch), which hands over to the algorithm chosen. Incremental
//! training goes sample by sample; the others sum slopes over all samples (`gradient`: sixteen samples at a time
//! in `lanes`, whole blocks by matrix products in `products`) and then take one step.

mod batch;
mod desired;
mod epoch;
mod gradient;
mod incremental;
mod lanes;
mod products;
mod quickprop;
mod rprop;
mod sarprop;
mod state;
mod tally;

pub(crate) use state::State;
pub(crate) use tally::Tally;
