//! Metrics give what their definitions give, in one batch or in many.

use whimbrel_nn::metrics::*;

const PREDICTIONS: [f32; 5] = [1.0, 2.0, 4.0, -1.0, 0.5];
const TARGETS: [f32; 5] = [2.0, 2.0, 1.0, 0.0, 1.0];

#[track_caller]
fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * (1.0 + want.abs()), "{got} instead of {want}");
}

/// The value after one batch, which must be that after batches of 2.
#[track_caller]
fn value<M: Metric + Clone>(metric: M) -> f64 {
    let (mut whole, mut parts) = (metric.clone(), metric);
    whole.add(&PREDICTIONS, &TARGETS);
    for (predictions, targets) in PREDICTIONS.chunks(2).zip(TARGETS.chunks(2)) {
        parts.add(predictions, targets);
    }
    assert_eq!(whole.value().to_bits(), parts.value().to_bits());
    whole.value()
}

#[test]
fn means_of_errors_follow_their_definitions() {
    let mean = |kind| value(MeanError::new(kind));
    close(mean(ErrorKind::Bias), 0.1);
    close(mean(ErrorKind::Mae), 1.1);
    close(mean(ErrorKind::Mse), (1.0 + 9.0 + 1.0 + 0.25) / 5.0);
    close(mean(ErrorKind::Rmse), 2.25f64.sqrt());
    close(mean(ErrorKind::Mape), (0.5 + 3.0 + 0.5) / 5.0);
    close(mean(ErrorKind::Smape), 2.0 * (1.0 / 3.0 + 3.0 / 5.0 + 1.0 + 1.0 / 3.0) / 5.0);
}

#[test]
fn errors_of_the_whole_follow_their_definitions() {
    close(value(WeightedError::default()), 5.5 / 6.0);
    close(value(MaxError::default()), 3.0);
    close(value(QuantileLoss::new(0.25)), (0.25 + 0.75 * 3.0 + 0.25 + 0.125) / 5.0);
    // The targets' mean is 1.2.
    let spread = 0.64 + 0.64 + 0.04 + 1.44 + 0.04;
    close(value(Determination::default()), 1.0 - 11.25 / spread);
    let together = [(-0.3, 0.8), (0.7, 0.8), (2.7, -0.2), (-2.3, -1.2), (-0.8, -0.2)];
    let product: f64 = together.iter().map(|(p, t)| p * t).sum();
    let square: f64 = together.iter().map(|(p, _)| p * p).sum();
    close(value(Correlation::default()), product / (square * spread).sqrt());
}

#[test]
fn a_metric_of_nothing_is_not_a_number() {
    assert!(MeanError::new(ErrorKind::Mae).value().is_nan());
    assert!(MaxError::default().value().is_nan());
    assert!(Determination::default().value().is_nan());
    assert!(Correlation::default().value().is_nan());
    assert!(Confusion::new(3).accuracy().is_nan());
}

#[test]
fn large_targets_do_not_hide_their_variance() {
    let targets: Vec<f32> = (0..100).map(|i| 1e6 + (i % 2) as f32).collect();
    let mut metric = Determination::default();
    metric.add(&targets, &targets);
    close(metric.value(), 1.0);
    let mut metric = Determination::default();
    metric.add(&[1e6 + 0.5; 100], &targets);
    close(metric.value(), 0.0);
}

#[test]
fn scaled_errors_compare_with_the_season_before() {
    let history = [1.0, 5.0, 2.0, 7.0];
    let mut mase = ScaledError::new(Scaling::Mase, 2);
    mase.add(&[3.0, 6.0], &[4.0, 8.0], &history);
    close(mase.value(), 1.0);
    let mut rmsse = ScaledError::new(Scaling::Rmsse, 2);
    rmsse.add(&[3.0, 6.0], &[4.0, 8.0], &history);
    close(rmsse.value(), 1.0);
    // A past that does not change, or is too short, says nothing.
    mase.add(&[3.0], &[4.0], &[2.0, 2.0, 2.0]);
    close(mase.value(), 0.5);
    let mut short = ScaledError::new(Scaling::Mase, 9);
    short.add(&[3.0], &[4.0], &history);
    close(short.value(), 0.0);
}

#[test]
fn intervals_are_judged_by_width_and_by_what_they_miss() {
    let (lower, upper, targets) = ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [1.0, 2.5, -1.0]);
    let mut coverage = Coverage::default();
    coverage.add(&lower, &upper, &targets);
    close(coverage.value(), 1.0 / 3.0);
    let mut score = IntervalScore::new(0.5);
    score.add(&lower, &upper, &targets);
    close(score.value(), (1.0 + 2.0 + 3.0 + 4.0 * 0.5 + 4.0 * 1.0) / 3.0);
}

#[test]
fn classes_are_counted_by_what_they_are_taken_for() {
    let mut confusion = Confusion::new(3);
    confusion.add(&[0, 1, 1, 2, 0, 7], &[0, 1, 2, 2, -1, 0]);
    close(confusion.accuracy(), 0.75);
    assert_eq!(confusion.count(2, 1), 1);
    close(confusion.precision_of(1), 0.5);
    close(confusion.recall_of(2), 0.5);
    close(confusion.f1_of(1), 2.0 / 3.0);
    close(confusion.precision(), 2.5 / 3.0);
    close(confusion.recall(), 2.5 / 3.0);
    close(confusion.f1(), (1.0 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0);
}

#[test]
fn probabilities_are_judged_item_by_item() {
    // Three classes, two items.
    let (probabilities, right) = ([0.5, 0.25, 0.25, 0.25, 0.25, 0.5], [0, 1]);
    let mut confusion = Confusion::new(3);
    confusion.add_scores(&probabilities, &right);
    close(confusion.accuracy(), 0.5);
    let mut log_loss = LogLoss::default();
    log_loss.add(&probabilities, &right);
    close(log_loss.value(), (2f64.ln() + 4f64.ln()) / 2.0);
    close(log_loss.perplexity(), 8f64.sqrt());
    let mut brier = Brier::default();
    brier.add(&probabilities, &right);
    close(brier.value(), (0.25 + 0.0625 + 0.0625 + 0.0625 + 0.5625 + 0.25) / 2.0);
    for (k, want) in [(1, 0.5), (2, 1.0)] {
        let mut top = TopKAccuracy::new(k);
        top.add(&probabilities, &right);
        close(top.value(), want);
    }
}

/// The inputs and the expected values of a family of `golden/metrics.json`.
struct Golden(serde_json::Value);

impl Golden {
    fn of(family: &str) -> Golden {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/metrics.json");
        let text = std::fs::read_to_string(path).unwrap();
        Golden(serde_json::from_str::<serde_json::Value>(&text).unwrap()[family].take())
    }

    fn input(&self, name: &str) -> Vec<f32> {
        let values = self.0["inputs"][name].as_array().unwrap();
        values.iter().map(|value| value.as_f64().unwrap() as f32).collect()
    }

    fn classes(&self) -> Vec<i32> {
        self.input("right").into_iter().map(|class| class as i32).collect()
    }

    #[track_caller]
    fn check(&self, name: &str, got: f64) {
        let want = self.0["expected"][name].as_f64().unwrap();
        let error = (got - want).abs() / want.abs().max(1e-6);
        assert!(error <= 1e-12, "{name}: {got} instead of {want} (error {error:.1e})");
    }
}

#[test]
fn metrics_of_numbers_equal_scikit_learns() {
    let golden = Golden::of("numbers");
    let (predictions, targets) = (golden.input("predictions"), golden.input("targets"));
    let check = |name: &str, metric: &mut dyn Metric| {
        metric.add(&predictions, &targets);
        golden.check(name, metric.value());
    };
    for (name, kind) in [
        ("bias", ErrorKind::Bias),
        ("mae", ErrorKind::Mae),
        ("mse", ErrorKind::Mse),
        ("rmse", ErrorKind::Rmse),
        ("mape", ErrorKind::Mape),
        ("smape", ErrorKind::Smape),
        ("msle", ErrorKind::Msle),
    ] {
        check(name, &mut MeanError::new(kind));
    }
    check("weighted_error", &mut WeightedError::default());
    check("max_error", &mut MaxError::default());
    check("quantile_loss", &mut QuantileLoss::new(0.2));
    check("determination", &mut Determination::default());
    check("correlation", &mut Correlation::default());
}

#[test]
fn metrics_of_series_and_intervals_equal_their_formulas() {
    let golden = Golden::of("series");
    for (name, scaling) in [("mase", Scaling::Mase), ("rmsse", Scaling::Rmsse)] {
        let mut metric = ScaledError::new(scaling, 4);
        let inputs = ["predictions", "targets", "history"].map(|name| golden.input(name));
        metric.add(&inputs[0], &inputs[1], &inputs[2]);
        golden.check(name, metric.value());
    }
    let golden = Golden::of("intervals");
    let inputs = ["lower", "upper", "targets"].map(|name| golden.input(name));
    let (mut coverage, mut score) = (Coverage::default(), IntervalScore::new(0.1));
    coverage.add(&inputs[0], &inputs[1], &inputs[2]);
    score.add(&inputs[0], &inputs[1], &inputs[2]);
    golden.check("coverage", coverage.value());
    golden.check("interval_score", score.value());
}

#[test]
fn metrics_of_classes_equal_scikit_learns() {
    let golden = Golden::of("classes");
    let (probabilities, right) = (golden.input("probabilities"), golden.classes());
    let mut confusion = Confusion::new(5);
    confusion.add_scores(&probabilities, &right);
    golden.check("accuracy", confusion.accuracy());
    golden.check("precision", confusion.precision());
    golden.check("recall", confusion.recall());
    golden.check("balanced_accuracy", confusion.recall());
    golden.check("f1", confusion.f1());
    let counts: Vec<u64> = (0..25).map(|at| confusion.count(at / 5, at % 5)).collect();
    assert_eq!(serde_json::json!(counts), golden.0["expected"]["confusion"]);
    let (mut log_loss, mut brier) = (LogLoss::default(), Brier::default());
    log_loss.add(&probabilities, &right);
    brier.add(&probabilities, &right);
    golden.check("log_loss", log_loss.value());
    golden.check("perplexity", log_loss.perplexity());
    golden.check("brier", brier.value());
    for k in [2, 3] {
        let mut top = TopKAccuracy::new(k);
        top.add(&probabilities, &right);
        golden.check(&format!("top_{k}_accuracy"), top.value());
    }
}
