//! Rolling errors are those of a cross-validation from every point of time.

use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{
    Columns, CrossValidation, ForecastError, Model, Panel, Scaler, Score, Transform,
};

/// Two series of other lengths and sizes.
fn panel() -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for (id, scale, length) in [("a", 1.0, 60), ("b", 50.0, 48)] {
        for t in 0..length {
            let value = t as f64 + [3.0, 9.0, 1.0, 5.0][t % 4] + (t * t % 7) as f64;
            csv += &format!("{id},{t},{}\n", scale * value);
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

#[test]
fn rolling_errors_are_those_of_a_cross_validation_with_steps_of_one() {
    let panel = panel();
    for local_scaler_type in [Transform::Identity, Transform::Difference(4), Transform::Log1p] {
        let model = Model {
            input_size: 6,
            max_steps: 30,
            windows_batch_size: 8,
            local_scaler_type,
            scaler_type: Scaler::Standard,
            ..Model::new(NLinear {}, 3)
        };
        let test_size = 12;
        let (past, _) = panel.hold_out(test_size);
        let errors = model.fit(&past).unwrap().rolling_errors(&panel, test_size).unwrap();
        assert_eq!(errors.windows, 20);
        let cv = CrossValidation { n_windows: 10, step_size: 1, ..CrossValidation::new(3) };
        let scores = cv.run(&[model.into()], &panel).unwrap().evaluate(None, None).unwrap();
        for (score, got) in [(Score::Mae, errors.mae), (Score::Mse, errors.mse)] {
            let want = scores.overall(score, "NLinear").unwrap();
            let close = (got - want).abs() <= 1e-4 * want;
            assert!(close, "{local_scaler_type:?} {score}: {got} {want}");
        }
    }
}

#[test]
fn a_part_shorter_than_the_horizon_is_refused() {
    let panel = panel();
    let model = Model { max_steps: 1, windows_batch_size: 4, ..Model::new(NLinear {}, 5) };
    let refused = model.fit(&panel).unwrap().rolling_errors(&panel, 4).unwrap_err();
    assert!(matches!(refused, ForecastError::Setting { name: "test size", .. }));
}
