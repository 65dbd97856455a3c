//! The way back through a large weight that one block of the batch goes through, `dx = Wᵀ dy`, in two halves: a sum
//! over each half of the outputs, and then both together.
//!
//! Where cores have caches of their own, a line that another core has read is slow to write. Products and
//! updates are cut by outputs, so that of two threads each has half of them; in halves it is the same half on
//! the way back. What is made in halves follows from the graph and its batch size, never from threads, for it decides
//! the sums.

use super::dense::unit;
use super::elementwise::Steps;
use super::instruction::Instruction;
use super::lowering::{LEAST_PIECE, Lowering, part, place_of, seconds};
use std::ops::Range;
use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Cost, Graph, ValueId};
use whimbrel_kernels::gemm::{InputGradDims, PANEL, Start, input_grad};
use whimbrel_plan::Lanes;
use whimbrel_tensor::arena::{Access, Span};

const HALVES: usize = 2;

/// How many times as large as both sums a weight is at least: they are written and read once more.
const LARGE: usize = 4;

/// A weight whose way back is made in halves, and the lanes that go through it.
#[derive(Clone, Copy)]
pub struct Halves {
    outputs: usize,
    inputs: usize,
    lanes: usize,
}

impl Halves {
    /// Those of a product by a weight in panels; none where it is one chain of additions: forth, through a weight that
    /// is not updated, and where sums are large or work is small.
    pub fn of(graph: &Graph, lanes: &Lanes, dot: Dot, [weight, dy]: [ValueId; 2]) -> Option<Self> {
        let (shape, block) = (graph.ty(weight).shape, lanes.block_shape(graph, dy));
        let (outputs, inputs, width) = (shape[0], shape[1], block[block.rank() - 1]);
        let halves = Halves { outputs, inputs, lanes: width };
        let updated = graph.updates().iter().any(|update| update.state == weight);
        let once = lanes.blocks_of(dy) == 1 && block.numel() == outputs * width;
        let large = outputs * inputs >= LARGE * HALVES * halves.scratch();
        let worth = seconds(halves.cost()) >= HALVES as f64 * LEAST_PIECE;
        (dot.lhs_transposed && updated && once && large && worth).then_some(halves)
    }

    /// Words of the second sum; the first is where the result will be.
    pub fn scratch(&self) -> usize {
        self.inputs * self.lanes
    }

    /// `Wᵀ dy`, and the steps that follow.
    pub fn lower(self, at: &Lowering, steps: Option<Steps>) -> Vec<Instruction> {
        vec![self.products(at), self.sum(at, steps)]
    }

    /// What the products cost without the steps.
    fn cost(&self) -> Cost {
        let words = (self.outputs * self.inputs) as f64;
        Cost { flops: 2.0 * words * self.lanes as f64, bytes: 4.0 * words }
    }

    /// The sums of both halves, each in as many pieces of its rows.
    fn products(self, at: &Lowering) -> Instruction {
        let Halves { outputs, inputs, lanes } = self;
        let threads = at.threads;
        let units = inputs.div_ceil(unit(true));
        // As many for each thread, too.
        let even = if threads.is_multiple_of(HALVES) { threads } else { HALVES * threads };
        let of_half = (at.fine_pieces(units).next_multiple_of(even) / HALVES).min(units);
        let pieces = HALVES * of_half;
        let cut = move |piece: usize| {
            let place = place_of(piece, pieces, threads);
            let half = place / of_half;
            let outputs = part(outputs, PANEL, HALVES, half);
            (half, outputs, part(inputs, unit(true), of_half, place % of_half))
        };
        let [w, dy] = [at.input(0), at.input(1)].map(|value| at.block(value, 0));
        let sums = [at.block(at.output(0), 0), at.scratch()];
        let access = |piece: usize| {
            let (half, outputs, rows) = cut(piece);
            let panels = outputs.start..outputs.end.next_multiple_of(PANEL);
            let factors = [within(w, panels, inputs), within(dy, outputs, lanes)];
            Access::new(factors, [within(sums[half], rows, lanes)])
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

    /// Adds the second sum to the first, and takes the steps.
    fn sum(self, at: &Lowering, steps: Option<Steps>) -> Instruction {
        let Halves { inputs, lanes, .. } = self;
        let threads = at.threads;
        let pieces = at.fine_pieces(inputs.div_ceil(unit(true)));
        let cut = move |piece: usize| {
            let rows = part(inputs, unit(true), pieces, place_of(piece, pieces, threads));
            rows.start * lanes..rows.end * lanes
        };
        let (dx, second) = (at.block(at.output(0), 0), at.scratch());
        let access = |piece: usize| {
            let mut reads = vec![within(second, cut(piece), 1)];
            if let Some(steps) = &steps {
                reads.extend(steps.reads(at, 0, cut(piece)));
            }
            Access::new(reads, [within(dx, cut(piece), 1)])
        };
        let (all, products, words) = (at.cost(), self.cost(), dx.len as f64);
        let flops = all.flops - products.flops + words;
        let bytes = all.bytes - products.bytes + 8.0 * words;
        Instruction {
            name: format!("sum of halves of {}", at.op()),
            cost: Cost { flops, bytes },
            pieces: (0..pieces).map(access).collect(),
            kernel: Box::new(move |piece, views| {
                let (second, rest) = views.split_at(1, 0);
                let ([second], []) = second.get();
                let (reads, mut results) = rest.split();
                let Some(dx) = results.next() else { return };
                dx.iter_mut().zip(second).for_each(|(first, second)| *first += second);
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
