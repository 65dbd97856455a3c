//! Matrix products: dense layers over packed weights, their two gradients, and general
//! row-major products.
//!
//! Every output element is one chain `acc = fma(a_k, b_k, acc)` over the reduction in ascending
//! order. Tiles, blocks, lanes beside it and the width of the vectors do not enter it, so bits
//! depend on none of them: a row computed alone equals the row computed in a crowd.
//!
//! Start reading at `tile` (the register tile all drivers share), then `dense`.

mod batched;
mod block;
mod cut;
mod dense;
mod distant;
mod followed;
mod general;
mod input_grad;
mod near;
mod pack;
mod passing;
mod quarters;
mod rearrange;
#[cfg(test)]
mod reference;
mod stack;
mod streamed;
#[cfg(test)]
mod tests;
mod tile;
mod turned;
mod weight_grad;

pub use batched::{BatchedGemmDims, batched_gemm, batched_gemm_on, gemv, gemv_scratch_len};
pub use cut::{Piece, cut};
pub use dense::{
    DenseDims, dense_forward, dense_forward_on, dense_forward_rows, dense_forward_rows_on,
};
pub use general::{GemmDims, Matrix, gemm, gemm_on};
pub use input_grad::{InputGradDims, input_grad, input_grad_on};
pub use pack::{PANEL, pack, packed_len, turn, unpack};
pub use weight_grad::{WeightGradDims, weight_grad, weight_grad_on, weight_grad_update};

/// Where the chain of an output element begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At zero: the destination is overwritten and never read.
    Zero,
    /// At the value the destination holds.
    Dst,
}
