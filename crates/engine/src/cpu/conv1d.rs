//! Convolution over time and its two gradients. Pieces are blocks of the batch, or steps of a
//! single block; the weight's gradient is cut by taps and panels. Steps and taps that reach beyond the
//! sequence have less to do, so there are more pieces than threads.

use super::gradient::PANELS_OF_PIECE;
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

fn lower_weight_grad(at: &Lowering, dims: Dims) -> Vec<Instruction> {
    let (x, dy, dw) = (at.input(0), at.input(1), at.output(0));
    let panels = dims.outputs.div_ceil(PANEL);
    let inputs = dims.channels / dims.groups;
    // A piece has one tap, so that its panels lie side by side; or all, if one piece has everything.
    let wanted = at.fine_pieces(dims.taps * panels);
    let taps = dims.taps.max(1);
    let least = at.pieces(dims.taps * panels).div_ceil(taps);
    let most = least.max(panels / (PANELS_OF_PIECE / 2)).min(panels);
    let by_tap = wanted.div_ceil(taps).min(most);
    let pieces = if wanted == 1 { 1 } else { dims.taps * by_tap };
    let cut = move |piece: usize| match pieces {
        1 => Part { taps: 0..dims.taps, panels: 0..panels },
        _ => {
            let tap = piece / by_tap;
            Part { taps: tap..tap + 1, panels: part(panels, 1, by_tap, piece % by_tap) }
        }
    };
    let kept = at.layouts.in_panels(dw);
    let packed = if kept { at.block(dw, 0) } else { at.scratch() };
    let panel = inputs * PANEL;
    let access = |piece: usize| {
        let part = cut(piece);
        let first = (part.taps.start * panels + part.panels.start) * panel;
        let words = part.taps.len() * part.panels.len() * panel;
        Access::new([at.span(x), at.span(dy)], [Span::new(packed.offset + first, words)])
    };
    let blocks = at.plan.lanes.blocks_of(x);
    let (x_step, dy_step) = (at.stride(x), at.stride(dy));
    let (x_len, dy_len) = (at.block(x, 0).len, at.block(dy, 0).len);
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([x, dy], [dw]) = views.get();
        let part = cut(piece);
        for block in 0..blocks {
            let start = if block == 0 { Start::Zero } else { Start::Dst };
            let (x, dy) = (&x[block * x_step..][..x_len], &dy[block * dy_step..][..dy_len]);
            conv1d::weight_grad(dims, &part, x, dy, dw, start);
        }
    });
    let mut instructions = instruction(at, (0..pieces).map(access).collect(), kernel);
    if !kept {
        let words = packed_len(dims.outputs, inputs);
        instructions.push(Instruction {
            name: "unpack".into(),
            cost: Cost { flops: 0.0, bytes: 8.0 * packed.len as f64 },
            pieces: vec![Access::new([packed], [at.block(dw, 0)])],
            kernel: Box::new(move |_, views| {
                let ([packed], [rows]) = views.get();
                let taps = rows.chunks_exact_mut((dims.outputs * inputs).max(1));
                for (rows, packed) in taps.zip(packed.chunks_exact(words.max(1))) {
                    unpack(dims.outputs, inputs, packed, rows);
                }
            }),
        });
    }
    instructions
}
