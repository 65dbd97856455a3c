//! Adam: the rates of a step, and the update, alone or fused with the product that is its gradient.

use super::dot::{gradient_dims, gradient_part};
use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part};
use crate::EngineError;
use whimbrel_graph::{Op, ops};
use whimbrel_kernels::gemm::{PANEL, weight_grad_tiles};
use whimbrel_kernels::optim::{Adam, AdamStep};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Computes step size and bias correction once a step.
pub fn lower_rate(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::AdamRate(rate) = *at.op() else { return Err(at.unsupported("not a rate")) };
    let spans = [at.input(0), at.input(1)].map(|v| at.block(v, 0));
    let access = Access::new(spans, [at.block(at.output(0), 0)]);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([lr, step], [out]) = views.get();
        let rates = rate.rates(f64::from(lr[0]), f64::from(step[0]));
        for (out, rate) in out.iter_mut().zip(rates) {
            *out = rate as f32;
        }
    });
    Ok(instruction(at, vec![access], kernel))
}

fn settings(adam: &ops::Adam) -> Adam {
    Adam {
        beta1: adam.beta1 as f32,
        beta2: adam.beta2 as f32,
        eps: adam.eps as f32,
        weight_decay: adam.weight_decay as f32,
        decoupled: adam.decoupled,
    }
}

fn step(rate: &[f32]) -> AdamStep {
    AdamStep { step_size: rate[0], sqrt_bias2: rate[1], lr: rate[2] }
}

/// Updates parameter, mean and square in place.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Adam(adam) = *at.op() else { return Err(at.unsupported("not an update")) };
    for (i, &output) in at.node().outputs.iter().enumerate() {
        if at.block(output, 0) != at.block(at.input(i), 0) {
            return Err(at.unsupported("its results must be updates of its operands"));
        }
    }
    match adam.grad {
        None => Ok(lower_plain(at, adam)),
        Some(_) if at.layouts.in_panels(at.input(0)) => lower_fused(at, adam),
        Some(_) => Err(at.unsupported("a fused gradient needs a packed weight")),
    }
}

fn lower_plain(at: &Lowering, adam: ops::Adam) -> Vec<Instruction> {
    let words = at.block(at.input(0), 0).len;
    let pieces = at.pieces(words / 1024);
    let cut = |i: usize, piece: usize| {
        let range = part(words, PANEL, pieces, piece);
        Span::new(at.block(at.input(i), 0).offset + range.start, range.len())
    };
    let access = |piece: usize| {
        let rate = at.block(at.input(3), 0);
        Access::new([rate, cut(4, piece)], [0, 1, 2].map(|i| cut(i, piece)))
    };
    let settings = settings(&adam);
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let ([rate, grad], [param, mean, square]) = views.get();
        settings.update(step(rate), grad, param, mean, square);
    });
    instruction(at, (0..pieces).map(access).collect(), kernel)
}

/// Makes the gradient tile by tile and updates the weight under each tile at once.
fn lower_fused(at: &Lowering, adam: ops::Adam) -> Result<Vec<Instruction>, EngineError> {
    let (dy, x) = (at.input(4), at.input(5));
    let dims = gradient_dims(at, dy, x)?;
    let pieces = at.pieces(dims.rows.div_ceil(PANEL));
    let dy_span = at.span(dy);
    let access = |piece: usize| {
        let (_, words, dy) = gradient_part(dims, dy_span, pieces, piece);
        let cut = |i: usize| Span::new(at.block(at.input(i), 0).offset + words.start, words.len());
        Access::new([at.block(at.input(3), 0), dy, at.span(x)], [0, 1, 2].map(cut))
    };
    let settings = settings(&adam);
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([rate, dy, x], [param, mean, square]) = views.get();
        let (dims, ..) = gradient_part(dims, dy_span, pieces, piece);
        let step = step(rate);
        weight_grad_tiles(dims, dy, x, |first, tile| {
            let range = first..first + tile.len();
            let (param, mean) = (&mut param[range.clone()], &mut mean[range.clone()]);
            settings.update(step, tile, param, mean, &mut square[range]);
        });
    });
    Ok(instruction(at, (0..pieces).map(access).collect(), kernel))
}
