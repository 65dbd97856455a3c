//! Passes keep the results of random graphs, one by one and all together.

mod harness;
mod programs;

use harness::{Numbers, outputs};
use programs::{Instruction, extend};
use proptest::prelude::*;
use whimbrel_graph::{Array, Builder, Graph, Var, passes};
use whimbrel_tensor::Shape;

/// Most elements of a value.
const LARGEST: usize = 64;

/// The graph that a program describes.
fn graph(program: &[Instruction]) -> Graph {
    let g = Builder::new();
    let shapes: [&[usize]; 5] = [&[2, 3], &[3], &[2, 1], &[], &[3, 3]];
    let mut values: Vec<Var<'_>> = shapes
        .iter()
        .enumerate()
        .map(|(i, shape)| g.input(&format!("x{i}"), Shape::from_slice(shape).unwrap()).unwrap())
        .collect();
    extend(&g, &mut values, program, LARGEST);
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
        extend(&g, &mut values, &program, LARGEST);
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
