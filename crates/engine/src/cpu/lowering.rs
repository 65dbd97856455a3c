//! What every operation's lowering needs: where values are and how to cut the work.

use super::instruction::Instruction;
use super::layout::{Layouts, matrices, panel_words};
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::{Cost, Graph, Node, NodeId, Op, Operation, ValueId};
use whimbrel_kernels::gemm::{pack, packed_len};
use whimbrel_plan::{Place, Plan};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views};

/// Work below this many seconds on one core is not shared: the meeting of the threads would cost
/// what their help saves.
pub const WORTH_SHARING: f64 = 6e-6;

/// The least a piece of [`Lowering::fine_pieces`] takes, by the cautious estimate of [`seconds`]: many
/// times a meeting, and what a product needs to copy its activations again.
pub const LEAST_PIECE: f64 = 150e-6;

/// The most pieces of one thread.
const FINE: usize = 4;

/// How many instructions back a value counts as just written.
const NEAR: usize = 8;

/// One node with its graph, plan and memory map.
pub struct Lowering<'a> {
    /// The graph after all passes.
    pub graph: &'a Graph,
    /// Order and places.
    pub plan: &'a Plan,
    /// Which values are in panels.
    pub layouts: &'a Layouts,
    /// Where places are in the arena.
    pub spans: &'a dyn Fn(Place) -> Span,
    /// The instructions of the nodes before it.
    pub before: &'a [Instruction],
    /// Threads that share the work.
    pub threads: usize,
    /// The node being lowered.
    pub id: NodeId,
}

impl<'a> Lowering<'a> {
    /// The node being lowered.
    pub fn node(&self) -> &'a Node {
        self.graph.node(self.id)
    }

    /// Operand number `i`.
    pub fn input(&self, i: usize) -> ValueId {
        self.node().inputs[i]
    }

    /// Result number `i`.
    pub fn output(&self, i: usize) -> ValueId {
        self.node().outputs[i]
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.graph.ty(value).shape
    }

    /// The shape of one block of a value.
    pub fn block_shape(&self, value: ValueId) -> Shape {
        self.plan.lanes.block_shape(self.graph, value)
    }

    /// Blocks this node runs over: those of its split operands and results, or one.
    pub fn blocks(&self) -> usize {
        let node = self.node();
        let all = node.inputs.iter().chain(&node.outputs);
        all.map(|&v| self.plan.lanes.blocks_of(v)).max().unwrap_or(1)
    }

    /// The words of one block of a value; of the whole value if it is not split.
    pub fn block(&self, value: ValueId, block: usize) -> Span {
        let Some(place) = self.plan.place(value) else { return Span::new(0, 0) };
        let first = (self.spans)(place);
        let skip = if self.plan.lanes.is_split(value) { block * place.stride } else { 0 };
        Span::new(first.offset + skip, first.len)
    }

    /// The words of a value from its first to its last block.
    pub fn span(&self, value: ValueId) -> Span {
        let first = self.block(value, 0);
        let last = self.block(value, self.plan.lanes.blocks_of(value) - 1);
        Span::new(first.offset, last.offset - first.offset + last.len)
    }

    /// Words from one block of a value to the next.
    pub fn stride(&self, value: ValueId) -> usize {
        self.plan.place(value).map_or(0, |place| place.stride)
    }

    /// The node's scratch memory.
    pub fn scratch(&self) -> Span {
        self.plan.scratch(self.id).map_or(Span::new(0, 0), self.spans)
    }

    /// A weight in panels: where it is kept, or the start of the node's scratch memory with the
    /// instruction that packs it there.
    pub fn packed(&self, weight: ValueId) -> (Span, Vec<Instruction>) {
        let rows = self.block(weight, 0);
        if self.layouts.in_panels(weight) {
            return (rows, Vec::new());
        }
        let (count, outputs, inputs) = matrices(self.shape(weight));
        let words = packed_len(outputs, inputs);
        let packed = Span::new(self.scratch().offset, count * words);
        let kernel = Box::new(move |_: usize, views: Views<'_>| {
            let ([rows], [packed]) = views.get();
            let matrices = rows.chunks_exact((outputs * inputs).max(1));
            for (rows, packed) in matrices.zip(packed.chunks_exact_mut(words.max(1))) {
                pack(outputs, inputs, rows, packed);
            }
        });
        let pieces = vec![Access::new([rows], [packed])];
        let bytes = 8.0 * rows.len as f64;
        let (name, cost) = ("pack".to_owned(), Cost { flops: 0.0, bytes });
        (packed, vec![Instruction { name, cost, pieces, kernel }])
    }

    /// The node's scratch memory behind the packed form of `weight`, if that is there.
    pub fn scratch_beside_packed(&self, weight: ValueId) -> Span {
        let all = self.scratch();
        let skip = if self.layouts.in_panels(weight) { 0 } else { panel_words(self.shape(weight)) };
        Span::new(all.offset + skip, all.len.saturating_sub(skip))
    }

    /// Arithmetic and traffic of the node.
    pub fn cost(&self) -> Cost {
        let node = self.node();
        node.op.cost(&self.graph.types(&node.inputs), &self.graph.types(&node.outputs))
    }

    /// How many pieces to cut the node into, at most `limit`: as many as threads if the work is
    /// worth their meeting, else one.
    pub fn pieces(&self, limit: usize) -> usize {
        if seconds(self.cost()) < WORTH_SHARING { 1 } else { self.threads.min(limit).max(1) }
    }

    /// [`pieces`](Lowering::pieces), but several for each thread where that is worth it: pieces take
    /// unequal times, and so do cores that others use too. Who is done early takes one more.
    pub fn fine_pieces(&self, limit: usize) -> usize {
        let worth = (seconds(self.cost()) / LEAST_PIECE) as usize;
        match self.threads {
            0 | 1 => 1,
            threads => {
                let rounds = (worth.min(limit) / threads).min(FINE);
                (rounds * threads).max(self.pieces(limit))
            }
        }
    }

    /// The parts in which a value that is not split has just been written, if by several pieces, each a
    /// run of it; in the order of the pieces, not of the words. What is cut likewise needs no meeting before it.
    pub fn parts_written(&self, value: ValueId) -> Option<Vec<Range<usize>>> {
        let all = self.block(value, 0);
        let end = all.offset + all.len;
        let is_within = |span: &Span| all.offset <= span.offset && span.offset < end;
        let writes = |i: &&Instruction| i.pieces.iter().flat_map(|p| &p.writes).any(is_within);
        let writer = self.before.iter().rev().take(NEAR).find(writes)?;
        let run = |piece: &Access| {
            let span = piece.writes.iter().find(|span| is_within(span) && span.len > 0)?;
            Some(span.offset - all.offset..span.offset - all.offset + span.len)
        };
        let parts: Vec<Range<usize>> = writer.pieces.iter().map(run).collect::<Option<_>>()?;
        let mut in_order = parts.clone();
        in_order.sort_unstable_by_key(|part| part.start);
        let ends = in_order.iter().try_fold(0, |at, part| (part.start == at).then_some(part.end));
        (ends == Some(all.len) && parts.len() > 1).then_some(parts)
    }

    /// The error for an operation in a form the back end has no kernel for.
    pub fn unsupported(&self, reason: impl Into<String>) -> EngineError {
        let op = self.node().op.to_string();
        EngineError::Unsupported { backend: "cpu", op, reason: reason.into() }
    }

    /// The node's operation.
    pub fn op(&self) -> &'a Op {
        &self.node().op
    }
}

/// Seconds a node takes on one core, roughly: arithmetic at half of a common peak, traffic at the
/// rate of a shared cache.
pub fn seconds(cost: Cost) -> f64 {
    cost.flops / 60e9 + cost.bytes / 40e9
}

/// Where piece `piece` of `pieces` lies, so that what a thread runs, which is every `threads`th piece, lies side by
/// side: processors fetch ahead of what is read, also what is another core's. As it comes, where threads have unequal
/// numbers of pieces.
pub fn place_of(piece: usize, pieces: usize, threads: usize) -> usize {
    match pieces.is_multiple_of(threads) {
        true => piece % threads * (pieces / threads) + piece / threads,
        false => piece,
    }
}

/// Part `i` of `parts` of `0..len`, in units of `unit`.
pub fn part(len: usize, unit: usize, parts: usize, i: usize) -> Range<usize> {
    let units = len.div_ceil(unit);
    let at = |i: usize| (units * i / parts * unit).min(len);
    at(i)..at(i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_thread_lie_side_by_side() {
        for (pieces, threads) in (1..40).flat_map(|pieces| (1..9).map(move |n| (pieces, n))) {
            let mut places: Vec<usize> =
                (0..pieces).map(|piece| place_of(piece, pieces, threads)).collect();
            let of_thread = |thread: usize| places.iter().skip(thread).step_by(threads);
            if pieces.is_multiple_of(threads) {
                for thread in 0..threads {
                    let first = thread * (pieces / threads);
                    assert!(of_thread(thread).copied().eq(first..first + pieces / threads));
                }
            }
            places.sort_unstable();
            assert!(places.into_iter().eq(0..pieces), "{pieces} pieces, {threads} threads");
        }
    }
}
