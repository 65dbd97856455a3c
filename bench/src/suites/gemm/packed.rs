//! The product as a dense layer computes it: y `[n, m]` = W `[n, k]` x `[k, m]`, W in panels, the batch
//! contiguous.

use std::ops::Range;
use std::rc::Rc;

use whimbrel_kernels::gemm::{DenseDims, PANEL, Start, dense_forward, pack, packed_len};
use whimbrel_threads::Pool;

use super::share::pieces;
use super::{Product, Shape};
use crate::arrays::{Array, Cut, parts};
use crate::error::Result;

/// A dense layer. Each piece computes some of its rows.
pub struct Packed {
    shape: Shape,
    w: Array,
    x: Array,
    y: Array,
    pool: Rc<Pool>,
    pieces: Vec<Range<usize>>,
    cut: Cut<1>,
}

impl Packed {
    /// Packs B and turns A.
    pub fn prepare(shape: Shape, a: &[f32], b: &[f32], pool: Rc<Pool>) -> Result<Box<dyn Product>> {
        let Shape { m, k, n } = shape;
        let mut w = Array::zeros(packed_len(n, k))?;
        pack(n, k, &Array::transposed(b, k, n)?, &mut w);
        let x = Array::transposed(a, m, k)?;
        let pieces = parts(n, PANEL, pieces(shape, pool.size(), n.div_ceil(PANEL)));
        let ranges: Vec<_> = pieces.iter().map(|rows| rows.start * m..rows.end * m).collect();
        let (y, cut) = (Array::zeros(n * m)?, Cut::along(n * m, &ranges)?);
        Ok(Box::new(Packed { shape, w, x, y, pool, pieces, cut }))
    }
}

impl Product for Packed {
    fn run(&mut self) {
        let Shape { m, k, .. } = self.shape;
        let (w, x) = (&self.w, &self.x);
        let compute = |rows: &Range<usize>, y: &mut [f32]| {
            let panels = &w[rows.start * k..][..packed_len(rows.len(), k)];
            let dims = DenseDims { rows: rows.len(), inputs: k, lanes: m };
            dense_forward(dims, panels, x, y, Start::Zero);
        };
        match &self.pieces[..] {
            [all] => compute(all, &mut self.y),
            pieces => self.cut.fill(&self.pool, &mut self.y, |i, [y]| compute(&pieces[i], y)),
        }
    }

    fn answer(&self) -> Vec<f32> {
        let Shape { m, n, .. } = self.shape;
        let mut c = vec![0.0; m * n];
        for (at, value) in c.iter_mut().enumerate() {
            *value = self.y[at % n * m + at / n];
        }
        c
    }
}
