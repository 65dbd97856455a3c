//! Features beside the values of a panel, and models that look at them.

use whimbrel_forecast::features::{Calendar, Features, Window};
use whimbrel_forecast::models::Mlp;
use whimbrel_forecast::{Columns, Model, Panel, Time, Transform};

/// Days of which the last two of each week are 1, of two series that begin on different days.
fn weekends() -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for (id, first) in [("a", 1), ("b", 4)] {
        for day in first..=91 {
            // 2024 began on a Monday.
            let (month, of_month) =
                [(1, 0), (2, 31), (3, 60)].into_iter().rev().find(|(_, past)| day > *past).unwrap();
            let weekend = u8::from((day - 1) % 7 >= 5);
            csv += &format!("{id},2024-{month:02}-{:02},{weekend}\n", day - of_month);
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

#[test]
fn steps_as_far_apart_as_numbers_go_are_counted() {
    let far = i64::MAX - 40;
    let series = [("a", 1, 200), ("b", far, 30)];
    let series = series.map(|(id, start, rows)| (id, Time::Integer(start), vec![1.0; rows]));
    let panel = Panel::from_series("1".parse().unwrap(), series).unwrap();
    let features: Features = "trend,fourier_12_2".parse().unwrap();
    for origin in [1, -5, far, i64::MAX, i64::MIN] {
        let columns = features.clone().counted_from(Time::Integer(origin)).compute(&panel).unwrap();
        assert!(columns.iter().flatten().all(|x| x.is_finite()), "{origin}");
    }
}

#[test]
fn columns_stand_beside_the_values_and_reach_ahead() {
    let features = Features::new().lags([1]).calendar([Calendar::DayOfWeek]).fourier(7.0, 1);
    let panel = features.add_to(&weekends(), 3).unwrap();
    assert_eq!(panel.hist_exog_list(), ["lag1"]);
    assert_eq!(panel.futr_exog_list(), ["dayofweek", "sin1_7", "cos1_7"]);
    for series in panel.series() {
        let rows = series.values().len();
        assert_eq!(series.historic(0).len(), rows);
        assert!(series.historic(0)[0].is_nan());
        assert_eq!(series.historic(0)[1..], series.values()[..rows - 1]);
        let days = series.future(0);
        assert_eq!(days.len(), rows + 3);
        for (value, day) in series.values().iter().zip(days) {
            assert_eq!(*value == 1.0, *day >= 5.0);
        }
        // Day 91 was a Sunday.
        assert_eq!(days[rows..], [0.0, 1.0, 2.0]);
    }
    let twice = features.add_to(&panel, 3).unwrap_err().to_string();
    assert_eq!(twice, "feature cos1_7: is a column of the panel already");
    assert!(Features::new().lags([2, 2]).add_to(&weekends(), 3).is_err());
}

#[test]
fn a_model_learns_from_dates_what_its_look_back_does_not_say() {
    let features = Features::new()
        .rolling_mean(Window::at_least(1, 3))
        .calendar([Calendar::DayOfWeek])
        .fourier(7.0, 2);
    let with = error(&features.add_to(&weekends(), 7).unwrap(), Transform::Identity);
    let without = error(&weekends(), Transform::Identity);
    assert!(with < 0.05 && without > 2.0 * with, "{with} {without}");
}

#[test]
fn columns_of_large_numbers_are_scaled_also_where_values_are_transformed_otherwise() {
    let fields = [Calendar::Year, Calendar::DayOfYear, Calendar::DayOfWeek];
    let panel = Features::new().calendar(fields).fourier(7.0, 2).add_to(&weekends(), 7).unwrap();
    for transform in [Transform::Standard, Transform::Log1p, Transform::Difference(7)] {
        let error = error(&panel, transform);
        assert!(error < 0.1, "{transform}: {error}");
    }
}

/// The mean error of a small network with a look-back of one day.
fn error(panel: &Panel, transform: Transform) -> f32 {
    let model = Model {
        local_scaler_type: transform,
        input_size: 1,
        max_steps: 400,
        windows_batch_size: 64,
        ..Model::new(Mlp { hidden_size: 32, ..Mlp::default() }, 7).with_exogenous_of(panel)
    };
    let forecast = model.fit(panel).unwrap().predict(panel).unwrap();
    let column = forecast.column("MLP").unwrap();
    // After a Sunday five days are 0, then two are 1.
    let want = |row: usize| f32::from(u8::from(row % 7 >= 5));
    let errors = column.iter().enumerate().map(|(row, x)| (x - want(row)).abs());
    errors.sum::<f32>() / column.len() as f32
}
