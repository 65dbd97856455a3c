//! The limits of the machine this runs on: arithmetic peak and bandwidth by cache level.
//!
//! [`Limits`] is what suites ask; [`fma`] and [`bandwidth`] measure. `unsafe` lives here only:
//! instructions the compiler would not emit as wanted, and mapped pages.

pub mod bandwidth;
pub mod caches;
mod crew;
pub mod fma;
mod limits;
pub mod pages;
mod patterns;

pub use limits::{Limits, Work};
