//! The metrics a training is asked for: those of its loss, over all rows, as the library computes them.

mod trainings;

use trainings::folder;
use whimbrel_nn::layers::{Linear, Sequential};
use whimbrel_nn::losses::*;
use whimbrel_nn::metrics::*;
use whimbrel_nn::optimisers::{Optimiser, Sgd};
use whimbrel_nn::trainer::{
    Checkpoints, Examples, Length, Model, Scores, Start, Targets, TrainError, Trainer,
};

const ROWS: usize = 50;

fn inputs() -> Vec<f32> {
    (0..2 * ROWS).map(|i| (i * 37 % 19) as f32 / 9.0 - 1.0).collect()
}

fn trainer(test: &str, outputs: usize, loss: impl Into<Loss>) -> Trainer {
    let network = Sequential::new().then(Linear::new(outputs));
    let optimiser = Optimiser::new(Sgd { lr: 1e-3, ..Sgd::default() });
    let trainer = Trainer {
        length: Length::Epochs(2),
        // Batches that do not divide the rows.
        batch_size: 8,
        checkpoints: Some(Checkpoints { folder: folder(test), every: 1000, keep: 1 }),
        threads: 1,
        ..Trainer::new(network, loss, optimiser)
    };
    Trainer { metrics: MetricName::of_loss(&trainer.loss), ..trainer }
}

/// Trains; gives the scores over all rows, and the predictions `[output, row]`.
fn learn(trainer: &Trainer, targets: Targets) -> (Scores, Vec<f32>) {
    let examples = Examples::new(2, inputs(), targets).unwrap();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    while run.advance().unwrap().is_some() {}
    let weights = trainer.checkpoints.as_ref().unwrap().folder.join("weights.safetensors");
    let (scores, rows) = trainer.evaluate(&examples, &weights).unwrap();
    assert_eq!(rows, ROWS);
    let mut model = Model::load(trainer, 2, &weights).unwrap();
    let (by_row, outputs) = (model.predict(&inputs()).unwrap(), model.outputs());
    let column = |output: usize| by_row.iter().skip(output).step_by(outputs).copied();
    let names: Vec<MetricName> = scores.metrics.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, trainer.metrics, "all that were asked for, in that order");
    (scores, (0..outputs).flat_map(column).collect())
}

#[track_caller]
fn check(scores: &Scores, name: &str, want: f64) {
    let got = scores.get(name.parse().unwrap()).unwrap();
    assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{name}: {got} instead of {want}");
}

#[test]
fn numbers_are_judged_as_they_are_put_out() {
    let trainer = trainer("metrics_numbers", 1, Mse);
    let right: Vec<f32> = (0..ROWS).map(|i| (i % 7) as f32 + 0.5).collect();
    let (scores, predictions) =
        learn(&trainer, Targets::Values { width: 1, values: right.clone() });
    let of = |metric: &mut dyn Metric| {
        metric.add(&predictions, &right);
        metric.value()
    };
    check(&scores, "bias", of(&mut MeanError::new(ErrorKind::Bias)));
    check(&scores, "mse", of(&mut MeanError::new(ErrorKind::Mse)));
    check(&scores, "mse", scores.loss);
    check(&scores, "mape", of(&mut MeanError::new(ErrorKind::Mape)));
    check(&scores, "smape", of(&mut MeanError::new(ErrorKind::Smape)));
    check(&scores, "wape", of(&mut WeightedError::default()));
    check(&scores, "max_error", of(&mut MaxError::default()));
    check(&scores, "r2", of(&mut Determination::default()));
    check(&scores, "pearson", of(&mut Correlation::default()));
}

#[test]
fn classes_are_judged_by_their_scores_and_probabilities() {
    let trainer = trainer("metrics_classes", 4, CrossEntropy::default());
    let right: Vec<i32> = (0..ROWS as i32).map(|i| i * i % 4).collect();
    let (scores, logits) = learn(&trainer, Targets::Classes(right.clone()));
    let mut confusion = Confusion::new(4);
    confusion.add_scores(&logits, &right);
    check(&scores, "accuracy", confusion.accuracy());
    check(&scores, "balanced_accuracy", confusion.recall());
    check(&scores, "precision", confusion.precision());
    check(&scores, "f1", confusion.f1());
    check(&scores, "log_loss", scores.loss);
    check(&scores, "perplexity", scores.loss.exp());
    let mut top = TopKAccuracy::new(3);
    top.add(&logits, &right);
    check(&scores, "top_3_accuracy", top.value());
    check(&scores, "top_5_accuracy", 1.0);
    let brier = scores.get(MetricName::Brier).unwrap();
    assert!(brier > 0.0 && brier < 2.0, "{brier}");
}

#[test]
fn yes_and_no_are_judged_by_what_is_said_of_yes() {
    let trainer = Trainer {
        optimiser: Optimiser::new(Sgd { lr: 0.5, ..Sgd::default() }),
        ..trainer("metrics_decisions", 1, BinaryCrossEntropy::default())
    };
    // Yes where the first input is above 0, and every fifth row the other way round.
    let yes = |row: usize| (inputs()[2 * row] > 0.0) != row.is_multiple_of(5);
    let right: Vec<f32> = (0..ROWS).map(|row| f32::from(u8::from(yes(row)))).collect();
    let (scores, logits) = learn(&trainer, Targets::Values { width: 1, values: right.clone() });
    let count = |said: bool, is: bool| {
        let pairs = logits.iter().zip(&right);
        pairs.filter(|(logit, right)| (**logit > 0.0) == said && (**right > 0.5) == is).count()
            as f64
    };
    let (hits, false_alarms, misses) = (count(true, true), count(true, false), count(false, true));
    assert!(hits > 0.0 && false_alarms > 0.0 && misses > 0.0, "the case says nothing");
    check(&scores, "accuracy", (hits + count(false, false)) / ROWS as f64);
    check(&scores, "precision", hits / (hits + false_alarms));
    check(&scores, "recall", hits / (hits + misses));
    check(&scores, "f1", 2.0 * hits / (2.0 * hits + false_alarms + misses));
    check(&scores, "log_loss", scores.loss);
    let distance = |(logit, right): (&f32, &f32)| {
        (1.0 / (1.0 + (-f64::from(*logit)).exp()) - f64::from(*right)).powi(2)
    };
    let brier: f64 = logits.iter().zip(&right).map(distance).sum();
    check(&scores, "brier", brier / ROWS as f64);
}

#[test]
fn quantiles_are_judged_by_the_outermost() {
    // Two targets a row; the lowest quantile comes second.
    let loss = MultiQuantile { quantiles: vec![0.5, 0.1, 0.9] };
    let trainer = trainer("metrics_quantiles", 6, loss);
    let values: Vec<f32> = (0..2 * ROWS).map(|i| (i % 5) as f32 / 2.0 - 1.0).collect();
    let (scores, predictions) =
        learn(&trainer, Targets::Values { width: 2, values: values.clone() });
    let right: Vec<f32> =
        (0..2).flat_map(|at| values.iter().skip(at).step_by(2)).copied().collect();
    let (lower, upper) = (&predictions[2 * ROWS..4 * ROWS], &predictions[4 * ROWS..]);
    let (mut coverage, mut interval) = (Coverage::default(), IntervalScore::new(0.2));
    coverage.add(lower, upper, &right);
    interval.add(lower, upper, &right);
    check(&scores, "coverage", coverage.value());
    check(&scores, "interval_score", interval.value());
}

#[test]
fn a_quantile_is_judged_at_its_own_share() {
    let trainer = trainer("metrics_quantile", 1, Quantile { q: 0.75 });
    let values = (0..ROWS).map(|i| (i % 7) as f32).collect();
    let (scores, _) = learn(&trainer, Targets::Values { width: 1, values });
    check(&scores, "quantile_loss", scores.loss);
}

#[test]
fn validations_are_logged_by_the_names_of_metrics() {
    let trainer = Trainer { validation: 0.2, ..trainer("metrics_log", 1, Mse) };
    let trainer = Trainer { metrics: vec![MetricName::R2, MetricName::Mape], ..trainer };
    learn(&trainer, Targets::Values { width: 1, values: vec![1.0; ROWS] });
    let folder = &trainer.checkpoints.as_ref().unwrap().folder;
    let log = std::fs::read_to_string(folder.join("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
    for line in log.lines() {
        let validation = line.split("\"validation\":").nth(1).unwrap();
        let keys: Vec<&str> = validation.split('"').skip(1).step_by(2).collect();
        assert_eq!(keys, ["loss", "r2", "mape"], "{line}");
    }
}

#[test]
fn metrics_of_another_kind_of_prediction_are_refused_with_those_that_fit() {
    let refused = |loss: Loss, metrics: &[MetricName], says: &str| {
        let trainer = Trainer { metrics: metrics.to_vec(), ..trainer("metrics_refused", 2, loss) };
        let error = trainer.check().unwrap_err();
        assert!(matches!(error, TrainError::Setting { field: "metrics", .. }), "{error}");
        assert!(error.to_string().starts_with(says), "{error}");
    };
    refused(Mse.into(), &[MetricName::F1], "metrics is f1: the metrics of the loss mse are bias, ");
    refused(
        CrossEntropy::default().into(),
        &[MetricName::F1, MetricName::Mae],
        "metrics is mae: the metrics of the loss cross_entropy are accuracy, ",
    );
    refused(
        Gaussian::default().into(),
        &[MetricName::Mae],
        "metrics is mae: the loss gaussian has no metrics; remove it",
    );
    refused(
        Mae.into(),
        &[MetricName::R2, MetricName::R2],
        "metrics is r2: is named twice; remove one",
    );
}

#[test]
fn every_metric_judges_what_some_loss_predicts() {
    let losses: [Loss; 5] = [
        Mse.into(),
        Quantile::default().into(),
        MultiQuantile::default().into(),
        CrossEntropy::default().into(),
        BinaryCrossEntropy::default().into(),
    ];
    for name in MetricName::ALL {
        assert!(losses.iter().any(|loss| MetricName::of_loss(loss).contains(name)), "{name}");
        assert_eq!(name.name().parse(), Ok(*name));
    }
}
