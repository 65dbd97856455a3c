//! Optimiser updates: Adam and SGD, their gradient an operand or a product, made tile by tile or
//! share by share of the batch.
//!
//! Operands are the states (which are also the results, in place), the numbers of the step, then
//! the gradient or the two factors of it.

use super::gradient::{Cut, Part, Share, ShareGradients};
use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part, place_of};
use super::product;
use crate::EngineError;
use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Cost, Op, Operation};
use whimbrel_kernels::gemm::{PANEL, Start, weight_grad, weight_grad_update};
use whimbrel_kernels::optim::{Adam, AdamStep, Sgd, States};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Computes step size and bias correction of Adam once a step.
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

/// How states follow a gradient.
#[derive(Clone, Copy)]
enum Rule {
    Adam(Adam),
    Sgd(Sgd),
}

/// Parameter and optimiser state, as many as the rule has.
type Slices<'a> = [&'a mut [f32]; 3];

impl Rule {
    /// The rule of a node, its number of states, and its gradient if that is a product.
    fn of(op: &Op) -> Option<(Rule, usize, Option<Dot>)> {
        match op {
            Op::Adam(adam) => {
                let rule = Adam {
                    beta1: adam.beta1,
                    beta2: adam.beta2,
                    eps: adam.eps as f32,
                    weight_decay: adam.weight_decay as f32,
                    decoupled: adam.decoupled,
                };
                Some((Rule::Adam(rule), 3, adam.grad))
            }
            Op::Sgd(sgd) => {
                let rule = Sgd {
                    momentum: sgd.momentum as f32,
                    nesterov: sgd.nesterov,
                    weight_decay: sgd.weight_decay as f32,
                };
                Some((Rule::Sgd(rule), sgd.states(), sgd.grad))
            }
            _ => None,
        }
    }

    /// Parameter and state with the numbers of a step.
    fn states<'a>(&self, numbers: &[f32], slices: Slices<'a>) -> States<'a> {
        match self {
            Rule::Adam(adam) => {
                let (step_size, sqrt_bias2, lr) = (numbers[0], numbers[1], numbers[2]);
                adam.states(AdamStep { step_size, sqrt_bias2, lr }, slices)
            }
            Rule::Sgd(sgd) => {
                let [param, velocity, _] = slices;
                sgd.states(numbers[0], param, velocity)
            }
        }
    }
}

/// The `count` states of a rule, which are all that `views` has.
fn slices(count: usize, views: Views<'_>) -> Slices<'_> {
    match count {
        1 => {
            let ([], [param]) = views.get();
            [param, &mut [], &mut []]
        }
        2 => {
            let ([], [param, second]) = views.get();
            [param, second, &mut []]
        }
        _ => {
            let ([], all) = views.get();
            all
        }
    }
}

/// Updates the states in place.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Some((rule, count, dot)) = Rule::of(at.op()) else {
        return Err(at.unsupported("not an update"));
    };
    for (i, &output) in at.node().outputs.iter().enumerate() {
        if at.block(output, 0) != at.block(at.input(i), 0) {
            return Err(at.unsupported("its results must be updates of its operands"));
        }
    }
    match dot {
        None => Ok(lower_plain(at, rule, count, at.block(at.input(count + 1), 0))),
        Some(dot) if at.layouts.in_panels(at.input(0)) => {
            let factors = [at.input(count + 1), at.input(count + 2)];
            let words = at.block(at.input(0), 0).len;
            match ShareGradients::of_dense(at.graph, &at.plan.lanes, factors, words) {
                Some(shares) => Ok(lower_shares(at, rule, count, dot, shares)),
                None => lower_fused(at, rule, count),
            }
        }
        Some(dot) => {
            // A weight in rows: its gradient is made in scratch memory first.
            let all = at.scratch();
            let words = at.block(at.input(0), 0).len;
            let grad = Span::new(all.offset, words);
            let rest = Span::new(all.offset + words, all.len - words);
            let factors = [at.input(count + 1), at.input(count + 2)];
            let made = product::lower(at, dot, factors, &|_| grad, rest);
            let mut instructions = vec![made.ok_or_else(|| at.unsupported("operands do not fit"))?];
            instructions.extend(lower_plain(at, rule, count, grad));
            Ok(instructions)
        }
    }
}

fn lower_plain(at: &Lowering, rule: Rule, count: usize, grad: Span) -> Vec<Instruction> {
    let words = grad.len;
    let pieces = at.fine_pieces(words / 1024);
    let cut = |span: Span, piece: usize| {
        let range = part(words, PANEL, pieces, place_of(piece, pieces, at.threads));
        Span::new(span.offset + range.start, range.len())
    };
    let access = |piece: usize| {
        let numbers = at.block(at.input(count), 0);
        let states = (0..count).map(|i| cut(at.block(at.input(i), 0), piece));
        Access::new([numbers, cut(grad, piece)], states.collect::<Vec<_>>())
    };
    let kernel = Box::new(move |_: usize, views: Views<'_>| {
        let (operands, results) = views.split_at(2, 0);
        let ([numbers, grad], []) = operands.get();
        rule.states(numbers, slices(count, results)).update(grad);
    });
    instruction(at, (0..pieces).map(access).collect(), kernel)
}

/// Makes the gradient tile by tile and updates the states while the next tile is made.
fn lower_fused(at: &Lowering, rule: Rule, count: usize) -> Result<Vec<Instruction>, EngineError> {
    let (dy, x) = (at.input(count + 1), at.input(count + 2));
    let cut = Cut::new(at, dy, x)?;
    let access = |piece: usize| {
        let part = cut.part(piece);
        let state = |i: usize| {
            Span::new(at.block(at.input(i), 0).offset + part.words.start, part.words.len())
        };
        let numbers = at.block(at.input(count), 0);
        let reads = [numbers, part.dy(at.span(dy)), part.x(at.span(x))];
        Access::new(reads, (0..count).map(state).collect::<Vec<_>>())
    };
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let (operands, results) = views.split_at(3, 0);
        let ([numbers, dy, x], []) = operands.get();
        let mut states = rule.states(numbers, slices(count, results));
        weight_grad_update(cut.part(piece).dims, dy, x, &mut states);
    });
    Ok(instruction(at, (0..cut.pieces()).map(access).collect(), kernel))
}

/// Makes the gradients of `shares` shares of the batch in scratch memory, then their sum, which the states
/// follow.
fn lower_shares(
    at: &Lowering,
    rule: Rule,
    count: usize,
    dot: Dot,
    shares: usize,
) -> Vec<Instruction> {
    let (dy, x, scratch) = (at.input(count + 1), at.input(count + 2), at.scratch());
    let words = at.block(at.input(0), 0).len;
    let whole = Span::new(scratch.offset, words);
    let apart = ShareGradients::new(shares, words, scratch.offset + words);
    let cuts: Vec<(Share, Cut)> = (0..shares)
        .map(|number| Share { number, of: shares })
        .map(|share| (share, Cut::of_share(at, [dy, x], share)))
        .collect();
    // Pieces of the shares in turn: the first of each is where its first block is.
    let most = cuts.iter().map(|(_, cut)| cut.pieces()).max().unwrap_or(0);
    let pieces: Vec<(Share, Part)> = (0..most)
        .flat_map(|piece| cuts.iter().map(move |(share, cut)| (*share, cut.part(piece))))
        .collect();
    let access = |(share, part): &(Share, Part)| {
        let made = apart.share(share.number);
        let made = Span::new(made.offset + part.words.start, part.words.len());
        Access::new([part.dy(share.span(at, dy)), part.x(share.span(at, x))], [made])
    };
    let accesses = pieces.iter().map(access).collect();
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([dy, x], [dw]) = views.get();
        weight_grad(pieces[piece].1.dims, dy, x, dw, Start::Zero);
    });
    let mut made = instruction(at, accesses, kernel);
    let mut followed = lower_plain(at, rule, count, whole);
    // The product's part of the cost, and the rest.
    let all = at.cost();
    let product = dot.cost(&at.graph.types(&[dy, x]), &at.graph.types(&[at.input(0)]));
    for instruction in &mut made {
        instruction.cost = product;
    }
    for instruction in &mut followed {
        let bytes = 4.0 * ((2 * count + 1) * words) as f64;
        instruction.cost = Cost { flops: all.flops - product.flops, bytes };
    }
    made.push(apart.sum(at, whole));
    made.extend(followed);
    made
}
