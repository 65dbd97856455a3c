//! Ten steps of training leave recurrent, convolutional and attending networks where PyTorch leaves them.

mod golden;

use golden::{Case, Tensor, cases, close, write};
use whimbrel_engine::Session;
use whimbrel_graph::{Builder, Graph, Type};
use whimbrel_nn::layers::{Forward, Sequential};
use whimbrel_nn::losses::{Criterion, Loss};
use whimbrel_nn::optimisers::Optimiser;
use whimbrel_nn::{NnError, Scope};

fn training_step(case: &Case, [x, y]: [Type; 2]) -> Result<(Graph, Optimiser), NnError> {
    let part = |what: &str| case.settings[what].clone();
    let network = Sequential { layers: serde_json::from_value(part("network")).unwrap() };
    let loss: Loss = serde_json::from_value(part("loss")).unwrap();
    let optimiser: Optimiser = serde_json::from_value(part("optimiser")).unwrap();
    let g = Builder::new();
    let (x, y) = (g.batch("x", x)?, g.batch("y", y)?);
    let loss = loss.loss(network.forward(x, &Scope::training(&g))?, y)?;
    optimiser.minimise(loss)?;
    g.output("loss", loss);
    Ok((g.finish()?, optimiser))
}

/// The batch of each step: the first axis is the steps.
fn batches(all: &Tensor) -> Vec<Tensor> {
    let ty = all.ty.with_shape(all.ty.shape.remove(0).unwrap());
    all.data.chunks(ty.numel()).map(|data| Tensor { ty, data: data.to_vec() }).collect()
}

fn check(case: &Case) {
    let name = &case.name;
    let [x, y] = ["x", "y"].map(|what| batches(case.get(what)));
    let (graph, optimiser) = training_step(case, [x[0].ty, y[0].ty]).unwrap();
    let mut session = Session::new(&graph).unwrap();
    for (state, start) in case.under("start/") {
        session.write_state(state, &start.data).unwrap();
    }
    session.write("lr", &[optimiser.lr() as f32]).unwrap();
    let mut losses = Vec::new();
    for (step, (x, y)) in x.iter().zip(&y).enumerate() {
        write(&mut session, "x", x);
        write(&mut session, "y", y);
        session.write("step", &[step as f32 + 1.0]).unwrap();
        session.run().unwrap();
        losses.extend(session.read("loss").unwrap());
    }
    assert_eq!(losses.len(), 10, "{name}");
    close(&format!("{name}: losses"), &losses, case.get("losses"));
    for (state, end) in case.under("end/") {
        close(&format!("{name}: {state}"), &session.read_state(state).unwrap(), end);
    }
}

#[test]
fn ten_steps_of_every_kind_of_network_equal_pytorchs() {
    for case in cases("networks") {
        check(&case);
    }
}
