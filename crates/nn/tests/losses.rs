//! Every loss gives what PyTorch gives, forward and backward, with weights and masks.

mod golden;

use golden::{Case, cases, close, write};
use whimbrel_engine::Session;
use whimbrel_graph::Builder;
use whimbrel_nn::losses::{Criterion, Loss, Target};

fn check(case: &Case) {
    let name = &case.name;
    let loss: Loss =
        serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let g = Builder::new();
    let input = |what: &str| case.find(what).map(|tensor| g.batch(what, tensor.ty).unwrap());
    let prediction = input("prediction").unwrap();
    let target = Target {
        values: input("target").unwrap(),
        weight: input("weight"),
        mask: input("mask"),
        history: input("history"),
    };
    let value = loss.loss(prediction, target).unwrap_or_else(|e| panic!("{name}: {e}"));
    g.output("gradient", g.gradients(value, &[prediction]).unwrap()[0]);
    g.output("loss", value);
    let mut session = Session::new(&g.finish().unwrap()).unwrap();
    for what in ["prediction", "target", "weight", "mask", "history"] {
        if let Some(tensor) = case.find(what) {
            write(&mut session, what, tensor);
        }
    }
    session.run().unwrap();
    for what in ["loss", "gradient"] {
        close(&format!("{name}: {what}"), &session.read(what).unwrap(), case.get(what));
    }
}

#[test]
fn every_loss_equals_pytorchs_forward_and_backward() {
    for case in cases("losses") {
        check(&case);
    }
}
