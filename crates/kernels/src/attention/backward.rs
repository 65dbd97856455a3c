//! The gradients of attention.

use super::Dims;
use super::product::Product;
use super::softmax::{self, Rows};
use crate::simd::Isa;
use crate::sizes::elements;

/// What the forward direction read and left; see [`Dims`] for the shapes.
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a> {
    /// Queries.
    pub q: &'a [f32],
    /// Keys.
    pub k: &'a [f32],
    /// Values.
    pub v: &'a [f32],
    /// The weights of the values, `[heads, queries, keys, lanes]`.
    pub probs: &'a [f32],
}

/// The gradients that arrive.
#[derive(Clone, Copy, Debug)]
pub struct Upstream<'a> {
    /// Of the output, `[queries, heads value_width, lanes]`.
    pub dout: &'a [f32],
    /// Of the scores before the softmax, `[heads, queries, keys, lanes]`, where they were used.
    pub dscores: Option<&'a [f32]>,
}

/// The gradients that are written, shaped like what they are gradients of.
#[derive(Debug)]
pub struct Grads<'a> {
    /// Of the queries.
    pub dq: &'a mut [f32],
    /// Of the keys.
    pub dk: &'a mut [f32],
    /// Of the values.
    pub dv: &'a mut [f32],
    /// Of the scores, `[heads, queries, keys, lanes]`: also that of an additive input, and working
    /// memory where nobody asks for it.
    pub dscores: &'a mut [f32],
}

/// The gradients of all inputs.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward(dims: Dims, scale: f32, saved: Saved, upstream: Upstream, grads: Grads) {
    backward_on(Isa::current(), dims, scale, saved, upstream, grads);
}

/// [`backward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward_on(
    isa: Isa,
    dims: Dims,
    scale: f32,
    saved: Saved,
    upstream: Upstream,
    grads: Grads,
) {
    let Dims { heads, queries, keys, width, value_width, lanes, .. } = dims;
    let square = elements([heads, dims.square()]);
    dims.check("q", saved.q.len(), elements([queries, dims.step()]));
    dims.check("k", saved.k.len(), elements([keys, dims.step()]));
    dims.check("v", saved.v.len(), elements([keys, dims.value_step()]));
    dims.check("probs", saved.probs.len(), square);
    dims.check("dout", upstream.dout.len(), elements([queries, dims.out_step()]));
    dims.check("dq", grads.dq.len(), saved.q.len());
    dims.check("dk", grads.dk.len(), saved.k.len());
    dims.check("dv", grads.dv.len(), saved.v.len());
    dims.check("dscores", grads.dscores.len(), square);
    if let Some(dscores) = upstream.dscores {
        dims.check("dscores", dscores.len(), square);
    }
    if lanes * heads * queries == 0 {
        // No piece writes these.
        grads.dk.fill(0.0);
        grads.dv.fill(0.0);
        return;
    }
    for piece in dims.pieces() {
        let head = piece.heads.start;
        let (batch, m) = (piece.heads.len(), piece.queries.len());
        let dweights = Product {
            batch,
            m,
            n: keys,
            k: value_width,
            lanes,
            a: piece.of_queries(upstream.dout, value_width),
            b: dims.values(saved.v, head),
            c: piece.to_scores(grads.dscores),
            scale: 1.0,
            go_on: false,
            chained: false,
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe { dweights.run(isa) };
        let at = piece.scores();
        let size = Rows { rows: batch * m, keys, lanes };
        let outside = upstream.dscores.map(|all| &all[at.clone()]);
        let probs = &saved.probs[at.clone()];
        softmax::backward(isa, size, probs, outside, &mut grads.dscores[at]);
        let dq = Product {
            n: width,
            k: keys,
            a: piece.of_scores(grads.dscores),
            b: dims.keys(saved.k, head).turned(),
            c: piece.to_queries(grads.dq, width),
            scale,
            ..dweights
        };
        // Chains over the queries go on from piece to piece and are scaled after the last.
        let last = piece.queries.end == queries;
        let dk = Product {
            m: keys,
            n: width,
            k: m,
            a: piece.of_scores(grads.dscores).turned(),
            b: piece.of_queries(saved.q, width).turned(),
            c: dims.keys_mut(grads.dk, head),
            scale: if last { scale } else { 1.0 },
            go_on: piece.queries.start > 0,
            ..dweights
        };
        let dv = Product {
            n: value_width,
            a: piece.of_scores(saved.probs).turned(),
            b: piece.of_queries(upstream.dout, value_width).turned(),
            c: dims.values_mut(grads.dv, head),
            scale: 1.0,
            go_on: piece.queries.start > 0 || dims.shared_values && head > 0,
            chained: dims.shared_values,
            ..dk
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe {
            dq.run(isa);
            dk.run(isa);
            dv.run(isa);
        }
    }
}
