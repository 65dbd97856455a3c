//! Convolution over time and its two gradients. Pieces are blocks of the batch, or steps of a
//! single block; the weight's gradient of a single block is cut by taps and panels. Steps and taps that reach
//! beyond the sequence have less to do, so there are more pieces than threads.

use super::gradient::{PANELS_OF_PIECE, ShareGradients};
use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part};
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::ops::Conv1d;
use whimbrel_graph::{Cost, Op, ValueId};
use whimbrel_kernels::conv1d::{self, Dims, Part};
use whimbrel_kernels::gemm::{PANEL, Start, packed_len, unpack};
use whimbrel_tensor::arena::{Access, Span, Views};

fn dims(conv: &Conv1d, x: [usize; 3], weight: [usize; 2]) -> Dims {
    let [time, channels, lanes] = x;
    let [taps, outputs] = weight;
    let Conv1d { stride, dilation, groups, pad_left, pad_right } = *conv;
    Dims { time, channels, outputs, lanes, taps, stride, dilation, groups, pad_left, pad_right }
}

/// Lowers a convolution or one of its gradients.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let shape = |v: ValueId| at.block_shape(v);
    match at.op() {
        Op::Conv1d(conv) => {
            let (x, w) = (shape(at.input(0)), at.shape(at.input(1)));
            let dims = dims(conv, [x[0], x[1], x[2]], [w[0], w[1]]);
            let step = dims.outputs * dims.lanes;
            Ok(lower_steps(at, 1, 0, dims.time_out(), step, move |w, x, y, times| {
                conv1d::forward(dims, w, x, y, times, Start::Zero);
            }))
        }
        Op::Conv1dGradInput(grad) => {
            let (w, dx) = (at.shape(at.input(0)), shape(at.output(0)));
            let dims = dims(&grad.conv, [dx[0], dx[1], dx[2]], [w[0], w[1]]);
            let step = dims.channels * dims.lanes;
            Ok(lower_steps(at, 0, 1, dims.time, step, move |w, dy, dx, times| {
                conv1d::input_grad(dims, w, dy, dx, times, Start::Zero);
            }))
        }
        Op::Conv1dGradWeight(grad) => {
            let (x, dy) = (shape(at.input(0)), shape(at.input(1)));
            let dims = dims(&grad.conv, [x[0], x[1], x[2]], [grad.taps, dy[1]]);
            Ok(lower_weight_grad(at, dims))
        }
        _ => Err(at.unsupported("not a convolution")),
    }
}

/// `steps` steps of the result, each of `words`, from a weight and a sequence.
fn lower_steps(
    at: &Lowering,
    weight: usize,
    sequence: usize,
    steps: usize,
    words: usize,
    compute: impl Fn(&[f32], &[f32], &mut [f32], Range<usize>) + Send + Sync + 'static,
) -> Vec<Instruction> {
    let (w, mut instructions) = at.packed(at.input(weight));
    let blocks = at.blocks();
    let pieces = if blocks > 1 { blocks } else { at.fine_pieces(steps) };
    let times =
        move |piece: usize| if blocks > 1 { 0..steps } else { part(steps, 1, pieces, piece) };
    let access = |piece: usize| {
        let block = if blocks > 1 { piece } else { 0 };
        let (x, y) = (at.block(at.input(sequence), block), at.block(at.output(0), block));
        let range = times(piece);
        let y = Span::new(y.offset + range.start * words, range.len() * words);
        Access::new([w, x], [y])
    };
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([w, x], [y]) = views.get();
        compute(w, x, y, times(piece));
    });
    instructions.extend(instruction(at, (0..pieces).map(access).collect(), kernel));
    instructions
}

/// Words of scratch memory of a weight's gradient of `words` words: those of its `blocks`, and of the
/// whole where it is not kept in panels.
pub fn scratch(words: usize, blocks: Option<usize>, kept: bool) -> usize {
    words * (blocks.unwrap_or(0) + usize::from(!kept))
}

/// Blocks have gradients of their own, which are summed, or one chain goes through all of them.
fn lower_weight_grad(at: &Lowering, dims: Dims) -> Vec<Instruction> {
    let (x, dy, dw) = (at.input(0), at.input(1), at.output(0));
    let words = packed_len(dims.outputs, dims.channels / dims.groups) * dims.taps;
    let (kept, scratch) = (at.layouts.in_panels(dw), at.scratch());
    let whole = if kept { at.block(dw, 0) } else { Span::new(scratch.offset, words) };
    let apart = ShareGradients::of_blocks(at.graph, &at.plan.lanes, [dy, x], words);
    let cut = WeightCut::new(at, &dims, apart.unwrap_or(1));
    let mut instructions = match apart {
        None => {
            let blocks = at.plan.lanes.blocks_of(x);
            let (x_step, dy_step) = (at.stride(x), at.stride(dy));
            let (x_len, dy_len) = (at.block(x, 0).len, at.block(dy, 0).len);
            let access = |piece: usize| {
                Access::new([at.span(x), at.span(dy)], [cut.span(whole, &cut.part(piece))])
            };
            let kernel = Box::new(move |piece: usize, views: Views<'_>| {
                let ([x, dy], [dw]) = views.get();
                for block in 0..blocks {
                    let start = if block == 0 { Start::Zero } else { Start::Dst };
                    let (x, dy) = (&x[block * x_step..][..x_len], &dy[block * dy_step..][..dy_len]);
                    conv1d::weight_grad(dims, &cut.part(piece), x, dy, dw, start);
                }
            });
            instruction(at, (0..cut.pieces).map(access).collect(), kernel)
        }
        Some(blocks) => {
            let start = scratch.offset + if kept { 0 } else { words };
            let apart = ShareGradients::new(blocks, words, start);
            let access = |piece: usize| {
                let block = piece / cut.pieces;
                let made = cut.span(apart.share(block), &cut.part(piece));
                Access::new([at.block(x, block), at.block(dy, block)], [made])
            };
            let kernel = Box::new(move |piece: usize, views: Views<'_>| {
                let ([x, dy], [dw]) = views.get();
                conv1d::weight_grad(dims, &cut.part(piece), x, dy, dw, Start::Zero);
            });
            let pieces = (0..blocks * cut.pieces).map(access).collect();
            let mut made = instruction(at, pieces, kernel);
            made.push(apart.sum(at, whole));
            made
        }
    };
    if !kept {
        let (outputs, inputs) = (dims.outputs, cut.inputs);
        let tap = packed_len(outputs, inputs);
        instructions.push(Instruction {
            name: "unpack".into(),
            cost: Cost { flops: 0.0, bytes: 8.0 * words as f64 },
            pieces: vec![Access::new([whole], [at.block(dw, 0)])],
            kernel: Box::new(move |_, views| {
                let ([packed], [rows]) = views.get();
                let taps = rows.chunks_exact_mut((outputs * inputs).max(1));
                for (rows, packed) in taps.zip(packed.chunks_exact(tap.max(1))) {
                    unpack(outputs, inputs, packed, rows);
                }
            }),
        });
    }
    instructions
}

/// How the gradient of a block, or of all, is cut. A piece has one tap, so that its panels lie side by
/// side; or all, if one piece has everything.
#[derive(Clone, Copy)]
struct WeightCut {
    taps: usize,
    panels: usize,
    inputs: usize,
    pieces: usize,
}

impl WeightCut {
    /// Several blocks are pieces enough, unless there are more threads.
    fn new(at: &Lowering, dims: &Dims, blocks: usize) -> WeightCut {
        let (taps, panels) = (dims.taps, dims.outputs.div_ceil(PANEL));
        let all = taps * panels;
        let least = at.pieces(blocks * all).div_ceil(blocks.max(1));
        let wanted = if blocks > 1 { least } else { at.fine_pieces(all) };
        let by_tap = |pieces: usize| pieces.div_ceil(taps.max(1));
        let most = by_tap(least).max(panels / (PANELS_OF_PIECE / 2)).min(panels);
        let pieces = if wanted == 1 { 1 } else { taps * by_tap(wanted).min(most) };
        WeightCut { taps, panels, inputs: dims.channels / dims.groups, pieces }
    }

    /// What a piece makes, of its block's gradient where blocks have their own.
    fn part(&self, piece: usize) -> Part {
        if self.pieces == 1 {
            return Part { taps: 0..self.taps, panels: 0..self.panels };
        }
        let (piece, by_tap) = (piece % self.pieces, self.pieces / self.taps.max(1));
        let tap = piece / by_tap;
        Part { taps: tap..tap + 1, panels: part(self.panels, 1, by_tap, piece % by_tap) }
    }

    /// Where a part of a gradient lies.
    fn span(&self, gradient: Span, part: &Part) -> Span {
        let panel = self.inputs * PANEL;
        let first = (part.taps.start * self.panels + part.panels.start) * panel;
        Span::new(gradient.offset + first, part.taps.len() * part.panels.len() * panel)
    }
}
