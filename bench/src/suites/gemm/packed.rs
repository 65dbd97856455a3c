//! The product as a dense layer computes it: y `[n, m]` = W `[n, k]` x `[k, m]`, W in panels.

use std::ops::Range;
use std::rc::Rc;

use whimbrel_kernels::gemm::{DenseDims, PANEL, Start, dense_forward, pack, packed_len};
use whimbrel_threads::Pool;

use super::share::pieces;
use super::{Product, Shape};
use crate::arrays::{Array, Cut, parts};
use crate::error::Result;

/// A dense layer, its rows cut by panels where that is worth it.
pub struct Packed {
    shape: Shape,
    w: Array,
    x: Array,
    y: Array,
    pool: Rc<Pool>,
    rows: Vec<Range<usize>>,
    cut: Cut<1>,
}

impl Packed {
    /// Packs B and turns A.
    pub fn prepare(shape: Shape, a: &[f32], b: &[f32], pool: Rc<Pool>) -> Result<Box<dyn Product>> {
        let Shape { m, k, n } = shape;
        let mut w = Array::zeros(packed_len(n, k))?;
        pack(n, k, &Array::transposed(b, k, n)?, &mut w);
        let rows = parts(n, PANEL, pieces(shape, pool.size(), n.div_ceil(PANEL)));
        let ranges: Vec<_> = rows.iter().map(|rows| rows.start * m..rows.end * m).collect();
        let (x, y) = (Array::transposed(a, m, k)?, Array::zeros(n * m)?);
        let cut = Cut::along(n * m, &ranges)?;
        Ok(Box::new(Packed { shape, w, x, y, pool, rows, cut }))
    }
}

impl Product for Packed {
    fn run(&mut self) {
        let Shape { m, k, n } = self.shape;
        let (w, x, rows) = (&self.w, &self.x, &self.rows);
        if rows.len() == 1 {
            let dims = DenseDims { rows: n, inputs: k, lanes: m };
            return dense_forward(dims, w, x, &mut self.y, Start::Zero);
        }
        self.cut.fill(&self.pool, &mut self.y, |piece, [y]| {
            let rows = &rows[piece];
            let panels = &w[rows.start * k..][..packed_len(rows.len(), k)];
            let dims = DenseDims { rows: rows.len(), inputs: k, lanes: m };
            dense_forward(dims, panels, x, y, Start::Zero);
        });
    }

    fn answer(&self) -> Vec<f32> {
        let Shape { m, n, .. } = self.shape;
        Array::transposed(&self.y, n, m).map(|c| c.to_vec()).unwrap_or_default()
    }
}
