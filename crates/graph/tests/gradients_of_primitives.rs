//! Gradients of the primitive operations agree with central differences.

mod harness;

use harness::{check, integers, positive, signed};
use whimbrel_graph::ops::{Dot, Unary, UnaryOp};
use whimbrel_graph::{Op, Var};

#[test]
fn functions_of_one_operand() {
    use UnaryOp::{Abs, Cos, Erf, Exp, Floor, Gelu, Neg, Relu, Sigmoid, Sign, Silu, Sin};
    use UnaryOp::{Log, Log1p, Recip, Rsqrt, Softplus, Sqrt, Square, Tanh};
    let everywhere = [
        Neg, Abs, Sign, Square, Recip, Exp, Sin, Cos, Tanh, Sigmoid, Relu, Softplus, Silu, Gelu,
        Erf, Floor,
    ];
    for op in everywhere {
        check(&[signed(&[3, 4])], move |g, x| g.apply(Op::Unary(Unary { op }), x));
    }
    for op in [Sqrt, Rsqrt, Recip, Log, Log1p] {
        check(&[positive(&[3, 4])], move |g, x| g.apply(Op::Unary(Unary { op }), x));
    }
}

#[test]
fn arithmetic_of_two_operands() {
    let leaves = || [signed(&[3, 4]), signed(&[3, 4]).seeded(3)];
    check(&leaves(), |_, x| Ok(vec![x[0].add(x[1])?, x[0].sub(x[1])?]));
    check(&leaves(), |_, x| Ok(vec![x[0].mul(x[1])?, x[0].div(x[1])?]));
    check(&leaves(), |_, x| Ok(vec![x[0].max(x[1])?, x[0].min(x[1])?]));
    check(&[positive(&[2, 3]), signed(&[2, 3])], |_, x| Ok(vec![x[0].pow(x[1])?]));
}

#[test]
fn comparisons_pass_no_gradient() {
    check(&[signed(&[3, 4]), signed(&[3, 4]).seeded(3)], |_, x| {
        let masks = [x[0].lt(x[1])?, x[0].le(x[1])?, x[0].eq(x[1])?, x[0].gt(x[1])?];
        masks.iter().map(|mask| mask.mul(x[0])).collect()
    });
}

#[test]
fn operands_are_broadcast_and_their_gradients_summed() {
    let leaves = [signed(&[2, 3, 4]), signed(&[3, 1]), signed(&[4]), signed(&[])];
    check(&leaves, |_, x| Ok(vec![x[0].mul(x[1])?.add(x[2])?.div(x[3])?]));
    check(&[signed(&[3, 1]), signed(&[1, 4])], |_, x| Ok(vec![x[0].mul(x[1])?]));
    check(&[signed(&[3])], |_, x| Ok(vec![x[0].broadcast([2, 2, 3])?]));
}

#[test]
fn select_by_a_mask() {
    check(&[signed(&[3, 4]), signed(&[3, 1]), signed(&[4])], |g, x| {
        let mask = x[0].lt(g.scalar(0.0))?;
        Ok(vec![mask.select(x[1], x[2])?, x[0].keep_where(mask)?])
    });
}

#[test]
fn movement_of_elements() {
    check(&[signed(&[2, 3, 4])], |_, x| Ok(vec![x[0].reshape([4, 6])?, x[0].permute(&[2, 0, 1])?]));
    check(&[signed(&[2, 5, 2])], |_, x| Ok(vec![x[0].slice(1, 1, 4)?, x[0].slice(2, 0, 1)?]));
    check(&[signed(&[2, 3]), signed(&[2, 1]), signed(&[2, 2])], |_, x| {
        Ok(vec![Var::concat(x, 1)?])
    });
    check(&[signed(&[2, 3])], |_, x| {
        Ok(vec![x[0].pad(0, 1, 2, 0.5)?, x[0].pad_axes(&[0, 2], &[1, 0], -1.0)?])
    });
    check(&[signed(&[4, 2, 3])], |_, x| Ok(vec![x[0].reverse(0)?, x[0].reverse(1)?]));
}

#[test]
fn reductions() {
    check(&[signed(&[2, 3, 4])], |_, x| {
        Ok(vec![x[0].sum_axes(&[1])?, x[0].mean_axes(&[0, 2])?, x[0].mean()?, x[0].sum()?])
    });
    check(&[signed(&[2, 3, 4])], |_, x| Ok(vec![x[0].max_axes(&[1])?, x[0].min_axes(&[0, 2])?]));
    check(&[signed(&[4, 2, 3])], |_, x| Ok(vec![x[0].cumsum(0)?, x[0].cumsum(1)?]));
}

#[test]
fn products_plain_transposed_batched_and_summed() {
    for (lhs_transposed, rhs_transposed) in
        [(false, false), (false, true), (true, false), (true, true)]
    {
        let dot = Dot { lhs_transposed, rhs_transposed, sum: false };
        let lhs: &[usize] = if lhs_transposed { &[3, 2] } else { &[2, 3] };
        let rhs: &[usize] = if rhs_transposed { &[4, 3] } else { &[3, 4] };
        let batched = |shape: &[usize]| signed(&[&[2][..], shape].concat());
        let operands = [
            [signed(lhs), signed(rhs)],
            [batched(lhs), signed(rhs)],
            [signed(lhs), batched(rhs)],
            [batched(lhs), batched(rhs)],
        ];
        for leaves in operands {
            check(&leaves, move |_, x| Ok(vec![x[0].product(x[1], dot)?]));
        }
        let summed = Dot { sum: true, ..dot };
        check(&[batched(lhs), batched(rhs)], move |_, x| Ok(vec![x[0].product(x[1], summed)?]));
    }
}

#[test]
fn rows_gathered_and_scattered() {
    let index = || integers(&[2, 0, 2, 3, 1]);
    check(&[signed(&[4, 3]), index()], |_, x| Ok(vec![x[0].gather(x[1])?]));
    check(&[signed(&[3, 5]), index()], |_, x| Ok(vec![x[0].scatter_add(x[1], 4)?]));
    let sequences = || integers(&[2, 0, 2, 3, 1, 1]).shaped(&[3, 2]);
    check(&[signed(&[4, 3]), sequences()], |_, x| Ok(vec![x[0].gather(x[1])?]));
    check(&[signed(&[3, 5, 2]), sequences()], |_, x| Ok(vec![x[0].scatter_add(x[1], 4)?]));
}
