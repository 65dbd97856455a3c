//! The loops in which Whimbrel spends its time: one file per kernel, each with a plain
//! reference beside it.
//!
//! Kernels are safe functions over slices in *lane layout*: the batch is the last, contiguous
//! axis. They are written once against [`simd::Simd`] and run on the widest instruction set of
//! the machine. They never allocate and never start threads; callers cut the work.
//!
//! Start reading at [`simd`], then [`gemm`].

pub mod attention;
pub mod conv1d;
pub mod copy;
pub mod elementwise;
pub mod gather;
pub mod gemm;
pub mod maths;
pub mod norm;
pub mod optim;
pub mod pool1d;
pub mod probe;
pub mod random;
pub mod recurrent;
pub mod reduce;
pub mod simd;
pub mod softmax;

#[cfg(test)]
mod check;
mod sizes;
