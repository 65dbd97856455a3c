//! Random graphs with a batch give the same fused and unfused, and the same bits on any number of threads.

mod agreement;
#[path = "../../graph/tests/programs/mod.rs"]
mod programs;

use agreement::session;
use programs::{Instruction, extend};
use proptest::prelude::*;
use whimbrel_engine::Options;
use whimbrel_graph::ops::Sgd;
use whimbrel_graph::{Builder, Graph, GraphError, Init, Var};

/// Items: enough that operations are worth sharing.
const BATCH: usize = 480;

/// Most elements of a value.
const LARGEST: usize = 4 * 12 * BATCH;

/// The last pass before those that fuse.
const UNFUSED: &str = "keep_outputs";

/// Largest difference of a fused result, relative to it, or to 1 where it is smaller.
const TOLERANCE: f32 = 1e-5;

/// Values a program starts from: three with a batch, two parameters, and a number.
fn leaves(g: &Builder) -> Result<Vec<Var<'_>>, GraphError> {
    Ok(vec![
        g.batch("x", [12, BATCH])?,
        g.batch("y", [4, 12, BATCH])?,
        g.batch("z", [1, BATCH])?,
        g.parameter("w", [12, 12], Init::Zeros)?,
        g.parameter("b", [12, 1], Init::Zeros)?,
        g.input("number", [])?,
    ])
}

/// The graph that a program describes; every third value is an output.
fn forward(program: &[Instruction]) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let mut values = leaves(&g)?;
    extend(&g, &mut values, program, LARGEST);
    for (i, value) in values[6..].iter().rev().step_by(3).enumerate() {
        g.output(&format!("out{i}"), *value);
    }
    g.finish()
}

/// A training step whose loss is what the program makes last.
fn training(program: &[Instruction]) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let mut values = leaves(&g)?;
    extend(&g, &mut values, program, LARGEST);
    let parameters = g.parameters();
    // Whatever the program does, both parameters learn.
    let layer = parameters[0].dot(values[0])?.add(parameters[1])?.tanh()?;
    let made = values[values.len() - 1].tanh()?;
    let loss = made.mean()?.add(layer.square()?.mean()?)?;
    let gradients = g.gradients(loss, &parameters)?;
    let sgd = Sgd { momentum: 0.9, ..Sgd::default() };
    g.sgd(sgd, &parameters, &gradients, g.input("lr", [])?)?;
    g.output("loss", loss);
    g.finish()
}

/// All outputs and the state after a run, one after another.
fn results(graph: &Graph, options: &Options) -> Vec<f32> {
    let mut session = session(graph, options);
    session.run().unwrap();
    let outputs = graph.outputs().iter().map(|output| session.read(&output.name).unwrap());
    let state = session.state_names().map(|name| session.read_state(name).unwrap());
    outputs.chain(state).flatten().collect()
}

fn check(graph: &Graph) -> Result<(), TestCaseError> {
    for lanes in [None, Some(BATCH)] {
        let fused = Options { threads: 1, lanes, ..Options::default() };
        let unfused = Options { passes_until: Some(UNFUSED.into()), ..fused.clone() };
        let (fused, unfused) = (results(graph, &fused), results(graph, &unfused));
        prop_assert_eq!(fused.len(), unfused.len());
        for (a, b) in fused.iter().zip(&unfused) {
            let near = (a - b).abs() <= TOLERANCE * b.abs().max(1.0);
            prop_assert!(a == b || near || (a.is_nan() && b.is_nan()), "{a} != {b}\n{graph}");
        }
        for threads in [2, 3, 8] {
            let shared = results(graph, &Options { threads, lanes, ..Options::default() });
            let same = shared.iter().zip(&fused).all(|(a, b)| a.to_bits() == b.to_bits());
            prop_assert!(same, "{threads} threads, {lanes:?} items in a block\n{graph}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn results_depend_on_neither_fusing_nor_threads(program in prop::collection::vec(any::<Instruction>(), 1..60)) {
        check(&forward(&program).unwrap())?;
    }

    #[test]
    fn training_steps_depend_on_neither_fusing_nor_threads(program in prop::collection::vec(any::<Instruction>(), 1..25)) {
        check(&training(&program).unwrap())?;
    }
}
