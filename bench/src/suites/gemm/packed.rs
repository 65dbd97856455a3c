//! The product as a dense layer computes it: y `[n, m]` = W `[n, k]` x `[k, m]`, W in panels, the
//! batch cut into blocks of at most 64 lanes as plans cut it: x `[blocks][k][lanes]`.

use std::ops::Range;
use std::rc::Rc;

use whimbrel_kernels::gemm::{DenseDims, PANEL, Start, dense_forward, pack, packed_len};
use whimbrel_threads::Pool;

use super::share::pieces;
use super::{Product, Shape};
use crate::arrays::{Array, Cut, parts};
use crate::error::Result;

/// Lanes of a block at most.
const LANES: usize = 64;

/// Some rows of one block of the batch.
struct Part {
    lanes: Range<usize>,
    rows: Range<usize>,
}

/// A dense layer. Each piece computes whole blocks, or a share of the rows of a lone one.
pub struct Packed {
    shape: Shape,
    w: Array,
    x: Array,
    y: Array,
    pool: Rc<Pool>,
    pieces: Vec<Vec<Part>>,
    cut: Cut<1>,
}

impl Packed {
    /// Packs B and turns A.
    pub fn prepare(shape: Shape, a: &[f32], b: &[f32], pool: Rc<Pool>) -> Result<Box<dyn Product>> {
        let Shape { m, k, n } = shape;
        let mut w = Array::zeros(packed_len(n, k))?;
        pack(n, k, &Array::transposed(b, k, n)?, &mut w);
        let blocks: Vec<_> = (0..m).step_by(LANES).map(|at| at..m.min(at + LANES)).collect();
        let mut x = Array::zeros(k * m)?;
        for lanes in &blocks {
            let block = Array::transposed(&a[lanes.start * k..lanes.end * k], lanes.len(), k)?;
            x[lanes.start * k..lanes.end * k].copy_from_slice(&block);
        }
        let pieces = match &blocks[..] {
            [lanes] => parts(n, PANEL, pieces(shape, pool.size(), n.div_ceil(PANEL)))
                .into_iter()
                .map(|rows| vec![Part { lanes: lanes.clone(), rows }])
                .collect(),
            _ => share(&blocks, n, pieces(shape, pool.size(), blocks.len())),
        };
        let ranges: Vec<_> = pieces.iter().map(|parts| span(parts, n)).collect();
        let (y, cut) = (Array::zeros(n * m)?, Cut::along(n * m, &ranges)?);
        Ok(Box::new(Packed { shape, w, x, y, pool, pieces, cut }))
    }
}

/// All rows of the blocks, dealt out to so many pieces.
fn share(blocks: &[Range<usize>], n: usize, pieces: usize) -> Vec<Vec<Part>> {
    let whole = |lanes: &Range<usize>| Part { lanes: lanes.clone(), rows: 0..n };
    let piece = |of: Range<usize>| blocks[of].iter().map(whole).collect();
    parts(blocks.len(), 1, pieces).into_iter().map(piece).collect()
}

/// Where the results of a piece lie.
fn span(parts: &[Part], n: usize) -> Range<usize> {
    let start = |part: &Part| part.lanes.start * n + part.rows.start * part.lanes.len();
    let end = |part: &Part| part.lanes.start * n + part.rows.end * part.lanes.len();
    parts.first().map_or(0, start)..parts.last().map_or(0, end)
}

impl Product for Packed {
    fn run(&mut self) {
        let Shape { k, .. } = self.shape;
        let (w, x) = (&self.w, &self.x);
        let compute = |parts: &[Part], mut y: &mut [f32]| {
            for Part { lanes, rows } in parts {
                let panels = &w[rows.start * k..][..packed_len(rows.len(), k)];
                let x = &x[lanes.start * k..lanes.end * k];
                let dims = DenseDims { rows: rows.len(), inputs: k, lanes: lanes.len() };
                let (block, rest) = y.split_at_mut(rows.len() * lanes.len());
                dense_forward(dims, panels, x, block, Start::Zero);
                y = rest;
            }
        };
        match &self.pieces[..] {
            [all] => compute(all, &mut self.y),
            pieces => self.cut.fill(&self.pool, &mut self.y, |i, [y]| compute(&pieces[i], y)),
        }
    }

    fn answer(&self) -> Vec<f32> {
        let Shape { m, n, .. } = self.shape;
        let mut c = vec![0.0; m * n];
        for lanes in (0..m).step_by(LANES).map(|at| at..m.min(at + LANES)) {
            for row in 0..n {
                for lane in lanes.clone() {
                    let at = lanes.start * n + row * lanes.len() + lane - lanes.start;
                    c[lane * n + row] = self.y[at];
                }
            }
        }
        c
    }
}
