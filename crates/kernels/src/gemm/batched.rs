//! Many products of the same size, one after another, and the matrix-vector product.

use super::{GemmDims, Matrix, Start, gemm_on};
use crate::simd::Isa;

/// A batch of equal products; operands lie a fixed number of elements apart. An operand that all
/// products share has the distance 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedGemmDims {
    /// One product.
    pub gemm: GemmDims,
    /// How many there are.
    pub batch: usize,
    /// Elements from one left side to the next.
    pub a_next: usize,
    /// Elements from one right side to the next.
    pub b_next: usize,
    /// Elements from one result to the next.
    pub c_next: usize,
}

/// [`gemm`](super::gemm) for each product of the batch, in order.
///
/// # Panics
/// When a slice or the scratch is too short for the dimensions.
pub fn batched_gemm(
    dims: BatchedGemmDims,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    start: Start,
    scratch: &mut [f32],
) {
    batched_gemm_on(Isa::current(), dims, a, b, c, start, scratch);
}

/// [`batched_gemm`] on a given instruction set.
///
/// # Panics
/// When a slice or the scratch is too short for the dimensions.
pub fn batched_gemm_on(
    isa: Isa,
    dims: BatchedGemmDims,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    start: Start,
    scratch: &mut [f32],
) {
    for i in 0..dims.batch {
        let (a, b) = (&a[i * dims.a_next..], &b[i * dims.b_next..]);
        gemm_on(isa, dims.gemm, a, b, &mut c[i * dims.c_next..], start, scratch);
    }
}

/// `y = A x`, or `y += A x` from [`Start::Dst`], for `A[rows, cols]`. Scratch as for the product
/// with one column.
///
/// # Panics
/// When a slice or the scratch is too short for the dimensions.
pub fn gemv(
    (rows, cols): (usize, usize),
    layout: Matrix,
    a: &[f32],
    x: &[f32],
    y: &mut [f32],
    start: Start,
    scratch: &mut [f32],
) {
    let dims = gemv_dims(rows, cols, layout);
    gemm_on(Isa::current(), dims, a, x, y, start, scratch);
}

/// Elements of scratch that [`gemv`] needs.
pub fn gemv_scratch_len((rows, cols): (usize, usize), layout: Matrix) -> usize {
    gemv_dims(rows, cols, layout).scratch_len()
}

fn gemv_dims(m: usize, k: usize, a: Matrix) -> GemmDims {
    GemmDims { m, n: 1, k, a, b: Matrix::plain(1), c_row: 1 }
}
