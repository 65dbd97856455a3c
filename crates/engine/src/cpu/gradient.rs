//! Cutting a weight's gradient, which is a sum over the whole batch: into parts of the weight, or,
//! where that is small beside what it is made of, into shares of the batch first, made where they lie.
//!
//! A part is some panels with all inputs; or, where there are fewer panels than pieces are wanted,
//! some inputs of one panel. Either lies in one run of the packed form.

use super::instruction::Instruction;
use super::layout::matrices;
use super::lowering::{Lowering, part, place_of};
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::{Cost, Graph, ValueId};
use whimbrel_kernels::gemm::{PANEL, WeightGradDims};
use whimbrel_plan::Lanes;
use whimbrel_tensor::arena::{Access, Span};

/// Panels that are worth a piece beyond one for each thread: every piece reads all of x.
pub const PANELS_OF_PIECE: usize = 8;

/// Inputs of a panel that are worth a piece: every piece turns all of dy.
const INPUTS_OF_PIECE: usize = 32;

/// The most shares of a batch where the weight is used at one step. Two threads, or four, have all blocks of
/// a share in their own caches, where they made them.
const SHARES: usize = 4;

/// How a gradient is cut.
#[derive(Clone, Copy)]
pub struct Cut {
    dims: WeightGradDims,
    /// Parts of the panels.
    panels: usize,
    /// Parts of the inputs, of each part of the panels.
    inputs: usize,
    /// Threads that have parts side by side. One where parts of several shares are taken in turn, each where its
    /// share is.
    threads: usize,
}

/// One part of a gradient.
pub struct Part {
    /// Its sizes.
    pub dims: WeightGradDims,
    /// Its words of the packed form.
    pub words: Range<usize>,
    /// Words of dy and of x before its first.
    skip: [usize; 2],
}

impl Cut {
    /// The cut of the gradient that `dy` and `x` make.
    pub fn new(at: &Lowering, dy: ValueId, x: ValueId) -> Result<Cut, EngineError> {
        let dims = sizes(at, dy, x)?;
        let panels = dims.rows.div_ceil(PANEL).max(1);
        let runs = dims.inputs.div_ceil(INPUTS_OF_PIECE).max(1);
        let wanted = at.pieces(panels * runs);
        let (panels, inputs) = match wanted > panels {
            true => (panels, wanted.div_ceil(panels)),
            false => (wanted.max(at.fine_pieces(panels / PANELS_OF_PIECE)), 1),
        };
        Ok(Cut { dims, panels, inputs, threads: at.threads })
    }

    /// The cut of the gradient of a share of the batch: shares are pieces enough, unless threads are more.
    pub fn of_share(at: &Lowering, [dy, x]: [ValueId; 2], share: Share) -> Cut {
        let one = sizes_of_block(at, dy, x);
        let dims = match share.blocks(at, dy).len() {
            1 => one,
            blocks => {
                let [dy_block, x_block] = [dy, x].map(|value| share.of * at.stride(value));
                WeightGradDims { blocks, dy_block, x_block, ..one }
            }
        };
        let panels = dims.rows.div_ceil(PANEL).max(1);
        let panels = at.pieces(share.of * panels).div_ceil(share.of);
        Cut { dims, panels, inputs: 1, threads: 1 }
    }

    /// The number of parts.
    pub fn pieces(&self) -> usize {
        self.panels * self.inputs
    }

    /// Part number `piece`.
    pub fn part(&self, piece: usize) -> Part {
        let WeightGradDims { rows, inputs, lanes, .. } = self.dims;
        let piece = place_of(piece, self.pieces(), self.threads);
        let rows = part(rows, PANEL, self.panels, piece / self.inputs);
        let some = part(inputs, 1, self.inputs, piece % self.inputs);
        let at = |row: usize, input: usize| (row.div_ceil(PANEL) * inputs + input) * PANEL;
        let words = match self.inputs {
            1 => at(rows.start, 0)..at(rows.end, 0),
            _ => at(rows.start, some.start)..at(rows.start, some.end),
        };
        let skip = [rows.start * lanes, some.start * lanes];
        let dims = WeightGradDims { rows: rows.len(), inputs: some.len(), ..self.dims };
        Part { dims, words, skip }
    }
}

impl Part {
    /// The words of dy it reads.
    pub fn dy(&self, all: Span) -> Span {
        rest(all, self.skip[0])
    }

    /// The words of x it reads.
    pub fn x(&self, all: Span) -> Span {
        rest(all, self.skip[1])
    }
}

fn rest(span: Span, skip: usize) -> Span {
    Span::new(span.offset + skip, span.len.saturating_sub(skip))
}

/// A share of the batch: every `of`th block, at least every one, from block `number` on.
#[derive(Clone, Copy)]
pub struct Share {
    pub number: usize,
    pub of: usize,
}

impl Share {
    /// Its blocks.
    fn blocks(self, at: &Lowering, value: ValueId) -> std::iter::StepBy<Range<usize>> {
        (self.number..at.plan.lanes.blocks_of(value)).step_by(self.of)
    }

    /// The words of a value from its first block to its last.
    pub fn span(self, at: &Lowering, value: ValueId) -> Span {
        let first = at.block(value, self.number);
        let last = self.blocks(at, value).next_back().map_or(first, |block| at.block(value, block));
        Span::new(first.offset, last.offset - first.offset + last.len)
    }
}

/// Gradients of shares of the batch, each made where its share is, one after another in memory.
#[derive(Clone, Copy)]
pub struct ShareGradients {
    count: usize,
    /// Words of one.
    words: usize,
    /// Where the first begins.
    start: usize,
}

impl ShareGradients {
    /// How many there are of a gradient of `words` words that `dy` and `x` make at several steps: one of each
    /// block. None where it is one chain over the whole batch: of a weight that is used at one step, or is
    /// larger than half of both factors in one block. Decided by shapes alone, for it decides the sums.
    pub fn of_blocks(
        graph: &Graph,
        lanes: &Lanes,
        [dy, x]: [ValueId; 2],
        words: usize,
    ) -> Option<usize> {
        let several_steps = matrices(lanes.block_shape(graph, dy)).0 > 1;
        let blocks = Some(lanes.blocks_of(dy)).filter(|_| several_steps)?;
        is_large(graph, lanes, [dy, x], blocks, words).then_some(blocks)
    }

    /// The same of any dense layer: of a weight that is used at one step, one of each of a few shares,
    /// where it is at most half of both factors in a share.
    pub fn of_dense(
        graph: &Graph,
        lanes: &Lanes,
        [dy, x]: [ValueId; 2],
        words: usize,
    ) -> Option<usize> {
        if matrices(lanes.block_shape(graph, dy)).0 != 1 {
            return ShareGradients::of_blocks(graph, lanes, [dy, x], words);
        }
        let shares = lanes.blocks_of(dy).clamp(1, SHARES);
        is_large(graph, lanes, [dy, x], shares, words).then_some(shares)
    }

    /// `count` gradients of `words` words, the first at `start`.
    pub fn new(count: usize, words: usize, start: usize) -> ShareGradients {
        ShareGradients { count, words, start }
    }

    /// Where the gradient of a share is.
    pub fn share(&self, number: usize) -> Span {
        Span::new(self.start + number * self.words, self.words)
    }

    /// Sums them in order.
    pub fn sum(&self, at: &Lowering, into: Span) -> Instruction {
        let ShareGradients { count, words, .. } = *self;
        let pieces = at.fine_pieces(words / 1024);
        let access = |piece: usize| {
            let range = part(words, PANEL, pieces, place_of(piece, pieces, at.threads));
            let of = |all: Span| Span::new(all.offset + range.start, range.len());
            Access::new(
                (0..count).map(|share| of(self.share(share))).collect::<Vec<_>>(),
                [of(into)],
            )
        };
        Instruction {
            name: format!("{} over shares", at.op()),
            cost: Cost { flops: (count * words) as f64, bytes: 4.0 * ((count + 1) * words) as f64 },
            pieces: (0..pieces).map(access).collect(),
            kernel: Box::new(|_, views| {
                let (shares, mut sums) = views.split();
                let (mut shares, Some(sum)) = (shares.iter(), sums.next()) else { return };
                if let Some(first) = shares.next() {
                    sum.copy_from_slice(first);
                }
                for share in shares {
                    sum.iter_mut().zip(share).for_each(|(sum, x)| *sum += x);
                }
            }),
        }
    }
}

/// Whether both factors, in each of several shares of the batch, are at least twice as large as a weight of so
/// many words.
fn is_large(
    graph: &Graph,
    lanes: &Lanes,
    factors: [ValueId; 2],
    shares: usize,
    words: usize,
) -> bool {
    let block: usize = factors.map(|value| lanes.block_shape(graph, value).numel()).iter().sum();
    shares > 1 && lanes.blocks_of(factors[0]) / shares * block >= 2 * words
}

/// Sizes of the gradient of one block.
fn sizes_of_block(at: &Lowering, dy: ValueId, x: ValueId) -> WeightGradDims {
    let (dy, x) = (at.block_shape(dy), at.block_shape(x));
    let rank = dy.rank();
    let (rows, inputs, lanes) = (dy[rank - 2], x[rank - 2], dy[rank - 1]);
    let (dy_block, x_block) = (rows * lanes, inputs * lanes);
    WeightGradDims { rows, inputs, lanes, blocks: matrices(dy).0, dy_block, x_block }
}

/// Sizes of a weight's gradient: blocks and matrices are one reduction when both operands step
/// through them evenly.
fn sizes(at: &Lowering, dy: ValueId, x: ValueId) -> Result<WeightGradDims, EngineError> {
    let one = sizes_of_block(at, dy, x);
    let (matrices, blocks) = (one.blocks, at.plan.lanes.blocks_of(dy));
    let even = |value: ValueId, step: usize| at.stride(value) == matrices * step;
    if blocks == 1 || (even(dy, one.dy_block) && even(x, one.x_block)) {
        return Ok(WeightGradDims { blocks: blocks * matrices, ..one });
    }
    if matrices == 1 {
        let (dy_block, x_block) = (at.stride(dy), at.stride(x));
        return Ok(WeightGradDims { blocks, dy_block, x_block, ..one });
    }
    Err(at.unsupported("matrices and blocks of uneven steps"))
}
