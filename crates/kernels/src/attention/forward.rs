//! Attention itself.

use super::product::Product;
use super::softmax::{self, Added, Rows};
use super::{Dims, Piece};
use crate::simd::Isa;
use crate::sizes::elements;

/// What attention reads; see [`Dims`] for the shapes.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Queries.
    pub q: &'a [f32],
    /// Keys.
    pub k: &'a [f32],
    /// Values.
    pub v: &'a [f32],
    /// What is added to the scaled products.
    pub additive: Additive<'a>,
}

/// Scores added to the scaled products, such as a mask of 0 and -inf.
#[derive(Clone, Copy, Debug)]
pub enum Additive<'a> {
    /// None.
    Nothing,
    /// A score for each lane, `[heads, queries, keys, lanes]`.
    Lanes(&'a [f32]),
    /// A score for all lanes, `[heads, queries, keys]`.
    Shared(&'a [f32]),
}

impl<'a> Additive<'a> {
    /// The part that belongs to scores of a piece.
    fn part(self, piece: &Piece) -> Added<'a> {
        let at = piece.scores();
        let lanes = piece.dims.lanes;
        match self {
            Additive::Nothing => Added::Nothing,
            Additive::Lanes(all) => Added::Scores(&all[at]),
            Additive::Shared(all) => Added::Shared(&all[at.start / lanes..at.end / lanes]),
        }
    }
}

/// `probs = softmax(scale q k + additive)` over the keys and `out = probs v`.
///
/// `out [queries, heads value_width, lanes]` and `probs [heads, queries, keys, lanes]` are
/// written, and so are `scores`, before the softmax, where asked for. A query whose scores are
/// all -inf has probs and out of zeros.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward(
    dims: Dims,
    scale: f32,
    inputs: Inputs,
    out: &mut [f32],
    probs: &mut [f32],
    scores: Option<&mut [f32]>,
) {
    forward_on(Isa::current(), dims, scale, inputs, out, probs, scores);
}

/// [`forward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward_on(
    isa: Isa,
    dims: Dims,
    scale: f32,
    inputs: Inputs,
    out: &mut [f32],
    probs: &mut [f32],
    mut scores: Option<&mut [f32]>,
) {
    let Dims { heads, queries, keys, width, value_width, lanes, .. } = dims;
    let square = elements([heads, dims.square()]);
    dims.check("q", inputs.q.len(), elements([queries, dims.step()]));
    dims.check("k", inputs.k.len(), elements([keys, dims.step()]));
    dims.check("v", inputs.v.len(), elements([keys, dims.value_step()]));
    dims.check("out", out.len(), elements([queries, dims.out_step()]));
    dims.check("probs", probs.len(), square);
    if let Some(scores) = &scores {
        dims.check("scores", scores.len(), square);
    }
    match inputs.additive {
        Additive::Nothing => {}
        Additive::Lanes(all) => dims.check("additive", all.len(), square),
        Additive::Shared(all) => {
            dims.check("additive", all.len(), elements([heads, queries, keys]))
        }
    }
    if lanes == 0 {
        return;
    }
    for piece in dims.pieces() {
        let head = piece.heads.start;
        let (batch, m) = (piece.heads.len(), piece.queries.len());
        let product = Product {
            batch,
            m,
            n: keys,
            k: width,
            lanes,
            a: piece.of_queries(inputs.q, width),
            b: dims.keys(inputs.k, head),
            c: piece.to_scores(probs),
            scale,
            go_on: false,
            chained: false,
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe { product.run(isa) };
        let at = piece.scores();
        let kept = scores.as_mut().map(|scores| &mut scores[at.clone()]);
        let size = Rows { rows: batch * m, keys, lanes };
        softmax::forward(isa, size, inputs.additive.part(&piece), kept, &mut probs[at]);
        let product = Product {
            n: value_width,
            k: keys,
            a: piece.of_scores(probs),
            b: dims.values(inputs.v, head).turned(),
            c: piece.to_queries(out, value_width),
            scale: 1.0,
            ..product
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe { product.run(isa) };
    }
}
