//! Plain loops that say what the kernels compute, to the bit.

use super::{DenseDims, GemmDims, InputGradDims, Matrix, Start, WeightGradDims};
use crate::simd::Isa;

/// One step of a chain: rounded once where the instruction set fuses, twice where not.
pub(super) fn fma(isa: Isa, a: f32, b: f32, c: f32) -> f32 {
    if isa == Isa::Portable { a * b + c } else { a.mul_add(b, c) }
}

/// The dense product; `w` is row-major `[rows, inputs]`.
pub(super) fn dense(isa: Isa, d: DenseDims, w: &[f32], x: &[f32], y: &mut [f32], start: Start) {
    for row in 0..d.rows {
        for lane in 0..d.lanes {
            let out = &mut y[row * d.lanes + lane];
            let mut acc = if start == Start::Dst { *out } else { 0.0 };
            for k in 0..d.inputs {
                acc = fma(isa, w[row * d.inputs + k], x[k * d.lanes + lane], acc);
            }
            *out = acc;
        }
    }
}

/// The input gradient; `w` is row-major `[outputs, inputs]`.
pub(super) fn input_grad(
    isa: Isa,
    d: InputGradDims,
    w: &[f32],
    dy: &[f32],
    dx: &mut [f32],
    start: Start,
) {
    for row in 0..d.rows {
        for lane in 0..d.lanes {
            let out = &mut dx[row * d.lanes + lane];
            let mut acc = if start == Start::Dst { *out } else { 0.0 };
            for o in 0..d.outputs {
                acc = fma(isa, w[o * d.inputs + d.first + row], dy[o * d.lanes + lane], acc);
            }
            *out = acc;
        }
    }
}

/// The weight gradient, row-major `[rows, inputs]`.
pub(super) fn weight_grad(
    isa: Isa,
    d: WeightGradDims,
    dy: &[f32],
    x: &[f32],
    dw: &mut [f32],
    start: Start,
) {
    for row in 0..d.rows {
        for input in 0..d.inputs {
            let out = &mut dw[row * d.inputs + input];
            let mut acc = if start == Start::Dst { *out } else { 0.0 };
            for b in 0..d.blocks {
                for l in 0..d.lanes {
                    let g = dy[b * d.dy_block + row * d.lanes + l];
                    acc = fma(isa, x[b * d.x_block + input * d.lanes + l], g, acc);
                }
            }
            *out = acc;
        }
    }
}

/// The general product.
pub(super) fn gemm(isa: Isa, d: GemmDims, a: &[f32], b: &[f32], c: &mut [f32], start: Start) {
    let at = |m: Matrix, i: usize, j: usize| {
        if m.transposed { j * m.row + i } else { i * m.row + j }
    };
    for i in 0..d.m {
        for j in 0..d.n {
            let out = &mut c[i * d.c_row + j];
            let mut acc = if start == Start::Dst { *out } else { 0.0 };
            for k in 0..d.k {
                acc = fma(isa, a[at(d.a, i, k)], b[at(d.b, k, j)], acc);
            }
            *out = acc;
        }
    }
}
