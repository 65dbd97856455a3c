//! FANN's C library: every function that `libfann.so.2` exports, under the same names and on the same
//! structs, so that a program compiled against FANN's headers runs with this library unchanged.
//!
//! What C can see, `struct fann` with its layers, neurons, weights and connections, and
//! `struct fann_train_data` with its rows, is the truth between two calls: programs may read and change
//! any of it. `layout.rs` has these structs, `view.rs` turns their pointers into slices, and everything
//! behind it is ordinary Rust. `edge.rs` is the door: the macro `export!` checks pointers and keeps panics
//! from leaving. Memory comes from `malloc` and random numbers from `rand`, because programs free, replace
//! and seed them.
//!
//! Start reading at `edge.rs`, then `view.rs`, `run.rs` and `epoch.rs`.
#![cfg(target_os = "linux")]
// Conversions between `fann_type` and float or double do something in one of the two libraries only.
#![allow(clippy::useless_conversion, clippy::unnecessary_cast)]

mod activation;
mod allocate;
mod cascade;
mod connections;
mod copy;
mod create;
mod data;
mod data_file;
mod data_scale;
mod edge;
mod epoch;
mod error;
mod grow;
mod install;
pub mod layout;
mod lend;
mod net_file;
mod neurons;
mod parameters;
mod print;
#[doc(hidden)]
pub mod program;
mod random;
mod run;
mod scaling;
mod slopes;
mod stream;
mod train;
mod update;
mod variadic;
mod view;
