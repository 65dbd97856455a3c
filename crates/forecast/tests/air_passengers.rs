//! The example, forecast for real: does the model learn, and is it reproducible?

use std::ops::ControlFlow;
use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{Baseline, Columns, Fitted, Model, Panel, Transform};

fn air_passengers() -> Panel {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/air_passengers.csv");
    Panel::read(file, &Columns::default(), None).unwrap()
}

fn mean_absolute_error(forecast: &[f32], truth: &[f32]) -> f32 {
    assert_eq!(forecast.len(), truth.len());
    let errors = forecast.iter().zip(truth).map(|(f, y)| (f - y).abs());
    errors.sum::<f32>() / truth.len() as f32
}

fn column(mut fitted: Fitted, panel: &Panel) -> Vec<f32> {
    fitted.predict(panel).unwrap().column("NLinear").unwrap().to_vec()
}

/// NLinear on scaled series, trained for seconds rather than minutes.
fn nlinear(horizon: usize) -> Model {
    Model {
        max_steps: 2000,
        learning_rate: 1e-3,
        num_lr_decays: 3,
        windows_batch_size: 32,
        local_scaler_type: Transform::Standard,
        ..Model::new(NLinear {}, horizon)
    }
}

#[test]
fn a_held_out_year_is_forecast_better_than_by_both_naive_rules() {
    let (past, held_out) = air_passengers().hold_out(12);
    let truth = held_out.concat();
    let learned = mean_absolute_error(&column(nlinear(12).fit(&past).unwrap(), &past), &truth);
    let rule = |rule| mean_absolute_error(&past.baseline(rule, 12), &truth);
    let (naive, seasonal) = (rule(Baseline::Naive), rule(Baseline::SeasonalNaive));
    assert!(learned < seasonal && seasonal < naive, "{learned} {seasonal} {naive}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let panel = air_passengers();
    let bits = |threads| {
        let model = Model { threads, max_steps: 300, ..nlinear(12) };
        column(model.fit(&panel).unwrap(), &panel).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let one = bits(1);
    for threads in [1, 2, 3, 8] {
        assert_eq!(bits(threads), one, "{threads} threads");
    }
}

#[test]
fn a_series_is_forecast_alike_alone_and_in_a_crowd() {
    let mut csv = String::from("unique_id,ds,y\n");
    for series in 0..70 {
        for t in 0..20 {
            csv += &format!("s{series:02},{t},{}\n", (series * 7 + t * t) % 23);
        }
    }
    let read = |csv: &str| Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
    let panel = read(&csv);
    let model = Model { max_steps: 20, ..nlinear(3) };
    let mut fitted = model.fit(&panel).unwrap();
    let together = fitted.predict(&panel).unwrap();
    assert_eq!(together.rows(), 70 * 3);
    for series in [0, 63, 64, 69] {
        let rows = csv.lines().filter(|line| line.starts_with(&format!("s{series:02},")));
        let alone = read(&format!("unique_id,ds,y\n{}\n", rows.collect::<Vec<_>>().join("\n")));
        let alone = fitted.predict(&alone).unwrap();
        let range = series * 3..series * 3 + 3;
        assert_eq!(alone.times(), &together.times()[range.clone()]);
        assert_eq!(alone.column("NLinear"), together.column("NLinear").map(|c| &c[range]));
    }
}

#[test]
fn a_straight_line_and_a_constant_are_continued() {
    let mut csv = String::from("unique_id,ds,y\n");
    for t in 0..60 {
        csv += &format!("flat,{t},5\nline,{t},{}\n", 10 * t);
    }
    let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
    let forecast = column(nlinear(3).fit(&panel).unwrap(), &panel);
    for (value, expected) in forecast.iter().zip([5.0, 5.0, 5.0, 600.0, 610.0, 620.0]) {
        assert!((value - expected).abs() < 0.05 * expected, "{forecast:?}");
    }
}

#[test]
fn progress_is_told_up_to_the_last_step() {
    let mut told = Vec::new();
    let model = Model { max_steps: 250, ..nlinear(12) };
    let fitted = model
        .fit_with(&air_passengers(), |progress| {
            told.push(progress);
            ControlFlow::Continue(())
        })
        .unwrap();
    let steps: Vec<_> = told.iter().map(|progress| (progress.step, progress.of)).collect();
    assert_eq!(steps, [(100, 250), (200, 250), (250, 250)]);
    assert_eq!(fitted.loss(), told[2].loss);
    assert!(told[2].loss < told[0].loss, "{told:?}");
}

#[test]
fn early_stopping_ends_with_the_weights_of_the_best_validation() {
    let panel = air_passengers();
    let patient = |patience| Model {
        learning_rate: 0.3,
        num_lr_decays: 0,
        val_size: 12,
        val_check_steps: 1,
        early_stop_patience_steps: Some(patience),
        max_steps: 200,
        ..nlinear(12)
    };
    let mut losses = Vec::new();
    let fitted = patient(5)
        .fit_with(&panel, |p| {
            losses.extend(p.validation);
            ControlFlow::Continue(())
        })
        .unwrap();
    let best = losses.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    assert_eq!(losses.len(), best + 1 + 5, "{losses:?}");
    // A training that ends at the best step has the same weights, so the same forecast.
    let short = Model { max_steps: best + 1, ..patient(200) }.fit(&panel).unwrap();
    assert_eq!(column(fitted, &panel), column(short, &panel));
}
