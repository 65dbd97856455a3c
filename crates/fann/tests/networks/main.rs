//! Networks from outside, in one program: each would compile every kernel for both number types again.

mod cascade;
mod files;
mod golden;
mod training;
