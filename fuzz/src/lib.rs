//! Damaged files for every reader of files from elsewhere: they are to say what is wrong, and neither
//! to panic nor to take memory for sizes that are only declared.
//!
//! A [`Target`] is a reader, the folder of its corpus and words that mean something to it. Each file
//! of the corpus is read as it is, then damaged further by [`Mutator`], the same way in every run.
//! `WHIMBREL_FUZZ_SECONDS` asks for more than the usual number, with `WHIMBREL_FUZZ_SEED` for others.
//! An input that breaks a reader is kept; put it into the corpus with the mistake repaired.
#![forbid(unsafe_code)]

mod memory;
mod mutator;
mod target;

pub use mutator::Mutator;
pub use target::Target;
