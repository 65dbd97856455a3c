//! Recurrent layers in the engine equal their reference, whole or cut, trained or not.

mod agreement;

use agreement::{agrees, session};
use whimbrel_engine::Options;
use whimbrel_graph::ops::{Adam, RnnActivation};
use whimbrel_graph::{Builder, Graph, GraphError, Init, Var};

#[derive(Clone, Copy)]
enum Cell {
    Lstm,
    Gru,
    Rnn,
}

/// A layer over 5 steps of 3 channels, its last step projected to 2 outputs, and an Adam step.
fn step(cell: Cell, hidden: usize, batch: usize) -> Result<Graph, GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [5, 3, batch])?;
    let y = g.batch("y", [2, batch])?;
    let gates = match cell {
        Cell::Lstm => 4,
        Cell::Gru => 3,
        Cell::Rnn => 1,
    };
    let w_ih = g.parameter("w_ih", [gates * hidden, 3], Init::Zeros)?;
    let w_hh = g.parameter("w_hh", [gates * hidden, hidden], Init::Zeros)?;
    let bias = g.parameter("bias", [gates * hidden, 1], Init::Zeros)?;
    let hs: Var = match cell {
        Cell::Lstm => x.lstm(w_ih, w_hh, bias, None, None)?.hs,
        Cell::Gru => {
            let b_hh = g.parameter("b_hh", [gates * hidden, 1], Init::Zeros)?;
            x.gru(w_ih, w_hh, bias, b_hh, None)?.hs
        }
        Cell::Rnn => x.rnn(RnnActivation::Tanh, w_ih, w_hh, bias, None)?.hs,
    };
    let w = g.parameter("w", [2, hidden], Init::Zeros)?;
    let out = w.dot(hs)?;
    let last = out.slice(0, 4, 5)?.reshape([2, batch])?;
    let loss = last.sub(y)?.square()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let (lr, count) = (g.input("lr", [])?, g.input("step", [])?);
    g.adam(Adam::default(), &parameters, &gradients, lr, count)?;
    g.output("loss", loss);
    g.output("out", out);
    g.finish()
}

#[test]
fn agree_with_the_reference() {
    for cell in [Cell::Lstm, Cell::Gru, Cell::Rnn] {
        for (hidden, batch) in [(4, 1), (17, 32), (8, 5)] {
            let graph = step(cell, hidden, batch).unwrap();
            agrees(&graph, &Options { threads: 1, ..Options::default() }, 1e-4);
        }
    }
}

#[test]
fn agree_when_the_batch_is_cut_into_blocks() {
    for cell in [Cell::Lstm, Cell::Gru, Cell::Rnn] {
        let graph = step(cell, 17, 64).unwrap();
        agrees(&graph, &Options { lanes: Some(16), ..Options::default() }, 1e-4);
    }
}

#[test]
fn give_the_same_bits_for_any_number_of_threads() {
    let graph = step(Cell::Lstm, 33, 64).unwrap();
    let run = |threads: usize| {
        let options = Options { threads, lanes: Some(16), ..Options::default() };
        let mut session = session(&graph, &options);
        session.run().unwrap();
        ["w_ih", "w_hh", "bias", "w"].map(|name| session.read_state(name).unwrap())
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
