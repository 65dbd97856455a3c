//! Random programs that describe graphs: instructions that do not fit what there is are left out.

use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Builder, GraphError, Var};
use whimbrel_tensor::Shape;

/// One node: an operation and operands, each taken modulo what there is.
pub type Instruction = (u8, u8, u8, u8);

/// Powers of two, so that products of constants are exact and results comparable to the last bit.
const NUMBERS: [f32; 8] = [0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 4.0, -2.0];

fn node<'g>(
    g: &'g Builder,
    values: &[Var<'g>],
    (op, a, b, c): Instruction,
) -> Result<Var<'g>, GraphError> {
    let pick = |i: u8| values[values.len() - 1 - usize::from(i) % values.len()];
    let (x, y, z) = (pick(a), pick(b), pick(c));
    let number = g.scalar(NUMBERS[usize::from(b) % 8]);
    let rank = x.shape().rank();
    let axis = usize::from(b) % rank.max(1);
    match op % 32 {
        0 => x.neg(),
        1 => x.abs(),
        2 => x.relu(),
        3 => x.tanh(),
        4 => x.sigmoid(),
        5 => x.square(),
        6 => x.sign(),
        7 => x.floor(),
        8 | 9 => x.add(y),
        10 | 11 => x.sub(y),
        12 | 13 => x.mul(y),
        14 => x.max(y),
        15 => x.min(y),
        16 => x.lt(y),
        17 => x.lt(y)?.select(y, z),
        18 => x.select(y, z),
        19 => x.mul(number),
        20 => number.mul(x),
        21 => x.add(number),
        22 => number.sub(x),
        23 => x.broadcast(x.shape().broadcast(&y.shape()).unwrap_or(x.shape())),
        24 if rank > 0 => x.sum_axes(&[axis]),
        25 if rank > 0 => x.max_axes(&[axis]),
        26 if rank == 2 => {
            let (lhs_transposed, rhs_transposed) = (c & 64 != 0, c & 128 != 0);
            x.product(y, Dot { lhs_transposed, rhs_transposed, sum: false })
        }
        27 if rank == 2 => x.permute(&[1, 0]),
        28 => x.reshape(Shape::from([x.ty().numel()])),
        29 if rank > 0 => x.slice(axis, 0, x.shape()[axis].div_ceil(2)),
        30 if rank > 0 => Var::concat(&[x, y], axis),
        31 => x.mul(number)?.mul(g.scalar(NUMBERS[usize::from(c) % 8])),
        _ => x.sub(x.stop_gradient()?.sum()?),
    }
}

/// Appends to `values` what the program makes of them, each of at most `largest` elements.
pub fn extend<'g>(
    g: &'g Builder,
    values: &mut Vec<Var<'g>>,
    program: &[Instruction],
    largest: usize,
) {
    for &instruction in program {
        if let Ok(value) = node(g, values, instruction)
            && value.ty().numel() <= largest
        {
            values.push(value);
        }
    }
}
