//! Every loss trains a model, and forecasts come out in the unit of the series.

use std::ops::ControlFlow;
use whimbrel_forecast::models::{Mlp, NLinear, Network};
use whimbrel_forecast::{
    Columns, ForecastError, Frame, Model, Panel, Progress, Scaler, Score, Transform,
    level_to_quantiles,
};
use whimbrel_nn::losses::{
    BinaryCrossEntropy, Gaussian, Huber, LogCosh, Loss, Mae, Mape, Mase, Mse, MultiQuantile,
    NegativeBinomial, Poisson, Quantile, Rmse, Smape, StudentT,
};

fn air_passengers() -> Panel {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/air_passengers.csv");
    Panel::read(file, &Columns::default(), None).unwrap()
}

fn nlinear(loss: impl Into<Loss>) -> Model {
    Model {
        loss: loss.into(),
        max_steps: 600,
        val_check_steps: 50,
        learning_rate: 2e-3,
        windows_batch_size: 64,
        local_scaler_type: Transform::Standard,
        ..Model::new(NLinear {}, 12)
    }
}

fn losses() -> Vec<Loss> {
    vec![
        Mae.into(),
        Mse.into(),
        Rmse.into(),
        Mape.into(),
        Smape.into(),
        Mase { seasonality: 12 }.into(),
        Huber::default().into(),
        LogCosh.into(),
        Quantile { q: 0.7 }.into(),
        MultiQuantile { quantiles: level_to_quantiles(&[80.0, 90.0]) }.into(),
        Gaussian::default().into(),
        StudentT::default().into(),
        Poisson::default().into(),
        NegativeBinomial::default().into(),
    ]
}

/// A held-out year with its forecast.
fn held_out(model: &Model) -> Frame {
    let panel = air_passengers();
    let (past, _) = panel.hold_out(12);
    model.fit(&past).unwrap().predict(&past).unwrap().with_actuals(&panel).unwrap()
}

#[test]
fn every_loss_becomes_smaller_and_forecasts_the_held_out_year() {
    for loss in losses() {
        let kind = loss.kind();
        let model = nlinear(loss);
        let mut told = Vec::new();
        let hear = |progress: Progress| {
            told.push(progress.loss);
            ControlFlow::Continue(())
        };
        model.fit_with(&air_passengers(), hear).unwrap();
        let (first, last) = (told[0], told[told.len() - 1]);
        assert!(last < first, "{kind}: {told:?}");
        let scores = held_out(&model).evaluate(None, None).unwrap();
        // Repeating the last value errs by 16 %.
        let error = scores.overall(Score::Mape, "NLinear").unwrap();
        assert!(error < 0.12, "{kind}: {error}");
    }
}

#[test]
fn distributions_and_quantiles_have_a_median_and_intervals_that_never_cross() {
    for loss in losses() {
        let model = Model { level: vec![50.0, 90.0], max_steps: 300, ..nlinear(loss.clone()) };
        let frame = held_out(&model);
        let names: Vec<String> = frame.columns().map(String::from).collect();
        let expected: &[&str] = match &loss {
            Loss::MultiQuantile(_) => &["-lo-90", "-lo-80", "-median", "-hi-80", "-hi-90"],
            Loss::Gaussian(_)
            | Loss::StudentT(_)
            | Loss::Poisson(_)
            | Loss::NegativeBinomial(_) => &["", "-median", "-lo-90", "-lo-50", "-hi-50", "-hi-90"],
            _ => &[""],
        };
        let expected: Vec<_> = expected.iter().map(|end| format!("NLinear{end}")).collect();
        assert_eq!(names[..names.len() - 1], expected, "{}", loss.kind());
        if expected.len() == 1 {
            continue;
        }
        let inner = if matches!(loss, Loss::MultiQuantile(_)) { "80" } else { "50" };
        let column = |end: &str| frame.column(&format!("NLinear-{end}")).unwrap();
        let ladder = ["lo-90", &format!("lo-{inner}"), "median", &format!("hi-{inner}"), "hi-90"]
            .map(column);
        for row in 0..frame.rows() {
            let steps: Vec<f32> = ladder.iter().map(|column| column[row]).collect();
            assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]), "{}: {steps:?}", loss.kind());
            assert!(steps[0] > 100.0 && steps[4] < 1000.0, "{}: {steps:?}", loss.kind());
        }
        let scores = frame.evaluate(None, None).unwrap();
        assert!(scores.overall(Score::ScaledCrps, "NLinear").unwrap() < 0.1, "{}", loss.kind());
    }
}

#[test]
fn relative_losses_are_relative_to_the_values_however_those_are_scaled() {
    // A loss of one step over values scaled to around 0 is that over the values as they are.
    let first = |loss: Loss, local_scaler_type, scaler_type| {
        let model = Model {
            max_steps: 1,
            learning_rate: 1e-12,
            local_scaler_type,
            scaler_type,
            ..nlinear(loss)
        };
        model.fit(&air_passengers()).unwrap().loss()
    };
    for loss in [Loss::from(Mape), Smape.into()] {
        // NLinear without weights yet forecasts about the last value, which errs by a share of some tenths.
        for (local, window) in [
            (Transform::Standard, Scaler::Identity),
            (Transform::Identity, Scaler::Standard),
            (Transform::Minmax, Scaler::Invariant),
        ] {
            let loss = first(loss.clone(), local, window);
            assert!((0.01..0.4).contains(&loss), "{local:?} {window:?} {loss}");
        }
    }
}

#[test]
fn quantiles_of_no_network_cross_even_where_nothing_was_learned() {
    let quantiles = vec![0.9, 0.1, 0.5, 0.3, 0.7];
    let names = ["lo-80", "lo-40", "median", "hi-40", "hi-80"];
    for name in Network::NAMES {
        let loss = MultiQuantile { quantiles: quantiles.clone() }.into();
        let network = Network::named(name).unwrap();
        // Outputs of first weights are in any order.
        let model = Model { loss, max_steps: 1, learning_rate: 1e-9, ..Model::new(network, 6) };
        let panel = air_passengers();
        let frame = model.fit(&panel).unwrap().predict(&panel).unwrap();
        let columns = names.map(|end| frame.column(&format!("{name}-{end}")).unwrap());
        for row in 0..frame.rows() {
            let steps = columns.map(|column| column[row]);
            assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {steps:?}");
        }
    }
}

#[test]
fn relative_losses_refuse_transforms_that_change_what_they_are_relative_to() {
    for local_scaler_type in [Transform::Boxcox, Transform::Difference(12)] {
        let model = Model { local_scaler_type, ..nlinear(Mape) };
        let error = model.fit(&air_passengers()).map(drop).unwrap_err().to_string();
        assert!(error.contains("changes what errors are relative to"), "{error}");
    }
}

#[test]
fn names_of_other_columns_are_no_aliases() {
    for alias in ["", "y", "cutoff", "Ensemble", "Naive", "a-lo-80", "a-median"] {
        let model = Model { alias: Some(alias.into()), ..nlinear(Mae) };
        let error = model.fit(&air_passengers()).map(drop).unwrap_err().to_string();
        assert!(error.contains("is the name of another column"), "{alias}: {error}");
    }
}

#[test]
fn quantiles_of_one_column_are_refused() {
    let quantiles = vec![0.1, 0.1, 0.5];
    let error = nlinear(MultiQuantile { quantiles }).fit(&air_passengers()).map(drop).unwrap_err();
    assert!(
        error.to_string().contains("NLinear-lo-80: quantiles and levels that differ"),
        "{error}"
    );
}

/// Noise of a known deviation, whose intervals are therefore known.
#[test]
fn a_learned_distribution_is_as_wide_as_the_noise() {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut csv = String::from("unique_id,ds,y\n");
    for t in 0..1500 {
        let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        csv += &format!("a,{t},{}\n", 1000.0 + 50.0 * normal);
    }
    let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
    for loss in [Loss::from(Gaussian::default()), StudentT::default().into()] {
        let network = Mlp { num_layers: 1, hidden_size: 8 };
        let model = Model {
            loss: loss.clone(),
            local_scaler_type: Transform::Standard,
            windows_batch_size: 128,
            ..Model::new(network, 2)
        };
        let frame = model.fit(&panel).unwrap().predict(&panel).unwrap();
        let width = frame.column("MLP-hi-90").unwrap()[0] - frame.column("MLP-lo-90").unwrap()[0];
        // Twice 1.645 deviations of 50.
        assert!((width / 164.5 - 1.0).abs() < 0.15, "{}: {width}", loss.kind());
        assert!((frame.column("MLP").unwrap()[0] - 1000.0).abs() < 30.0, "{}", loss.kind());
    }
}

#[test]
fn steps_without_weight_are_not_learned() {
    let panel = air_passengers();
    let first = |last: f32| {
        let mut weights = vec![0.0; 12];
        (weights[0], weights[11]) = (1.0, last);
        let model = Model { horizon_weight: Some(weights), max_steps: 50, ..nlinear(Mae) };
        model.fit(&panel).unwrap().predict(&panel).unwrap().column("NLinear").unwrap().to_vec()
    };
    let untrained = Model { max_steps: 1, learning_rate: 1e-30, ..nlinear(Mae) };
    let untrained = untrained.fit(&panel).unwrap().predict(&panel).unwrap();
    let untrained = untrained.column("NLinear").unwrap().to_vec();
    let (one, two) = (first(0.0), first(1.0));
    assert_eq!(one[1..], untrained[1..]);
    assert!(one[0] != untrained[0] && two[11] != untrained[11]);
}

#[test]
fn losses_that_cannot_be_are_refused() {
    let panel = air_passengers();
    let says = |model: Model| model.fit(&panel).map(drop).unwrap_err().to_string();
    let classes = says(nlinear(BinaryCrossEntropy::default()));
    assert!(classes.contains("loss binary_cross_entropy: tells classes apart"), "{classes}");
    let short = says(Model { horizon_weight: Some(vec![1.0]), ..nlinear(Mae) });
    assert!(short.contains("one number for each step"), "{short}");
    let level = says(Model { level: vec![100.0], ..nlinear(Gaussian::default()) });
    assert!(level.contains("level 100"), "{level}");
    let revin = says(Model { scaler_type: Scaler::Revin, ..nlinear(Gaussian::default()) });
    assert!(revin.contains("scaler type Revin: cannot be undone"), "{revin}");
    let bent = Model { local_scaler_type: Transform::Log1p, ..nlinear(Poisson::default()) };
    assert!(says(bent).contains("makes no counts"));
    let none = says(nlinear(MultiQuantile { quantiles: Vec::new() }));
    assert!(none.contains("quantiles none"), "{none}");
    let below = "unique_id,ds,y\na,1,3\na,2,-1\na,3,2\n";
    let below = Panel::from_csv("t", below.as_bytes(), &Columns::default(), None).unwrap();
    let error = nlinear(Poisson::default()).fit(&below).map(drop).unwrap_err();
    assert!(matches!(error, ForecastError::Negative { value: -1.0, .. }), "{error}");
}
