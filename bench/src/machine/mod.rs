//! The limits of the machine this runs on: arithmetic peak and bandwidth by cache level.
//!
//! [`Limits`] is what suites ask; [`fma`] and [`bandwidth`] measure, with the loops of
//! [`whimbrel_kernels::probe`].

pub mod bandwidth;
pub mod caches;
mod crew;
pub mod fma;
mod limits;
pub mod pages;

pub use limits::{Limits, Work};
