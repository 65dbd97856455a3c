//! Models learn transformed series and forecast in the unit of the series.

use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{Columns, ForecastError, Model, Panel, Scaler, Transform};
use whimbrel_threads::Pool;

fn panel(value: impl Fn(usize) -> f64) -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for (id, scale) in [("large", 100.0), ("small", 0.01)] {
        for t in 0..96 {
            csv += &format!("{id},{t},{}\n", scale * value(t));
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

fn model(transform: Transform) -> Model {
    Model {
        local_scaler_type: transform,
        max_steps: 400,
        learning_rate: 0.01,
        windows_batch_size: 64,
        val_size: 6,
        ..Model::new(NLinear {}, 6)
    }
}

/// A season that grows along a line.
fn wave(t: usize) -> f64 {
    (3.0 + 0.02 * t as f64) * (2.0 + (t as f64 * std::f64::consts::TAU / 12.0).sin())
}

#[test]
fn forecasts_are_in_the_unit_of_the_series() {
    for transform in [
        Transform::Standard,
        Transform::QuantileNormal,
        Transform::QuantileUniform,
        Transform::Boxcox,
        Transform::Log1p,
        Transform::Difference(1),
        Transform::Difference(12),
    ] {
        let panel = panel(wave);
        let forecast = model(transform).fit(&panel).unwrap().predict(&panel).unwrap();
        assert_eq!(forecast.times()[0].to_string(), "96", "{transform}");
        let column = forecast.column("NLinear").unwrap();
        for (id, (rows, scale)) in column.chunks(6).zip([100.0, 0.01]).enumerate() {
            for (step, &got) in rows.iter().enumerate() {
                let want = scale * wave(96 + step);
                let far = (f64::from(got) - want).abs() / want;
                assert!(far < 0.25, "{transform}: series {id}: {got} is not about {want}");
            }
        }
    }
}

#[test]
fn windows_can_be_scaled_by_a_learned_map_and_by_a_compressing_one() {
    for scaler_type in [Scaler::Revin, Scaler::Invariant] {
        let panel = panel(wave);
        let model = Model { scaler_type, ..model(Transform::Identity) };
        let mut fitted = model.fit(&panel).unwrap();
        assert!(fitted.loss() < 0.5, "{scaler_type:?}: {}", fitted.loss());
        let parameters = 6 * 12 + 6 + if scaler_type == Scaler::Revin { 2 } else { 0 };
        assert_eq!(fitted.parameters(), parameters, "{scaler_type:?}");
        let forecast = fitted.predict(&panel).unwrap();
        for (row, &got) in forecast.column("NLinear").unwrap().iter().enumerate() {
            let want = [100.0, 0.01][row / 6] * wave(96 + row % 6);
            let far = (f64::from(got) - want).abs() / want;
            assert!(far < 0.25, "{scaler_type:?}: {got} is not about {want}");
        }
    }
}

#[test]
fn a_seasonal_difference_that_never_changes_goes_on_exactly() {
    // Each value is that of the season before and 8 more; the model sees only the 8.
    let value = |t: usize| [4.0, 9.0, 2.0, 7.0][t % 4] + 8.0 * (t / 4) as f64;
    let panel = panel(value);
    let model = Model { max_steps: 1, ..model(Transform::Difference(4)) };
    let forecast = model.fit(&panel).unwrap().predict(&panel).unwrap();
    let large = &forecast.column("NLinear").unwrap()[..6];
    for (step, &got) in large.iter().enumerate() {
        let want = 100.0 * value(96 + step) as f32;
        assert!((got - want).abs() < 1e-3 * want, "{got} {want}");
    }
}

#[test]
fn series_that_a_transform_cannot_take_are_named() {
    let message = |transform| match model(transform).fit(&panel(|t| t as f64 - 1.0)) {
        Err(error @ (ForecastError::Domain { .. } | ForecastError::TooFewRows { .. })) => {
            assert!(error.is_input());
            error.to_string()
        }
        other => panic!("{:?}", other.map(|_| "fitted")),
    };
    assert_eq!(
        message(Transform::Boxcox),
        "series \"large\", 0: boxcox needs values above 0, found -100; choose another transform or \
         shift the values"
    );
    assert_eq!(
        message(Transform::Difference(96)),
        "series \"large\" has 96 rows, difference of 96 needs 97; leave the series out or choose \
         another transform"
    );
    let none = model(Transform::Difference(0)).fit(&panel(wave)).err().unwrap().to_string();
    assert_eq!(none, "local scaler type difference of 0: a difference needs a lag of at least 1");
}

#[test]
fn a_panel_is_transformed_alike_into_a_column_by_any_team() {
    let mut csv = String::from("unique_id,ds,y\n");
    for (id, rows) in [("a", 70_000), ("b", 40), ("c", 5)] {
        for t in 0..rows {
            csv += &format!("{id},{t},{}\n", 1 + t * 7919 % 1009);
        }
    }
    let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
    for transform in [
        Transform::Standard,
        Transform::Robust,
        Transform::QuantileNormal,
        Transform::Boxcox,
        Transform::Difference(3),
    ] {
        let (transformed, maps) = transform.apply(&panel, 2).unwrap();
        for threads in [1, 2, 3] {
            let mut column = vec![0.0; panel.rows()];
            let pool = Pool::new(threads);
            assert_eq!(transform.apply_into(&panel, 2, &pool, &mut column).unwrap(), maps);
            let mut rest = &column[..];
            for ((series, map), before) in
                transformed.series().iter().zip(&maps).zip(panel.series())
            {
                let (rows, after) = rest.split_at(before.values().len());
                let (unknown, known) = rows.split_at(map.left_out());
                assert!(unknown.iter().all(|x| x.is_nan()));
                assert_eq!(known, series.values(), "{transform}");
                rest = after;
            }
        }
        assert!(transform.apply_into(&panel, 2, &Pool::new(1), &mut [0.0]).is_err());
    }
}
