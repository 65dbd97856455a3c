//! Every layer gives what PyTorch gives, forward and backward.

mod golden;

use golden::{Case, cases, close, write};
use whimbrel_engine::Session;
use whimbrel_graph::Builder;
use whimbrel_nn::Scope;
use whimbrel_nn::layers::{Forward, Layer, MultiheadAttention};

fn check(mut case: Case) {
    let training = case.take("training").as_bool().unwrap();
    let layer: Layer = serde_json::from_value(case.settings.clone())
        .unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let g = Builder::new();
    let x = g.batch("x", case.get("x").ty).unwrap();
    let dy = g.batch("dy", case.get("dy").ty).unwrap();
    let scope = if training { Scope::training(&g) } else { Scope::predicting(&g) };
    let y = layer.forward(x, &scope).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    assert_eq!(y.shape(), dy.shape(), "{}", case.name);
    let parameters = g.parameters();
    let mut names: Vec<_> = parameters.iter().map(|&p| g.label(p)).collect();
    let (count, mut wanted) = (parameters.len(), parameters);
    if case.find("dx").is_some() {
        names.push("x".into());
        wanted.push(x);
    }
    let gradients = g.gradients(y.mul(dy).unwrap().sum().unwrap(), &wanted).unwrap();
    g.output("y", y);
    for (name, gradient) in names.iter().zip(gradients) {
        g.output(&format!("grad/{name}"), gradient);
    }
    let mut session = Session::new(&g.finish().unwrap()).unwrap();
    write(&mut session, "x", case.get("x"));
    write(&mut session, "dy", case.get("dy"));
    for (name, tensor) in case.under("state/") {
        session.write_state(name, &tensor.data).unwrap();
    }
    session.run().unwrap();

    let name = &case.name;
    close(&format!("{name}: y"), &session.read("y").unwrap(), case.get("y"));
    if let Some(dx) = case.find("dx") {
        close(&format!("{name}: dx"), &session.read("grad/x").unwrap(), dx);
    }
    let expected: Vec<_> = case.under("grad/").collect();
    assert_eq!(expected.len(), count, "{name}: parameters");
    for (parameter, gradient) in expected {
        let got = session.read(&format!("grad/{parameter}")).unwrap();
        close(&format!("{name}: d{parameter}"), &got, gradient);
    }
    for (state, after) in case.under("after/") {
        close(&format!("{name}: {state}"), &session.read_state(state).unwrap(), after);
    }
}

#[test]
fn every_layer_equals_pytorchs_forward_and_backward() {
    for case in cases("layers") {
        check(case);
    }
}

#[test]
fn attention_to_the_same_steps_is_self_attention() {
    let attention = MultiheadAttention::new(2);
    let y = |attend: bool| {
        let g = Builder::new();
        let x = g.batch("x", [5, 4, 3]).unwrap();
        let scope = Scope::predicting(&g);
        let y = match attend {
            true => attention.attend([x, x, x], None, &scope),
            false => attention.forward(x, &scope),
        };
        g.output("y", y.unwrap());
        let mut session = Session::new(&g.finish().unwrap()).unwrap();
        let content: Vec<f32> = (0..60).map(|i| (i as f32 * 0.37).sin()).collect();
        session.write("x", &content).unwrap();
        session.run().unwrap();
        session.read("y").unwrap()
    };
    for (a, b) in y(true).iter().zip(y(false)) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}
