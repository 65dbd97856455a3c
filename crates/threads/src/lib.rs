//! A fork-join team of threads for steps that last microseconds.
//!
//! A [`Pool`] owns the threads. [`Pool::region`] runs a closure on every member of the team at once; inside, the
//! members walk the same work together through [`Worker::pieces`] and [`Worker::barrier`]. Start reading at `pool`,
//! then `pieces` (who does what), `barrier` (how members meet and part) and `signal` (how they wait: spin, yield,
//! sleep).
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use whimbrel_threads::Pool;
//!
//! let pool = Pool::new(2);
//! let squares = AtomicUsize::new(0);
//! let largest = AtomicUsize::new(0);
//! pool.region(|worker| {
//!     worker.pieces(100, |i| {
//!         squares.fetch_add(i * i, Ordering::Relaxed);
//!     });
//!     // Every piece above is done before any piece below starts.
//!     worker.pieces(2, |_| {
//!         largest.fetch_max(squares.load(Ordering::Relaxed), Ordering::Relaxed);
//!     });
//! });
//! assert_eq!(largest.into_inner(), 328_350);
//! ```

// `--cfg loom` switches `sync` to the model checker's types; see `model.rs`.
#![allow(unexpected_cfgs)]

mod aside;
mod barrier;
mod cgroup;
mod fault;
mod fork;
#[cfg(all(test, loom))]
mod model;
mod patience;
mod pieces;
mod pool;
mod signal;
mod size;
mod sync;
mod team;
mod worker;

pub use pool::{GlobalPoolExists, Pool};
pub use size::{MAX_SIZE, available_cores, default_size};
pub use worker::Worker;
