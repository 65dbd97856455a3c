//! Ten steps of every optimiser leave the parameters where PyTorch leaves them.

mod golden;

use golden::{Case, cases, close, covered, every, setting};
use whimbrel_engine::Session;
use whimbrel_graph::{Builder, Graph};
use whimbrel_nn::layers::{Forward, Linear, Sequential, Tanh};
use whimbrel_nn::losses::{Criterion, Mse};
use whimbrel_nn::optimisers::{Clip, Optimiser, Rule};
use whimbrel_nn::{NnError, Scope};

/// Items of a batch.
const BATCH: usize = 6;

fn training_step(optimiser: &Optimiser) -> Result<Graph, NnError> {
    let g = Builder::new();
    let (x, y) = (g.batch("x", [3, BATCH])?, g.batch("y", [2, BATCH])?);
    let network = Sequential::new().then(Linear::new(20)).then(Tanh).then(Linear::new(2));
    let loss = Mse.loss(network.forward(x, &Scope::training(&g))?, y)?;
    optimiser.minimise(loss)?;
    g.output("loss", loss);
    Ok(g.finish()?)
}

fn optimiser(case: &Case) -> Optimiser {
    serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn check(case: &Case) {
    let (name, optimiser) = (&case.name, optimiser(case));
    let mut session = Session::new(&training_step(&optimiser).unwrap()).unwrap();
    for (parameter, start) in case.under("start/") {
        session.write_state(parameter, &start.data).unwrap();
    }
    session.write("lr", &[optimiser.lr() as f32]).unwrap();
    let (x, y) = (&case.get("x").data, &case.get("y").data);
    let mut losses = Vec::new();
    for (step, (x, y)) in x.chunks(3 * BATCH).zip(y.chunks(2 * BATCH)).enumerate() {
        session.write("x", x).unwrap();
        session.write("y", y).unwrap();
        session.write("step", &[step as f32 + 1.0]).unwrap();
        session.run().unwrap();
        losses.extend(session.read("loss").unwrap());
    }
    close(&format!("{name}: losses"), &losses, case.get("losses"));
    for (parameter, end) in case.under("end/") {
        close(&format!("{name}: {parameter}"), &session.read_state(parameter).unwrap(), end);
    }
}

#[test]
fn ten_steps_of_every_optimiser_equal_pytorchs() {
    for case in cases("optimisers") {
        check(&case);
    }
}

#[test]
fn no_optimiser_is_without_a_case() {
    let rules = every! { Rule:
        Sgd = "sgd", Adam = "adam", AdamW = "adamw", RmsProp = "rmsprop", Adagrad = "adagrad",
        Rprop = "rprop",
    };
    covered("optimisers", rules, |case| optimiser(case).rule);
    let clips = every! { Clip: Norm = "clip_norm", Value = "clip_value", };
    covered("optimisers", clips, |case| setting(&optimiser(case), "clip"));
}

#[test]
fn gradients_of_weights_are_made_within_sgd_and_adam() {
    for (rule, fused) in [("sgd", "dot_sgd"), ("adam", "dot_adam"), ("adamw", "dot_adam")] {
        let settings = format!(r#"{{"rule": {{"type": "{rule}"}}}}"#);
        let optimiser: Optimiser = serde_json::from_str(&settings).unwrap();
        let session = Session::new(&training_step(&optimiser).unwrap()).unwrap();
        let lines = &session.report(0).lines;
        let count = lines.iter().filter(|line| line.name.starts_with(fused)).count();
        assert_eq!(count, 2, "{rule}: {:?}", lines.iter().map(|l| &l.name).collect::<Vec<_>>());
    }
}
