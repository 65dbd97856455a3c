//! Forecasts from points of the past know nothing of what came after.

use std::ops::ControlFlow;
use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{
    Baseline, Columns, CrossValidation, ForecastError, Forecaster, Model, Panel, Time, Transform,
};

/// Series of given lengths; from `at` on their values are larger by `more`.
fn panel(lengths: &[usize], at: usize, more: usize) -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for (series, &length) in lengths.iter().enumerate() {
        for t in 1..=length {
            let y = (7 * series + t * t) % 23 + if t >= at { more } else { 0 };
            csv += &format!("s{series},{t},{y}\n");
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

fn nlinear() -> Forecaster {
    let model = Model {
        max_steps: 30,
        learning_rate: 0.01,
        windows_batch_size: 32,
        local_scaler_type: Transform::Standard,
        ..Model::new(NLinear {}, 3)
    };
    model.into()
}

#[test]
fn every_window_of_every_series_has_its_rows_with_cutoff_and_right_value() {
    let panel = panel(&[40, 30], usize::MAX, 0);
    let cv = CrossValidation { n_windows: 2, step_size: 4, ..CrossValidation::new(3) };
    let frame = cv.run(&[nlinear(), Baseline::Naive.into()], &panel).unwrap();
    assert_eq!(frame.columns().collect::<Vec<_>>(), ["NLinear", "Naive", "y"]);
    assert_eq!(frame.models(), ["NLinear", "Naive"]);
    let expected = [("s0", 33), ("s0", 37), ("s1", 23), ("s1", 27)];
    let mut row = 0;
    for (id, cutoff) in expected {
        let series = panel.series().iter().find(|series| series.id() == id).unwrap();
        for step in 0..3 {
            assert_eq!(frame.id(row), id);
            assert_eq!(frame.cutoffs().unwrap()[row], Time::Integer(cutoff));
            assert_eq!(frame.times()[row], Time::Integer(cutoff + 1 + step));
            let at = |t: i64| series.values()[t as usize - 1];
            assert_eq!(frame.actual().unwrap()[row], at(cutoff + 1 + step));
            assert_eq!(frame.column("Naive").unwrap()[row], at(cutoff));
            row += 1;
        }
    }
    assert_eq!(frame.rows(), row);
    let mut csv = Vec::new();
    frame.write_csv(&mut csv).unwrap();
    assert!(csv.starts_with(b"unique_id,ds,cutoff,NLinear,Naive,y\ns0,34,33,"));
}

#[test]
fn what_comes_after_a_cutoff_does_not_enter_its_forecast() {
    let forecasts = |at: usize, refit: usize| {
        let cv = CrossValidation { n_windows: 2, step_size: 3, refit, horizon: 3 };
        let frame = cv.run(&[nlinear()], &panel(&[40], at, 100)).unwrap();
        let values = frame.column("NLinear").unwrap().to_vec();
        (values[..3].to_vec(), values[3..].to_vec())
    };
    // Cutoffs are 34 and 37.
    for refit in [0, 1] {
        let (first, second) = forecasts(usize::MAX, refit);
        let (first_later, second_later) = forecasts(35, refit);
        assert_eq!(first, first_later);
        assert_ne!(second, second_later);
        assert_eq!((first, second), forecasts(38, refit));
    }
    let (once, anew) = (forecasts(usize::MAX, 0), forecasts(usize::MAX, 1));
    assert_eq!(once.0, anew.0);
    assert_ne!(once.1, anew.1);
}

#[test]
fn models_are_learned_as_often_as_asked_for() {
    for (refit, expected) in [(0, vec![0]), (1, vec![0, 1, 2, 3]), (2, vec![0, 2])] {
        let cv = CrossValidation { n_windows: 4, step_size: 1, refit, horizon: 3 };
        let mut learned = Vec::new();
        let told = |_: &Forecaster, window, _| {
            learned.push(window);
            ControlFlow::Continue(())
        };
        cv.run_with(&[nlinear()], &panel(&[40], usize::MAX, 0), told).unwrap();
        assert_eq!(learned, expected, "refit {refit}");
    }
}

#[test]
fn short_series_are_left_out_of_early_windows_and_named_where_all_are_short() {
    let cv = CrossValidation { n_windows: 3, ..CrossValidation::new(2) };
    let frame = cv.run(&[Baseline::Naive.into()], &panel(&[20, 4], usize::MAX, 0)).unwrap();
    let of = |id: &str| frame.ids().filter(|known| *known == id).count();
    assert_eq!((of("s0"), of("s1")), (6, 2));
    let error = cv.run(&[Baseline::Naive.into()], &panel(&[6, 3], usize::MAX, 0)).unwrap_err();
    assert!(matches!(error, ForecastError::TooShort { needed: 7, rows: 6, .. }), "{error}");
    for broken in [
        CrossValidation { horizon: 0, ..cv },
        CrossValidation { n_windows: 0, ..cv },
        CrossValidation { step_size: usize::MAX, ..cv },
    ] {
        let error = broken.run(&[], &panel(&[9], usize::MAX, 0)).unwrap_err();
        assert!(matches!(error, ForecastError::Setting { .. }), "{error}");
    }
}

#[test]
fn beyond_the_learned_horizon_forecasts_are_forecast_from() {
    let panel = panel(&[40, 33], usize::MAX, 0);
    let mut fitted = nlinear().fit(&panel).unwrap();
    let far = fitted.predict(&panel, 8).unwrap();
    assert_eq!(far.rows(), 16);
    let near = fitted.predict(&panel, 3).unwrap();
    let short = fitted.predict(&panel, 2).unwrap();
    let of = |frame: &whimbrel_forecast::Frame, series: usize, horizon: usize| {
        frame.column("NLinear").unwrap()[series * horizon..(series + 1) * horizon].to_vec()
    };
    for series in 0..2 {
        let far = of(&far, series, 8);
        assert_eq!(far[..3], of(&near, series, 3));
        assert_eq!(far[..2], of(&short, series, 2));
        assert!(far.iter().all(|x| x.is_finite()));
    }
}
