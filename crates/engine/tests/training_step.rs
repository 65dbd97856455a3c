//! One training step in the engine equals the reference evaluation of its graph, for any cut of
//! the batch and any number of threads.

mod agreement;

use agreement::{agrees, session};
use whimbrel_engine::Options;
use whimbrel_graph::ops::{Adam, Conv1d, Role, Sgd};
use whimbrel_graph::{Builder, Graph, GraphError, Init, Type};

/// A two-layer network that gathers its batch from tables and takes an Adam step.
fn step(batch: usize, sizes: [usize; 3], adam: Adam) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let [inputs, hidden, outputs] = sizes;
    let index = g.batch("index", Type::i32([batch]))?;
    let x = g.state("windows", [50, inputs], Init::Zeros, Role::Table)?.gather(index)?;
    let y = g.state("targets", [50, outputs], Init::Zeros, Role::Table)?.gather(index)?;
    let w1 = g.parameter("w1", [hidden, inputs], Init::Zeros)?;
    let b1 = g.parameter("b1", [hidden, 1], Init::Zeros)?;
    let w2 = g.parameter("w2", [outputs, hidden], Init::Zeros)?;
    let b2 = g.parameter("b2", [outputs, 1], Init::Zeros)?;
    let h = w1.dot(x)?.add(b1)?.relu()?;
    let loss = w2.dot(h)?.add(b2)?.sub(y)?.abs()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let (lr, count) = (g.input("lr", [])?, g.input("step", [])?);
    g.adam(adam, &parameters, &gradients, lr, count)?;
    g.output("loss", loss);
    g.finish()
}

#[test]
fn agrees_with_the_reference() {
    let small = [(1, [3, 5, 2]), (32, [24, 54, 12]), (48, [7, 33, 1]), (20, [16, 16, 16])];
    // Whole groups of four panels, and some that are left over.
    let followed_by_tiles = [(32, [23, 133, 70]), (64, [6, 64, 3])];
    for (batch, sizes) in small.into_iter().chain(followed_by_tiles) {
        let graph = step(batch, sizes, Adam::default()).unwrap();
        agrees(&graph, &Options { threads: 1, ..Options::default() }, 2e-5);
    }
}

#[test]
fn decays_weights_as_adamw_does() {
    let adam = Adam { weight_decay: 0.1, decoupled: true, ..Adam::default() };
    agrees(&step(32, [24, 54, 12], adam).unwrap(), &Options::default(), 2e-5);
    let adam = Adam { weight_decay: 0.1, ..Adam::default() };
    agrees(&step(32, [24, 54, 12], adam).unwrap(), &Options::default(), 2e-5);
}

#[test]
fn agrees_when_the_batch_is_cut_into_blocks() {
    let graph = step(96, [24, 54, 12], Adam::default()).unwrap();
    for lanes in [16, 24, 32, 48, 96] {
        agrees(&graph, &Options { lanes: Some(lanes), ..Options::default() }, 2e-5);
    }
}

/// Weights used at several steps of a sequence, smaller than what their gradients are made of: of a dense layer and of
/// a convolution, followed by Adam or by plain descent.
fn shared_step(batch: usize, adam: bool) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [9, 24, batch])?;
    let dense = g.parameter("dense", [40, 24], Init::Zeros)?;
    let conv = g.parameter("conv", [2, 20, 40], Init::Zeros)?;
    let y = dense.dot(x)?.relu()?.conv1d(conv, Conv1d::causal(2, 2))?;
    let loss = y.square()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let lr = g.input("lr", [])?;
    match adam {
        true => g.adam(Adam::default(), &parameters, &gradients, lr, g.input("step", [])?)?,
        false => g.sgd(Sgd::default(), &parameters, &gradients, lr)?,
    };
    g.output("loss", loss);
    g.finish()
}

#[test]
fn agrees_where_blocks_have_gradients_of_their_own() {
    for (lanes, threads, adam) in [(32, 1, true), (32, 2, false), (48, 8, true), (48, 8, false)] {
        let graph = shared_step(96, adam).unwrap();
        let options = Options { lanes: Some(lanes), threads, ..Options::default() };
        let report = session(&graph, &options).report(0).to_string();
        let is_sum = |line: &&str| line.contains("over blocks") || line.contains("over shares");
        let apart = report.lines().filter(is_sum).count();
        assert!(apart >= 3, "both gradients and the loss: {report}");
        agrees(&graph, &options, 2e-5);
    }
}

#[test]
fn agrees_where_shares_of_the_batch_have_gradients_of_their_own() {
    // Six blocks in four shares, and three in as many.
    for (batch, threads) in [(384, 1), (384, 2), (384, 8), (192, 2)] {
        let graph = step(batch, [24, 20, 12], Adam::default()).unwrap();
        let options = Options { lanes: Some(64), threads, ..Options::default() };
        let report = session(&graph, &options).report(0).to_string();
        let apart = report.lines().filter(|line| line.contains("over shares")).count();
        assert!(apart > 0, "{report}");
        agrees(&graph, &options, 2e-5);
    }
}

/// A step whose second weight is so large that the way back through it is made in halves, of 16 and 17 panels, the
/// last half full; on two threads in two pieces each.
const HALVES: (usize, [usize; 3]) = (32, [20, 1020, 520]);

/// The same sizes with nothing after the products.
fn linear_step() -> Result<Graph, GraphError> {
    let (batch, [inputs, hidden, outputs]) = HALVES;
    let g = Builder::new();
    let x = g.batch("x", [inputs, batch])?;
    let w1 = g.parameter("w1", [hidden, inputs], Init::Zeros)?;
    let w2 = g.parameter("w2", [outputs, hidden], Init::Zeros)?;
    let loss = w2.dot(w1.dot(x)?)?.square()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    g.sgd(Sgd::default(), &parameters, &gradients, g.input("lr", [])?)?;
    g.output("loss", loss);
    g.finish()
}

#[test]
fn agrees_where_the_way_back_is_made_in_halves() {
    let (batch, sizes) = HALVES;
    for graph in [step(batch, sizes, Adam::default()).unwrap(), linear_step().unwrap()] {
        for threads in [1, 2, 3, 4] {
            let options = Options { threads, ..Options::default() };
            let report = session(&graph, &options).report(0).to_string();
            assert!(report.contains("sum of halves"), "{report}");
            agrees(&graph, &options, 2e-5);
        }
    }
}

#[test]
fn agrees_after_every_pass() {
    let graph = step(32, [24, 54, 12], Adam::default()).unwrap();
    for pass in whimbrel_graph::passes::PIPELINE {
        let options = Options { passes_until: Some(pass.name.into()), ..Options::default() };
        agrees(&graph, &options, 2e-5);
    }
}

/// Asserts that a graph leaves the same bits in its parameters on any number of threads.
#[track_caller]
fn gives_the_same_bits(graph: &Graph) {
    let run = |threads: usize| {
        let mut session = session(graph, &Options { threads, ..Options::default() });
        for _ in 0..3 {
            session.run().unwrap();
        }
        let names = graph.updates().iter().map(|update| graph.label(update.state));
        names.map(|name| session.read_state(&name).unwrap()).collect::<Vec<_>>()
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn gives_the_same_bits_for_any_number_of_threads() {
    // Of the first, fewer panels of outputs than threads: their inputs are cut. The second has shares of one
    // block, the third of one or two, the fourth of four. Of the fifth, the cut decides which panels are
    // followed by tiles.
    let small = [24, 20, 12];
    let cases = [(256, [64, 300, 40]), (256, [20, 203, 19]), (384, small), (1024, small)];
    for (batch, sizes) in cases.into_iter().chain([(32, [200, 520, 100]), HALVES]) {
        gives_the_same_bits(&step(batch, sizes, Adam::default()).unwrap());
    }
    gives_the_same_bits(&linear_step().unwrap());
    gives_the_same_bits(&shared_step(256, true).unwrap());
    gives_the_same_bits(&shared_step(256, false).unwrap());
}

#[test]
fn an_index_outside_its_table_is_refused_before_anything_runs() {
    let graph = step(4, [3, 5, 2], Adam::default()).unwrap();
    let mut session = session(&graph, &Options::default());
    let before = session.read_state("w1").unwrap();
    session.write_i32("index", &[0, 1, 50, 2]).unwrap();
    let message = session.run().unwrap_err().to_string();
    assert_eq!(message, "\"index\"[2] is 50, outside the table's 50 rows");
    assert_eq!(session.read_state("w1").unwrap(), before);
}

#[test]
fn an_index_outside_its_table_is_refused_in_every_block_of_the_batch() {
    let graph = step(32, [3, 5, 2], Adam::default()).unwrap();
    let options = Options { lanes: Some(16), ..Options::default() };
    let mut session = session(&graph, &options);
    let mut index = vec![0; 32];
    index[31] = -1;
    session.write_i32("index", &index).unwrap();
    let message = session.run().unwrap_err().to_string();
    assert_eq!(message, "\"index\"[31] is -1, outside the table's 50 rows");
}
