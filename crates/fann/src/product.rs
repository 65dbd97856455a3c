//! The matrix products of training over many samples, `C = op(A) op(B)` or added to `C`.
//!
//! Products of `f32` are those of `whimbrel-kernels`; those of `f64` are loops of their own. In both, an element is
//! one chain of additions in ascending order of the reduction.

use crate::real::Real;
use whimbrel_kernels::gemm::{GemmDims, Matrix, Start, gemm};
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// How a factor lies in memory: the distance of its rows, and whether it is the transpose of the one meant.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    pub row: usize,
    pub transposed: bool,
}

impl Factor {
    pub(crate) fn plain(row: usize) -> Factor {
        Factor { row, transposed: false }
    }

    pub(crate) fn transposed(row: usize) -> Factor {
        Factor { row, transposed: true }
    }
}

/// Sizes of `C[m, n] = A[m, k] B[k, n]`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Dims {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Factor,
    pub b: Factor,
    pub c_row: usize,
    /// Whether the product is added to what `C` holds.
    pub adds: bool,
}

/// By the kernels of the house.
pub(crate) fn by_kernels(dims: Dims, a: &[f32], b: &[f32], c: &mut [f32], scratch: &mut Vec<f32>) {
    let matrix = |f: Factor| Matrix { row: f.row, transposed: f.transposed };
    let Dims { m, n, k, c_row, .. } = dims;
    let sizes = GemmDims { m, n, k, a: matrix(dims.a), b: matrix(dims.b), c_row };
    if scratch.len() < sizes.scratch_len() {
        scratch.resize(sizes.scratch_len(), 0.0);
    }
    let start = if dims.adds { Start::Dst } else { Start::Zero };
    gemm(sizes, a, b, c, start, scratch);
}

/// By plain loops, compiled for the instruction set in use.
pub(crate) fn by_loops<T: Real>(dims: Dims, a: &[T], b: &[T], c: &mut [T]) {
    run(Loops { dims, a, b, c });
}

struct Loops<'a, T> {
    dims: Dims,
    a: &'a [T],
    b: &'a [T],
    c: &'a mut [T],
}

impl<T: Real> Kernel for Loops<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Dims { m, n, k, a, b, c_row, adds } = self.dims;
        for i in 0..m {
            let out = &mut self.c[i * c_row..][..n];
            if !adds {
                out.fill(T::ZERO);
            }
            for step in 0..k {
                let left = self.a[if a.transposed { step * a.row + i } else { i * a.row + step }];
                if b.transposed {
                    let column = self.b[step..].iter().step_by(b.row);
                    out.iter_mut().zip(column).for_each(|(c, b)| *c += left * *b);
                } else {
                    let row = &self.b[step * b.row..][..n];
                    out.iter_mut().zip(row).for_each(|(c, b)| *c += left * *b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(f: Factor, i: usize, j: usize) -> usize {
        if f.transposed { j * f.row + i } else { i * f.row + j }
    }

    #[test]
    fn both_ways_equal_the_definition() {
        let (m, n, k) = (5, 19, 7);
        let values =
            |n: usize| (0..n).map(|i| ((i * 37 % 23) as f64 - 11.0) / 8.0).collect::<Vec<_>>();
        let (a, b) = (values(400), values(500));
        let a32: Vec<f32> = a.iter().map(|x| *x as f32).collect();
        let b32: Vec<f32> = b.iter().map(|x| *x as f32).collect();
        for (fa, fb) in [
            (Factor::plain(k + 2), Factor::plain(n + 1)),
            (Factor::transposed(m + 3), Factor::transposed(k + 1)),
        ] {
            let dims = Dims { m, n, k, a: fa, b: fb, c_row: n + 4, adds: true };
            let mut plain = vec![1.0; m * (n + 4)];
            let mut fast = vec![1.0f32; m * (n + 4)];
            by_loops(dims, &a, &b, &mut plain);
            by_kernels(dims, &a32, &b32, &mut fast, &mut Vec::new());
            for i in 0..m {
                for j in 0..n {
                    let products = (0..k).map(|s| a[at(fa, i, s)] * b[at(fb, s, j)]);
                    let sum: f64 = 1.0 + products.sum::<f64>();
                    assert_eq!(plain[i * (n + 4) + j], sum);
                    assert_eq!(f64::from(fast[i * (n + 4) + j]), sum);
                }
            }
        }
    }
}
