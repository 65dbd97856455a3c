//! Learns exclusive or: defines a network, trains it, and asks it for its answers.
//!
//!     cargo run -p whimbrel-nn --example xor

use whimbrel_engine::{Options, Session};
use whimbrel_graph::{Builder, Graph};
use whimbrel_nn::layers::{Forward, Linear, Sequential, Sigmoid, Tanh};
use whimbrel_nn::losses::{Criterion, Mse};
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::{NnError, Scope};

/// The batch is the last axis: two rows of inputs, one column for each of the four items.
const INPUTS: [f32; 8] = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0];
const TARGETS: [f32; 4] = [0.0, 1.0, 1.0, 0.0];

const TRAIN: usize = 0;
const PREDICT: usize = 1;

fn network() -> Sequential {
    Sequential::new().then(Linear::new(8)).then(Tanh).then(Linear::new(1)).then(Sigmoid)
}

fn training_step(network: &Sequential, optimiser: &Optimiser) -> Result<Graph, NnError> {
    let g = Builder::new();
    let (x, y) = (g.batch("x", [2, 4])?, g.batch("y", [1, 4])?);
    let loss = Mse.loss(network.forward(x, &Scope::training(&g))?, y)?;
    optimiser.minimise(loss)?;
    g.output("loss", loss);
    Ok(g.finish()?)
}

fn prediction(network: &Sequential) -> Result<Graph, NnError> {
    let g = Builder::new();
    let x = g.batch("x", [2, 4])?;
    g.output("y", network.forward(x, &Scope::predicting(&g))?);
    Ok(g.finish()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let network = network();
    let optimiser = Optimiser::new(Adam { lr: 0.05, ..Adam::default() });

    // Both graphs share the parameters, by name.
    let graphs = [training_step(&network, &optimiser)?, prediction(&network)?];
    let mut session = Session::with_options(&graphs, &Options { seed: 1, ..Options::default() })?;

    session.write("x", &INPUTS)?;
    session.write("y", &TARGETS)?;
    session.write("lr", &[optimiser.lr() as f32])?;
    for step in 1..=500 {
        session.write("step", &[step as f32])?;
        session.run_graph(TRAIN)?;
    }
    println!("loss {:.5}", session.read("loss")?[0]);

    let (x, y) = (session.input(PREDICT, "x")?, session.output(PREDICT, "y")?);
    session.write_slot(x, "x", &INPUTS)?;
    session.run_graph(PREDICT)?;
    for (item, answer) in session.read_slot(y).iter().enumerate() {
        println!("{} xor {} = {answer:.3}", INPUTS[item], INPUTS[4 + item]);
    }
    Ok(())
}
