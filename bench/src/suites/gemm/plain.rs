//! The product of row-major matrices, packing included, cut as the kernels suggest.
//!
//! Bands of rows are written where they belong. Bands of columns are not contiguous, so each is
//! computed beside the result and copied into it; the copy counts.

use std::ops::Range;
use std::rc::Rc;

use whimbrel_kernels::gemm::{GemmDims, Matrix, Piece, Start, cut, gemm};
use whimbrel_threads::Pool;

use super::{Product, Shape};
use crate::arrays::{Array, Cut};
use crate::error::Result;

/// Values of a cache line.
const LINE: usize = 16;

/// A row-major product.
pub struct Plain {
    shape: Shape,
    a: Array,
    b: Array,
    c: Array,
    /// The results of all pieces, then the scratch memory of each.
    work: Array,
    pieces: Vec<Piece>,
    places: Vec<[Range<usize>; 2]>,
    cut: Cut<2>,
    pool: Rc<Pool>,
}

impl Plain {
    /// Copies the operands and cuts the result for the team.
    pub fn prepare(shape: Shape, a: &[f32], b: &[f32], pool: Rc<Pool>) -> Result<Box<dyn Product>> {
        let Shape { m, k, n } = shape;
        let pieces: Vec<Piece> = cut(m, n, k, pool.size()).collect();
        let (mut places, mut done, mut len) = (Vec::new(), 0, (m * n).next_multiple_of(LINE));
        for piece in &pieces {
            let result = piece.rows.len() * piece.cols.len();
            let scratch = dims(shape, piece).scratch_len().next_multiple_of(LINE);
            places.push([done..done + result, len..len + scratch]);
            (done, len) = (done + result, len + scratch);
        }
        Ok(Box::new(Plain {
            shape,
            a: Array::of(a)?,
            b: Array::of(b)?,
            c: Array::zeros(m * n)?,
            work: Array::zeros(len)?,
            cut: Cut::new(len, &places)?,
            pieces,
            places,
            pool,
        }))
    }

    /// Whether the pieces are bands of columns.
    fn by_columns(&self) -> bool {
        self.pieces[0].cols.len() < self.shape.n
    }
}

/// One piece as a product of its own, its result contiguous.
fn dims(Shape { k, n, .. }: Shape, piece: &Piece) -> GemmDims {
    GemmDims {
        m: piece.rows.len(),
        n: piece.cols.len(),
        k,
        a: Matrix::plain(k),
        b: Matrix::plain(n),
        c_row: piece.cols.len(),
    }
}

impl Product for Plain {
    fn run(&mut self) {
        let (shape, a, b, pieces) = (self.shape, &self.a, &self.b, &self.pieces);
        let compute = |piece: &Piece, c: &mut [f32], scratch: &mut [f32]| {
            let (a, b) = (&a[piece.rows.start * shape.k..], &b[piece.cols.start..]);
            gemm(dims(shape, piece), a, b, c, Start::Zero, scratch);
        };
        if let [piece] = &pieces[..] {
            let (c, scratch) = self.work.split_at_mut(self.places[0][1].start);
            return compute(piece, c, scratch);
        }
        self.cut.fill(&self.pool, &mut self.work, |i, [c, scratch]| {
            compute(&pieces[i], c, scratch);
        });
        if self.by_columns() {
            for (piece, [place, _]) in self.pieces.iter().zip(&self.places) {
                let rows = self.work[place.clone()].chunks_exact(piece.cols.len());
                for (c, row) in self.c.chunks_exact_mut(shape.n).zip(rows) {
                    c[piece.cols.clone()].copy_from_slice(row);
                }
            }
        }
    }

    fn answer(&self) -> Vec<f32> {
        let Shape { m, n, .. } = self.shape;
        if self.by_columns() { self.c.to_vec() } else { self.work[..m * n].to_vec() }
    }
}
