//! Tiny networks as FANN has them, several times faster.
//!
//! [`Network`] holds a network, [`TrainData`] what it is trained on. Names follow FANN's: where its C library says
//! `fann_set_activation_function_hidden(ann, f)`, this crate says `network.set_activation_function_hidden(f)`.
//! Numbers are `f32` as in libfann, or `f64` as in libdoublefann.
//!
//! Start reading at `network`, then `run`, then `training`.
#![forbid(unsafe_code)]

mod activation;
#[cfg(all(debug_assertions, not(test)))]
mod built_once;
mod cascade;
mod create;
mod data;
mod error;
mod files;
mod fixed;
mod layout;
mod lend;
mod many;
mod network;
mod neurons;
mod parameters;
mod plain;
mod product;
mod random;
mod real;
mod run;
mod scaling;
mod training;
mod vectors;
mod weights;

pub use activation::Activation;
pub use data::{Samples, TrainData};
pub use error::{Error, Result};
pub use files::replace;
pub use fixed::FixedNetwork;
pub use lend::{Memory, activate_few, weighted_sum};
pub use network::Network;
pub use parameters::{
    Algorithm, CascadeParameters, ErrorFunction, NetworkType, StopFunction, TrainParameters,
};
pub use plain::hold;
pub use random::Random;
pub use real::Real;
pub use scaling::{Scaling, SideScaling};
pub use training::rules;
pub use vectors::FEW;
pub use weights::Connection;
pub use whimbrel_threads::Pool;
