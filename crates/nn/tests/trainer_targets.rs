//! Targets that a loss makes no sense of are refused with their row, before anything is learned.

use whimbrel_nn::layers::{Linear, Sequential};
use whimbrel_nn::losses::{BinaryCrossEntropy, KlDivergence, Loss, Mse, NegativeBinomial, Poisson};
use whimbrel_nn::optimisers::{Optimiser, Sgd};
use whimbrel_nn::trainer::{Examples, Start, Targets, TrainError, Trainer};

/// Rows of two targets each; the fourth number is one of row 2.
fn start(loss: impl Into<Loss>, outputs: usize, fourth: f32) -> Result<(), TrainError> {
    let values = Targets::Values { width: 2, values: vec![0.0, 1.0, 0.5, fourth, 1.0, 0.0] };
    let examples = Examples::new(1, vec![0.0, 1.0, 2.0], values).unwrap();
    let network = Sequential::new().then(Linear::new(outputs));
    let trainer = Trainer::new(network, loss, Optimiser::new(Sgd::default()));
    trainer.start(&examples, Start::Fresh).map(|_| ())
}

#[test]
fn targets_outside_the_domain_of_a_loss_are_refused_with_their_row() {
    let refused = |started: Result<(), TrainError>, says: &str| {
        let error = started.unwrap_err();
        assert!(error.is_input());
        let message = error.to_string();
        assert!(
            message.starts_with("a target of row 2 is ") && message.contains(says),
            "{message}"
        );
    };
    let shares = BinaryCrossEntropy::default;
    refused(
        start(shares(), 2, 1.5),
        "is 1.5, but those of the loss binary_cross_entropy are from 0",
    );
    refused(start(shares(), 2, -0.1), "is -0.1, but");
    refused(
        start(Poisson::default(), 2, -1.0),
        "is -1, but those of the loss poisson are not below",
    );
    refused(
        start(NegativeBinomial::default(), 4, -2.0),
        "the loss negative_binomial are not below 0",
    );
    refused(
        start(KlDivergence::default(), 2, -0.5),
        "is -0.5, but those of the loss kl_divergence",
    );
}

#[test]
fn targets_at_the_edge_of_a_domain_are_taken() {
    for edge in [0.0, 1.0] {
        start(BinaryCrossEntropy::default(), 2, edge).unwrap();
    }
    start(Poisson::default(), 2, 0.0).unwrap();
    start(Poisson::default(), 2, 7.5).unwrap();
    start(KlDivergence { log_target: true }, 2, -0.5).unwrap();
    start(Mse, 2, -3.0).unwrap();
}
