//! Windows count as much as a column of the panel says.

use whimbrel_forecast::models::Mlp;
use whimbrel_forecast::{ForecastError, Model, Panel, Reader, Scaler, Transform};

/// Two series with a column of weights; `b` has values `of_b`.
fn panel(weight: impl Fn(&str, usize) -> f32, of_b: impl Fn(usize) -> f32) -> Panel {
    let mut csv = String::from("unique_id,ds,y,trust\n");
    for t in 0..60 {
        let y = t as f32 + [3.0, 9.0, 1.0, 5.0][t % 4];
        csv += &format!("a,{t},{y},{}\nb,{t},{},{}\n", weight("a", t), of_b(t), weight("b", t));
    }
    let reader = Reader { hist_exog_list: vec!["trust".into()], ..Reader::default() };
    reader.read_bytes("t", csv.as_bytes()).unwrap()
}

/// What is forecast for series `a`.
fn forecast(panel: &Panel, model: Model) -> Vec<f32> {
    let model = Model {
        max_steps: 25,
        windows_batch_size: 16,
        scaler_type: Scaler::Standard,
        ..model.with_exogenous_of(panel)
    };
    assert_eq!(model.hist_exog_list.len(), usize::from(model.sample_weight.is_none()));
    model.fit(panel).unwrap().predict(panel).unwrap().column("MLP").unwrap()[..4].to_vec()
}

fn weighted() -> Model {
    let network = Mlp { hidden_size: 16, ..Mlp::default() };
    Model { sample_weight: Some("trust".into()), ..Model::new(network, 4) }
}

#[test]
fn windows_without_weight_teach_nothing() {
    let only_a = |id: &str, _| if id == "a" { 1.0 } else { 0.0 };
    let model = || Model { local_scaler_type: Transform::Difference(1), ..weighted() };
    let rising = forecast(&panel(only_a, |t| (t * t) as f32), model());
    let turning = forecast(&panel(only_a, |t| ((t % 3) * 100) as f32), model());
    assert_eq!(rising, turning);
    let both = forecast(&panel(|_, _| 1.0, |t| ((t % 3) * 100) as f32), model());
    assert_ne!(rising, both);
}

#[test]
fn only_the_ratio_of_weights_matters() {
    let of_b = |t: usize| ((t % 3) * 100) as f32;
    let weight = |id: &str, t: usize| if id == "a" { 1.0 } else { (t % 5) as f32 };
    let once = forecast(&panel(weight, of_b), weighted());
    let twice = forecast(&panel(|id, t| 2.0 * weight(id, t), of_b), weighted());
    assert_eq!(once, twice);
    let even = forecast(&panel(|_, _| 1.0, of_b), weighted());
    assert_ne!(once, even);
}

#[test]
fn weights_that_are_all_zero_are_refused_before_learning() {
    let error = weighted().fit(&panel(|_, _| 0.0, |t| t as f32)).err().unwrap().to_string();
    assert!(error.contains("sample weight of column \"trust\": has no number above 0"), "{error}");
}

#[test]
fn weights_that_are_missing_or_negative_are_named() {
    let model = weighted();
    let negative = panel(|_, t| if t == 7 { -1.0 } else { 1.0 }, |t| t as f32);
    let error = model.fit(&negative).err().unwrap();
    let said = error.to_string();
    assert!(said.contains("sample weight -1 of column \"trust\", series \"a\""), "{said}");
    let model = Model { sample_weight: Some("truth".into()), ..model };
    let error = model.fit(&negative).err().unwrap();
    assert!(matches!(error, ForecastError::NoExogenous { ref column, .. } if column == "truth"));
}
