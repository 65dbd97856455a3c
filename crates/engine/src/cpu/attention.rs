//! Attention and its gradient, block by block of the batch.

use super::instruction;
use super::instruction::{Instruction, Kernel};
use super::lowering::Lowering;
use crate::EngineError;
use whimbrel_graph::ops::Attention;
use whimbrel_graph::{Op, ValueId};
use whimbrel_kernels::attention::{self, Additive, Dims, Grads, Inputs, Saved, Upstream};
use whimbrel_tensor::arena::{Access, Span, Views};

fn dims(at: &Lowering, op: &Attention, [q, k, v]: [ValueId; 3]) -> Dims {
    let [q, k, v] = [q, k, v].map(|value| at.block_shape(value));
    let values = if op.shared_values { 1 } else { op.heads };
    Dims {
        heads: op.heads,
        queries: q[0],
        keys: k[0],
        width: q[1] / op.heads,
        value_width: v[1] / values,
        lanes: q[2],
        shared_values: op.shared_values,
    }
}

/// Lowers attention or its gradient.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let operands = || [0, 1, 2].map(|i| at.input(i));
    let (kernel, scratch): (Kernel, usize) = match at.op() {
        Op::Attention(op) => {
            let dims = dims(at, op, operands());
            let scores = dims.heads * dims.queries * dims.keys * dims.lanes;
            (forward(dims, op.scale as f32, scores), 0)
        }
        Op::AttentionGrad(op) => {
            let dims = dims(at, &op.attention, operands());
            let own = if op.returns_dscores { 0 } else { scores_of(&dims) };
            (backward(dims, op.attention.scale as f32, op.takes_dscores), own)
        }
        _ => return Err(at.unsupported("not an attention")),
    };
    let all = at.scratch();
    let access = |block: usize| {
        let reads = at.node().inputs.iter().map(|&v| at.block(v, block));
        let mut writes: Vec<Span> = at.node().outputs.iter().map(|&v| at.block(v, block)).collect();
        if scratch > 0 {
            writes.push(Span::new(all.offset + block * scratch, scratch));
        }
        Access::new(reads.collect::<Vec<_>>(), writes)
    };
    Ok(instruction(at, (0..at.blocks()).map(access).collect(), kernel))
}

fn scores_of(dims: &Dims) -> usize {
    dims.heads * dims.queries * dims.keys * dims.lanes
}

/// Words of scratch memory: the gradient of the scores where nobody asks for it.
pub fn scratch(op: &Op, probs: usize) -> usize {
    match op {
        Op::AttentionGrad(op) if !op.returns_dscores => probs,
        _ => 0,
    }
}

fn forward(dims: Dims, scale: f32, scores: usize) -> Kernel {
    Box::new(move |_, views: Views<'_>| {
        let (always, sometimes) = views.split_at(3, 2);
        let ([q, k, v], [out, probs]) = always.get();
        let (added, mut shown) = sometimes.split();
        let additive = match added.get(0) {
            None => Additive::Nothing,
            Some(each) if each.len() == scores => Additive::Lanes(each),
            Some(all) => Additive::Shared(all),
        };
        attention::forward(dims, scale, Inputs { q, k, v, additive }, out, probs, shown.next());
    })
}

fn backward(dims: Dims, scale: f32, takes_dscores: bool) -> Kernel {
    Box::new(move |_, views: Views<'_>| {
        let (always, sometimes) = views.split_at(5, 4);
        let ([q, k, v, probs, dout], [dq, dk, dv, dscores]) = always.get();
        let (given, _) = sometimes.split();
        let upstream = Upstream { dout, dscores: given.get(0).filter(|_| takes_dscores) };
        let grads = Grads { dq, dk, dv, dscores };
        attention::backward(dims, scale, Saved { q, k, v, probs }, upstream, grads);
    })
}
