//! The gradients of attention.

use super::Dims;
use super::product::{Product, Target};
use super::softmax::{self, Rows};
use crate::simd::Isa;

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
    let square = heads * dims.square();
    dims.check("q", saved.q.len(), queries * dims.step());
    dims.check("k", saved.k.len(), keys * dims.step());
    dims.check("v", saved.v.len(), keys * dims.value_step());
    dims.check("probs", saved.probs.len(), square);
    dims.check("dout", upstream.dout.len(), queries * dims.out_step());
    dims.check("dq", grads.dq.len(), saved.q.len());
    dims.check("dk", grads.dk.len(), saved.k.len());
    dims.check("dv", grads.dv.len(), saved.v.len());
    dims.check("dscores", grads.dscores.len(), square);
    if let Some(dscores) = upstream.dscores {
        dims.check("dscores", dscores.len(), square);
    }
    if lanes == 0 || heads == 0 {
        grads.dv.fill(0.0);
        return;
    }
    for piece in dims.pieces() {
        let head = piece.heads.start;
        let (batch, m) = (piece.heads.len(), piece.queries.len());
        let product = Product {
            batch,
            m,
            n: keys,
            k: value_width,
            lanes,
            a: piece.of_queries(upstream.dout, value_width),
            b: dims.values(saved.v, head),
            c: piece.to_scores(grads.dscores),
            scale: 1.0,
            chained: false,
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe { product.run(isa) };
        let at = piece.scores();
        let size = Rows { rows: batch * m, keys, lanes };
        let outside = upstream.dscores.map(|all| &all[at.clone()]);
        let probs = &saved.probs[at.clone()];
        softmax::backward(isa, size, probs, outside, &mut grads.dscores[at]);
        let product = Product {
            n: width,
            k: keys,
            a: piece.of_scores(grads.dscores),
            b: dims.keys(saved.k, head).turned(),
            c: piece.to_queries(grads.dq, width),
            scale,
            ..product
        };
        // SAFETY: lengths were checked at entry; the piece lies inside.
        unsafe { product.run(isa) };
    }

    let all = dims.whole();
    let of_keys = dims.keys(saved.k, 0);
    let product = Product {
        batch: heads,
        m: keys,
        n: width,
        k: queries,
        lanes,
        a: all.of_scores(grads.dscores).turned(),
        b: all.of_queries(saved.q, width).turned(),
        c: Target {
            at: grads.dk.as_mut_ptr(),
            row: of_keys.row,
            col: of_keys.step,
            batch: of_keys.batch,
        },
        scale,
        chained: false,
    };
    // SAFETY: lengths were checked at entry.
    unsafe { product.run(isa) };
    let of_values = dims.values(saved.v, 0);
    let product = Product {
        n: value_width,
        a: all.of_scores(saved.probs).turned(),
        b: all.of_queries(upstream.dout, value_width).turned(),
        c: Target {
            at: grads.dv.as_mut_ptr(),
            row: of_values.row,
            col: of_values.step,
            batch: of_values.batch,
        },
        scale: 1.0,
        chained: dims.shared_values,
        ..product
    };
    // SAFETY: lengths were checked at entry.
    unsafe { product.run(isa) };
}
