//! Recurrent layers: LSTM, GRU and plain cells over whole sequences, forward and back.
//!
//! Blocks of the batch are independent and are the pieces. States arrive and leave as operands of
//! their own; the kernels want them as row 0 of all states, so they are copied there and back.

use super::instruction;
use super::instruction::{Instruction, Kernel};
use super::layout::matrices;
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::ops::RnnActivation;
use whimbrel_graph::{Cost, Op};
use whimbrel_kernels::gemm::{packed_len, turn};
use whimbrel_kernels::recurrent::{Dims, gru, lstm, rnn};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views};

/// Sizes of one block: steps and states from all states `[T + 1, H, L]`.
fn dims(at: &Lowering, states: whimbrel_graph::ValueId) -> Dims {
    let shape = at.block_shape(states);
    Dims { time: shape[0] - 1, hidden: shape[1], lanes: shape[2] }
}

/// One instruction whose pieces are the blocks: reads and writes by operand number, with the weight
/// packed first if it is not kept so.
fn by_blocks(
    at: &Lowering,
    weight: usize,
    reads: &[usize],
    writes: &[usize],
    kernel: Kernel,
) -> Vec<Instruction> {
    let (w, mut instructions) = at.packed(at.input(weight));
    let access = |block: usize| {
        let operand = |i: &usize| if *i == weight { w } else { at.block(at.input(*i), block) };
        let reads: Vec<Span> = reads.iter().map(operand).collect();
        let writes: Vec<Span> = writes.iter().map(|i| at.block(at.output(*i), block)).collect();
        Access::new(reads, writes)
    };
    instructions.extend(instruction(at, (0..at.blocks()).map(access).collect(), kernel));
    instructions
}

/// As [`by_blocks`] for a backward scan over all of its operands and results: the weight, operand
/// 0, comes as its packed transpose, made once for all blocks; the last write is scratch memory of
/// the block.
fn back_by_blocks(at: &Lowering, kernel: Kernel) -> Vec<Instruction> {
    let weight = at.input(0);
    let (w, mut instructions) = at.packed(weight);
    let own = at.scratch_beside_packed(weight);
    let (_, outputs, inputs) = matrices(at.shape(weight));
    let turned = Span::new(own.offset, packed_len(inputs, outputs));
    let bytes = 8.0 * turned.len as f64;
    instructions.push(Instruction {
        name: "turn".to_owned(),
        cost: Cost { flops: 0.0, bytes },
        pieces: vec![Access::new([w], [turned])],
        kernel: Box::new(move |_: usize, views: Views<'_>| {
            let ([packed], [turned]) = views.get();
            turn(outputs, inputs, packed, turned);
        }),
    });
    let (blocks, node) = (at.blocks(), at.node());
    let per_block = (own.len - turned.len) / blocks;
    let access = |block: usize| {
        let rest = node.inputs[1..].iter().map(|v| at.block(*v, block));
        let reads: Vec<Span> = std::iter::once(turned).chain(rest).collect();
        let scratch = Span::new(own.offset + turned.len + block * per_block, per_block);
        let results = node.outputs.iter().map(|v| at.block(*v, block));
        Access::new(reads, results.chain([scratch]).collect::<Vec<_>>())
    };
    instructions.extend(instruction(at, (0..blocks).map(access).collect(), kernel));
    instructions
}

/// Whether result `o` has taken over the place of operand `i`.
fn shares(at: &Lowering, i: usize, o: usize) -> bool {
    at.block(at.input(i), 0) == at.block(at.output(o), 0)
}

/// Lowers any recurrent operation.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    Ok(match at.op() {
        Op::Lstm(_) => lower_lstm(at),
        Op::LstmGrad(_) => lower_lstm_grad(at),
        Op::Gru(_) => lower_gru(at),
        Op::GruGrad(_) => lower_gru_grad(at),
        Op::Rnn(op) => lower_rnn(at, op.activation),
        Op::RnnGrad(op) => lower_rnn_grad(at, op.activation),
        _ => return Err(at.unsupported("not recurrent")),
    })
}

/// Words of scratch memory: the turned weight, and for all blocks copies of the gradients that the
/// kernels work on.
pub fn scratch(op: &Op, weight: Shape, states: usize) -> usize {
    let (_, outputs, inputs) = matrices(weight);
    let turned = packed_len(inputs, outputs);
    match op {
        Op::LstmGrad(_) => turned + 2 * states,
        Op::GruGrad(_) | Op::RnnGrad(_) => turned + states,
        _ => 0,
    }
}

fn lower_lstm(at: &Lowering) -> Vec<Instruction> {
    let dims = dims(at, at.output(0));
    let start = dims.hidden * dims.lanes;
    if shares(at, 0, 2) {
        let kernel = Box::new(move |_: usize, views: Views<'_>| {
            let ([w, h0, c0], [h, c, gates]) = views.get();
            h[..start].copy_from_slice(h0);
            c[..start].copy_from_slice(c0);
            lstm::forward(dims, w, gates, h, c);
        });
        return by_blocks(at, 1, &[1, 2, 3], &[0, 1, 2], kernel);
    }
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([pre, w, h0, c0], [h, c, gates]) = views.get();
        gates.copy_from_slice(pre);
        h[..start].copy_from_slice(h0);
        c[..start].copy_from_slice(c0);
        lstm::forward(dims, w, gates, h, c);
    });
    by_blocks(at, 1, &[0, 1, 2, 3], &[0, 1, 2], kernel)
}

fn lower_lstm_grad(at: &Lowering) -> Vec<Instruction> {
    let dims = dims(at, at.input(1));
    let start = dims.hidden * dims.lanes;
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([w, c_all, gates, dh, dc], [dpre, dh0, dc0, scratch]) = views.get();
        let (dh_all, dc_all) = scratch.split_at_mut(dh.len());
        dh_all.copy_from_slice(dh);
        dc_all.copy_from_slice(dc);
        lstm::backward(dims, w, lstm::Saved { c_all, gates }, dh_all, dc_all, dpre);
        dh0.copy_from_slice(&dh_all[..start]);
        dc0.copy_from_slice(&dc_all[..start]);
    });
    back_by_blocks(at, kernel)
}

fn lower_gru(at: &Lowering) -> Vec<Instruction> {
    let dims = dims(at, at.output(0));
    let start = dims.hidden * dims.lanes;
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([pre, w_hh, b_hh, h0], [h, saved]) = views.get();
        h[..start].copy_from_slice(h0);
        gru::forward(dims, gru::Weights { w_hh, b_hh }, pre, h, saved);
    });
    by_blocks(at, 1, &[0, 1, 2, 3], &[0, 1], kernel)
}

fn lower_gru_grad(at: &Lowering) -> Vec<Instruction> {
    let dims = dims(at, at.input(1));
    let start = dims.hidden * dims.lanes;
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([w, h_all, saved, dh], [dpre, dhid, dh0, dh_all]) = views.get();
        dh_all.copy_from_slice(dh);
        gru::backward(dims, w, gru::Saved { h_all, saved }, dh_all, dpre, dhid);
        dh0.copy_from_slice(&dh_all[..start]);
    });
    back_by_blocks(at, kernel)
}

fn activation(of: RnnActivation) -> rnn::Activation {
    match of {
        RnnActivation::Tanh => rnn::Activation::Tanh,
        RnnActivation::Relu => rnn::Activation::Relu,
    }
}

fn lower_rnn(at: &Lowering, of: RnnActivation) -> Vec<Instruction> {
    let dims = dims(at, at.output(0));
    let start = dims.hidden * dims.lanes;
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([pre, w, h0], [h]) = views.get();
        h[..start].copy_from_slice(h0);
        rnn::forward(dims, activation(of), w, pre, h);
    });
    by_blocks(at, 1, &[0, 1, 2], &[0], kernel)
}

fn lower_rnn_grad(at: &Lowering, of: RnnActivation) -> Vec<Instruction> {
    let dims = dims(at, at.input(1));
    let start = dims.hidden * dims.lanes;
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([w, h_all, dh], [dpre, dh0, dh_all]) = views.get();
        dh_all.copy_from_slice(dh);
        rnn::backward(dims, activation(of), w, h_all, dh_all, dpre);
        dh0.copy_from_slice(&dh_all[..start]);
    });
    back_by_blocks(at, kernel)
}
