//! Attention of all heads over one block of lanes: scaled products of queries and keys, softmax
//! over the keys, mean of the values; forward and backward.
//!
//! Every sum is one chain in ascending order, over channels, keys or queries, whatever the number
//! of lanes: a lane never depends on the lanes beside it. Scores are made for as many heads or
//! queries at a time as a cache holds, and consumed there.
//!
//! Start reading at `forward`; `product` is the loop under both directions.

mod backward;
mod forward;
mod product;
#[cfg(test)]
mod reference;
mod single;
mod softmax;
#[cfg(test)]
mod tests;

pub use backward::{Grads, Saved, Upstream, backward, backward_on};
pub use forward::{Additive, Inputs, forward, forward_on};

use crate::sizes::elements;
use product::{Operand, Target};
use std::ops::Range;

/// Sizes of an attention. Queries are `[queries, heads width, lanes]`, keys `[keys, heads width,
/// lanes]`, values `[keys, heads value_width, lanes]`, scores `[heads, queries, keys, lanes]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Heads.
    pub heads: usize,
    /// Time steps that ask.
    pub queries: usize,
    /// Time steps that answer.
    pub keys: usize,
    /// Channels of a query or key of one head.
    pub width: usize,
    /// Channels of a value of one head.
    pub value_width: usize,
    /// Lanes of the batch.
    pub lanes: usize,
    /// Whether all heads read the same values, `[keys, value_width, lanes]`.
    pub shared_values: bool,
}

/// Scores of several heads made before they are consumed: a first cache full.
const HEADS_BLOCK: usize = 8192;
/// Scores of one head made before they are consumed: part of a second cache.
const BLOCK: usize = 65536;
/// Pieces of one head have a multiple of these queries.
const TILE: usize = 8;

impl Dims {
    /// Elements of one score row, `[keys, lanes]`.
    fn row(&self) -> usize {
        elements([self.keys, self.lanes])
    }

    /// Elements of the scores of one head.
    fn square(&self) -> usize {
        elements([self.queries, self.row()])
    }

    /// Elements of one step of queries or keys.
    fn step(&self) -> usize {
        elements([self.heads, self.width, self.lanes])
    }

    /// Elements of one step of the output.
    fn out_step(&self) -> usize {
        elements([self.heads, self.value_width, self.lanes])
    }

    /// Elements of one step of the values.
    fn value_step(&self) -> usize {
        if self.shared_values { elements([self.value_width, self.lanes]) } else { self.out_step() }
    }

    #[track_caller]
    fn check(&self, name: &str, got: usize, want: usize) {
        assert_eq!(got, want, "elements of {name} of {self:?}");
    }

    /// The scores in pieces that a cache holds: several heads with all their queries, or some
    /// queries of one head. Either way a piece is contiguous.
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let dims = *self;
        let heads = (HEADS_BLOCK / dims.square().max(1)).max(1);
        let queries = if heads > 1 || dims.square() <= BLOCK {
            dims.queries
        } else {
            (BLOCK / dims.row()).max(1).next_multiple_of(TILE).min(dims.queries)
        };
        (0..dims.heads).step_by(heads).flat_map(move |head| {
            let heads = head..dims.heads.min(head + heads);
            (0..dims.queries).step_by(queries.max(1)).map(move |query| Piece {
                dims,
                heads: heads.clone(),
                queries: query..dims.queries.min(query + queries),
            })
        })
    }

    /// Keys of the heads from `head` on: rows of steps.
    fn keys(&self, k: &[f32], head: usize) -> Operand {
        let batch = self.width * self.lanes;
        let at = k.as_ptr().wrapping_add(head * batch);
        Operand { at, row: self.step(), step: self.lanes, batch }
    }

    /// The same to be written.
    fn keys_mut(&self, dk: &mut [f32], head: usize) -> Target {
        let batch = self.width * self.lanes;
        let at = dk.as_mut_ptr().wrapping_add(head * batch);
        Target { at, row: self.step(), col: self.lanes, batch }
    }

    /// Values of the heads from `head` on: rows of steps.
    fn values(&self, v: &[f32], head: usize) -> Operand {
        let batch = if self.shared_values { 0 } else { self.value_width * self.lanes };
        let at = v.as_ptr().wrapping_add(head * batch);
        Operand { at, row: self.value_step(), step: self.lanes, batch }
    }

    /// The same to be written.
    fn values_mut(&self, dv: &mut [f32], head: usize) -> Target {
        let batch = if self.shared_values { 0 } else { self.value_width * self.lanes };
        let at = dv.as_mut_ptr().wrapping_add(head * batch);
        Target { at, row: self.value_step(), col: self.lanes, batch }
    }
}

/// Some heads and some queries of an attention.
#[derive(Clone, Debug)]
struct Piece {
    dims: Dims,
    heads: Range<usize>,
    queries: Range<usize>,
}

impl Piece {
    /// The scores of the piece.
    fn scores(&self) -> Range<usize> {
        let at = (self.heads.start * self.dims.queries + self.queries.start) * self.dims.row();
        at..at + self.heads.len() * self.queries.len() * self.dims.row()
    }

    /// Where the piece lies in `[queries, heads width, lanes]`.
    fn at(&self, width: usize) -> usize {
        let Dims { heads, lanes, .. } = self.dims;
        (self.queries.start * heads + self.heads.start) * width * lanes
    }

    /// Queries, or their gradients, of the piece: rows of steps.
    fn of_queries(&self, x: &[f32], width: usize) -> Operand {
        let Dims { heads, lanes, .. } = self.dims;
        let at = x.as_ptr().wrapping_add(self.at(width));
        Operand { at, row: heads * width * lanes, step: lanes, batch: width * lanes }
    }

    /// The same to be written.
    fn to_queries(&self, x: &mut [f32], width: usize) -> Target {
        let Dims { heads, lanes, .. } = self.dims;
        let at = x.as_mut_ptr().wrapping_add(self.at(width));
        Target { at, row: heads * width * lanes, col: lanes, batch: width * lanes }
    }

    /// Scores of the piece: rows of queries.
    fn of_scores(&self, x: &[f32]) -> Operand {
        let at = x.as_ptr().wrapping_add(self.scores().start);
        Operand { at, row: self.dims.row(), step: self.dims.lanes, batch: self.dims.square() }
    }

    /// The same to be written.
    fn to_scores(&self, x: &mut [f32]) -> Target {
        let at = x.as_mut_ptr().wrapping_add(self.scores().start);
        Target { at, row: self.dims.row(), col: self.dims.lanes, batch: self.dims.square() }
    }
}
