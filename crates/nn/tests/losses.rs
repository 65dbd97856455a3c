//! Every loss gives what PyTorch gives, forward and backward, with weights and masks.

mod golden;

use golden::{Case, cases, close, covered, every, write};
use whimbrel_engine::Session;
use whimbrel_graph::Builder;
use whimbrel_nn::losses::{Criterion, Loss, Target};

fn loss(case: &Case) -> Loss {
    serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn check(case: &Case) {
    let (name, loss) = (&case.name, loss(case));
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

#[test]
fn no_loss_is_without_a_case() {
    let losses = every! { Loss:
        Mse = "mse", Mae = "mae", Rmse = "rmse", Huber = "huber", LogCosh = "log_cosh", Mape = "mape",
        Smape = "smape", Mase = "mase", CrossEntropy = "cross_entropy_plain",
        BinaryCrossEntropy = "binary_cross_entropy", KlDivergence = "kl_divergence",
        Quantile = "quantile", MultiQuantile = "multi_quantile", Gaussian = "gaussian",
        StudentT = "student_t", Poisson = "poisson", NegativeBinomial = "negative_binomial",
    };
    let cases = cases("losses");
    for name in &losses.1 {
        // Each also with weights of the items, with a mask besides, and with a mask alone.
        for also in ["weighted", "masked", "mask_alone"] {
            let name = format!("{name}_{also}");
            assert!(cases.iter().any(|case| case.name == name), "golden/losses.py: no {name}");
        }
    }
    covered("losses", losses, loss);
}
