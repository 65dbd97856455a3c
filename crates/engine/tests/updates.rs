//! What a run reads of a state is what it held before the run, however its update is made.

mod agreement;

use agreement::agrees;
use whimbrel_engine::Options;
use whimbrel_graph::ops::{Role, Sgd};
use whimbrel_graph::{Builder, GraphError, Init, Var};

/// Builds over an input and two states of one type; agrees after all passes and before fusion.
#[track_caller]
fn check(build: impl for<'g> Fn(&'g Builder, [Var<'g>; 3]) -> Result<(), GraphError>) {
    let g = Builder::new();
    let x = g.input("x", [4, 4]).unwrap();
    let a = g.state("a", [4, 4], Init::Zeros, Role::Table).unwrap();
    let b = g.state("b", [4, 4], Init::Zeros, Role::Table).unwrap();
    build(&g, [x, a, b]).unwrap();
    let graph = g.finish().unwrap();
    for pass in [None, Some("keep_outputs".to_owned())] {
        agrees(&graph, &Options { passes_until: pass, ..Options::default() }, 1e-5);
    }
}

#[test]
fn states_trade_places() {
    check(|g, [_, a, b]| {
        g.update(a, b)?;
        g.update(b, a)
    });
}

#[test]
fn a_state_keeps_what_another_was() {
    check(|g, [x, a, b]| {
        g.update(a, x.tanh()?)?;
        g.update(b, a)
    });
    check(|g, [_, a, b]| {
        g.update(a, a.tanh()?)?;
        g.update(b, a.reshape([2, 8])?.reshape([4, 4])?)
    });
}

/// The product reads the weight before the update that its other operand waits for.
#[test]
fn a_product_beside_one_by_the_new_weight_agrees() {
    let g = Builder::new();
    let [x, z] = ["x", "z"].map(|name| g.batch(name, [5, 32]).unwrap());
    let w = g.parameter("w", [7, 5], Init::Zeros).unwrap();
    let loss = w.dot(x).unwrap().square().unwrap().mean().unwrap();
    let gradients = g.gradients(loss, &[w]).unwrap();
    let lr = g.input("lr", []).unwrap();
    g.sgd(Sgd::default(), &[w], &gradients, lr).unwrap();
    let after = g.updated(w).unwrap().dot(z).unwrap();
    g.output("both", w.dot(z).unwrap().add(after).unwrap());
    agrees(&g.finish().unwrap(), &Options::default(), 1e-5);
}

#[test]
fn a_weight_of_many_outputs_descends_its_gradient() {
    for (momentum, nesterov, weight_decay) in [(0.0, false, 0.0), (0.9, true, 0.1)] {
        let g = Builder::new();
        let x = g.batch("x", [9, 32]).unwrap();
        let w = g.parameter("w", [70, 9], Init::Zeros).unwrap();
        let loss = w.dot(x).unwrap().square().unwrap().mean().unwrap();
        let gradients = g.gradients(loss, &[w]).unwrap();
        let lr = g.input("lr", []).unwrap();
        g.sgd(Sgd { momentum, nesterov, weight_decay, ..Sgd::default() }, &[w], &gradients, lr)
            .unwrap();
        agrees(&g.finish().unwrap(), &Options::default(), 1e-5);
    }
}

#[test]
fn results_read_views_of_a_state_before_its_update() {
    check(|g, [_, a, _]| {
        g.update(a, a.tanh()?)?;
        g.output("old", a.reshape([2, 8])?);
        g.output("part", a.slice(0, 1, 3)?.reshape([8])?.exp()?);
        Ok(())
    });
}

#[test]
fn states_are_made_from_each_other() {
    check(|g, [_, a, b]| {
        g.update(a, a.dot(b)?)?;
        g.update(b, b.dot(a)?)
    });
    check(|g, [_, a, b]| {
        g.update(a, a.add(b)?)?;
        g.update(b, a.sub(b)?)
    });
}

#[test]
fn a_result_compares_the_new_state_with_the_old() {
    check(|g, [x, a, _]| {
        let new = a.mul(x)?;
        g.update(a, new)?;
        g.output("change", new.dot(a)?);
        Ok(())
    });
}
