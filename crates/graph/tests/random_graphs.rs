//! Passes keep the results of random graphs, one by one and all together.

mod harness;

use harness::{Numbers, outputs};
use proptest::prelude::*;
use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Array, Builder, Graph, GraphError, Var, passes};
use whimbrel_tensor::Shape;

/// One node: an operation and operands, each taken modulo what there is.
type Instruction = (u8, u8, u8, u8);

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
        26 if rank == 2 => x.product(y, Dot { rhs_transposed: true, ..Dot::default() }),
        27 if rank == 2 => x.permute(&[1, 0]),
        28 => x.reshape(Shape::from([x.ty().numel()])),
        29 if rank > 0 => x.slice(axis, 0, x.shape()[axis].div_ceil(2)),
        30 if rank > 0 => Var::concat(&[x, y], axis),
        31 => x.mul(number)?.mul(g.scalar(NUMBERS[usize::from(c) % 8])),
        _ => x.sub(x.stop_gradient()?.sum()?),
    }
}

/// The graph that instructions describe; those that do not fit are left out.
fn graph(program: &[Instruction]) -> Graph {
    let g = Builder::new();
    let shapes: [&[usize]; 5] = [&[2, 3], &[3], &[2, 1], &[], &[3, 3]];
    let mut values: Vec<Var<'_>> = shapes
        .iter()
        .enumerate()
        .map(|(i, shape)| g.input(&format!("x{i}"), Shape::from_slice(shape).unwrap()).unwrap())
        .collect();
    for &instruction in program {
        if let Ok(value) = node(&g, &values, instruction)
            && value.ty().numel() <= 64
        {
            values.push(value);
        }
    }
    for value in values.iter().rev().step_by(3) {
        g.output("y", *value);
    }
    g.finish().unwrap()
}

fn contents(graph: &Graph) -> Vec<Array> {
    let mut numbers = Numbers(17);
    graph.inputs().map(|id| numbers.array(graph.ty(id), -2.0..2.0)).collect()
}

fn unchanged(before: &[Array], after: &Graph, contents: &[Array]) -> Result<(), TestCaseError> {
    after.verify().map_err(|e| TestCaseError::fail(format!("{e}\n{after}")))?;
    for (a, b) in before.iter().zip(outputs(after, contents)) {
        prop_assert_eq!(a.shape, b.shape);
        for (x, y) in a.data.iter().zip(&b.data) {
            let near = (x - y).abs() <= 1e-9 * x.abs().max(1.0);
            prop_assert!(x == y || near || (x.is_nan() && y.is_nan()), "{x} != {y}\n{after}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_pass_keeps_the_results(program in prop::collection::vec(any::<Instruction>(), 1..60)) {
        let graph = graph(&program);
        let contents = contents(&graph);
        let before = outputs(&graph, &contents);
        for pass in passes::PIPELINE {
            unchanged(&before, &(pass.apply)(&graph), &contents)?;
        }
        unchanged(&before, &passes::run(&graph, None).unwrap(), &contents)?;
    }

    #[test]
    fn passes_run_twice_change_nothing_more(
        program in prop::collection::vec(any::<Instruction>(), 1..40)
    ) {
        let graph = graph(&program);
        for pass in passes::PIPELINE.iter().filter(|pass| pass.name != "fuse") {
            let once = (pass.apply)(&graph);
            let twice = (pass.apply)(&once);
            prop_assert_eq!(once.nodes().len(), twice.nodes().len(), "{}", pass.name);
        }
    }

    #[test]
    fn gradients_survive_the_passes(program in prop::collection::vec(any::<Instruction>(), 1..25)) {
        let g = Builder::new();
        let (x, y) = (g.input("x", [2, 3]).unwrap(), g.input("y", [3]).unwrap());
        let mut values = vec![x, y];
        for instruction in program {
            if let Ok(value) = node(&g, &values, instruction) && value.ty().numel() <= 64 {
                values.push(value);
            }
        }
        let loss = values[values.len() - 1].tanh().unwrap().sum().unwrap();
        for grad in g.gradients(loss, &[x, y]).unwrap() {
            g.output("grad", grad);
        }
        let graph = g.finish().unwrap();
        let contents = contents(&graph);
        let before = outputs(&graph, &contents);
        unchanged(&before, &passes::run(&graph, None).unwrap(), &contents)?;
    }
}
