//! The way back through a large weight that only one block of the batch goes through: `dx = Wᵀ dy` in two
//! halves, each over half of the outputs, and then their sum.
//!
//! Where cores have caches of their own, a line that another core has read is slow to write. Products and
//! updates are cut by outputs, so that of two threads each has half of them; in halves it is the same half on
//! the way back. What is made in halves follows from shapes alone, for it decides the sums.

use super::elementwise::Steps;
use super::instruction::Instruction;
use super::lowering::{LEAST_PIECE, Lowering, neighbour, part, seconds};
use std::ops::Range;
use whimbrel_graph::{Cost, Graph, ValueId};
use whimbrel_kernels::gemm::{InputGradDims, PANEL, Start, input_grad};
use whimbrel_plan::Lanes;
use whimbrel_tensor::arena::{Access, Span};

const HALVES: usize = 2;

/// How many times as large as the sums of both halves a weight is at least: they are written and read once more.
const LARGE: usize = 4;

/// Rows of `dx` in a piece come in multiples of this.
const ROWS: usize = 8;

/// A large weight and the lanes that go through it.
#[derive(Clone, Copy)]
pub struct WayBack {
    outputs: usize,
    inputs: usize,
    lanes: usize,
}

impl WayBack {
    /// The way of `dy` back through `weight`; none where it is one chain of additions.
    pub fn of(graph: &Graph, lanes: &Lanes, weight: ValueId, dy: ValueId) -> Option<WayBack> {
        let (weight, block) = (graph.ty(weight).shape, lanes.block_shape(graph, dy));
        let (outputs, inputs, width) = (weight[0], weight[1], block[block.rank() - 1]);
        let once = lanes.blocks_of(dy) == 1 && block.numel() == outputs * width;
        let large = outputs >= LARGE * HALVES * width;
        let way = WayBack { outputs, inputs, lanes: width };
        let worth = seconds(way.cost()) >= HALVES as f64 * LEAST_PIECE;
        (once && large && worth).then_some(way)
    }

    /// Words of the sums of both halves.
    pub fn scratch(&self) -> usize {
        HALVES * self.inputs * self.lanes
    }

    /// `Wᵀ dy`, and the steps that follow.
    pub fn lower(self, at: &Lowering, steps: Option<Steps>) -> Vec<Instruction> {
        // As many for each half.
        let pieces = at.fine_pieces(self.inputs / ROWS).next_multiple_of(HALVES);
        vec![self.products(at, pieces), self.sum(at, pieces, steps)]
    }

    /// What the products cost without the steps.
    fn cost(&self) -> Cost {
        let words = (self.outputs * self.inputs) as f64;
        Cost { flops: 2.0 * words * self.lanes as f64, bytes: 4.0 * words }
    }

    /// The sums of both halves, one after the other.
    fn halves(&self, at: &Lowering) -> [Span; HALVES] {
        let (start, words) = (at.scratch().offset, self.inputs * self.lanes);
        [Span::new(start, words), Span::new(start + words, words)]
    }

    /// The sum of each half, in pieces of its rows.
    fn products(self, at: &Lowering, pieces: usize) -> Instruction {
        let WayBack { outputs, inputs, lanes } = self;
        let (threads, of_half) = (at.threads, pieces / HALVES);
        let cut = move |piece: usize| {
            let place = neighbour(piece, pieces, threads);
            let outputs = part(outputs, PANEL, HALVES, place / of_half);
            (place / of_half, outputs, part(inputs, ROWS, of_half, place % of_half))
        };
        let (w, dy, halves) = (at.block(at.input(0), 0), at.block(at.input(1), 0), self.halves(at));
        let access = |piece: usize| {
            let (half, outputs, rows) = cut(piece);
            let panels = outputs.start..outputs.end.next_multiple_of(PANEL);
            let factors = [within(w, panels, inputs), within(dy, outputs, lanes)];
            Access::new(factors, [within(halves[half], rows, lanes)])
        };
        Instruction {
            name: format!("{} by halves", at.op()),
            cost: self.cost(),
            pieces: (0..pieces).map(access).collect(),
            kernel: Box::new(move |piece, views| {
                let ([w, dy], [sum]) = views.get();
                let (_, outputs, rows) = cut(piece);
                let (outputs, first, rows) = (outputs.len(), rows.start, rows.len());
                let dims = InputGradDims { outputs, inputs, first, rows, lanes };
                input_grad(dims, w, dy, sum, Start::Zero);
            }),
        }
    }

    /// The sum of both, and the steps.
    fn sum(self, at: &Lowering, pieces: usize, steps: Option<Steps>) -> Instruction {
        let WayBack { inputs, lanes, .. } = self;
        let threads = at.threads;
        let cut = move |piece: usize| {
            let rows = part(inputs, ROWS, pieces, neighbour(piece, pieces, threads));
            rows.start * lanes..rows.end * lanes
        };
        let (dx, halves) = (at.block(at.output(0), 0), self.halves(at));
        let access = |piece: usize| {
            let mut reads: Vec<Span> = halves.map(|half| within(half, cut(piece), 1)).into();
            if let Some(steps) = &steps {
                reads.extend(steps.reads(at, 0, cut(piece)));
            }
            Access::new(reads, [within(dx, cut(piece), 1)])
        };
        let (all, words) = (at.cost(), dx.len as f64);
        let flops = all.flops - self.cost().flops + words;
        Instruction {
            name: format!("sum of halves of {}", at.op()),
            cost: Cost { flops, bytes: 4.0 * (HALVES + 1) as f64 * words },
            pieces: (0..pieces).map(access).collect(),
            kernel: Box::new(move |piece, views| {
                let (halves, rest) = views.split_at(HALVES, 0);
                let ([first, second], []) = halves.get();
                let (reads, mut results) = rest.split();
                let Some(dx) = results.next() else { return };
                for ((dx, first), second) in dx.iter_mut().zip(first).zip(second) {
                    *dx = first + second;
                }
                if let Some(steps) = &steps {
                    steps.run(&reads, 0..dx.len(), cut(piece).start, &mut [dx]);
                }
            }),
        }
    }
}

/// Rows of `row` words each within a span.
fn within(span: Span, rows: Range<usize>, row: usize) -> Span {
    Span::new(span.offset + rows.start * row, rows.len() * row)
}
