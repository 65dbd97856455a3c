//! Exogenous columns: read, learned from, and refused where a model does not look at them.

use whimbrel_forecast::models::{Gru, Mlp, NLinear, Network};
use whimbrel_forecast::{ForecastError, Model, Panel, Reader, Scaler};

/// A series that follows from its price, which looks like noise.
fn panel(test: &str, known_ahead: usize) -> (Panel, Vec<f32>) {
    let price = |t: usize| (t * 7919 % 101) as f32 / 10.0;
    let mut csv = String::from("unique_id,ds,price,visits,y\n");
    for t in 0..200 {
        csv += &format!("a,{t},{},{},{}\n", price(t), t % 5, 3.0 * price(t) + 1.0);
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    let rows: String = (198..200 + known_ahead).map(|t| format!("a,{t},{}\n", price(t))).collect();
    std::fs::write(folder.join("future.csv"), format!("unique_id,ds,price\n{rows}")).unwrap();
    std::fs::write(folder.join("static.csv"), "unique_id,size\nb,1\na,2.5\n").unwrap();
    let reader = Reader {
        futr_exog_list: vec!["price".into()],
        hist_exog_list: vec!["visits".into()],
        ..Reader::default()
    };
    let mut panel = reader.read_bytes("t.csv", csv.as_bytes()).unwrap();
    reader.read_future(&mut panel, folder.join("future.csv")).unwrap();
    reader.read_static(&mut panel, folder.join("static.csv")).unwrap();
    (panel, (200..200 + known_ahead).map(|t| 3.0 * price(t) + 1.0).collect())
}

fn model(network: impl Into<Network>, panel: &Panel) -> Model {
    Model {
        input_size: 4,
        max_steps: 400,
        learning_rate: 3e-3,
        windows_batch_size: 64,
        scaler_type: Scaler::Standard,
        ..Model::new(network, 4)
    }
    .with_exogenous_of(panel)
}

fn error(forecast: &[f32], truth: &[f32]) -> f32 {
    forecast.iter().zip(truth).map(|(f, y)| (f - y).abs()).sum::<f32>() / truth.len() as f32
}

#[test]
fn a_column_known_ahead_makes_the_forecast_better() {
    let (panel, truth) = panel("better", 4);
    assert_eq!(panel.series()[0].future(0).len(), 204);
    assert_eq!((panel.series()[0].fixed(), panel.series()[0].historic(0).len()), (&[2.5][..], 200));
    let looking = model(Mlp { hidden_size: 64, ..Mlp::default() }, &panel);
    assert_eq!(looking.futr_exog_list, ["price"]);
    let blind = Model { futr_exog_list: Vec::new(), ..looking.clone() };
    let errors = [&looking, &blind].map(|model| {
        let forecast = model.fit(&panel).unwrap().predict(&panel).unwrap();
        error(forecast.column("MLP").unwrap(), &truth)
    });
    assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn recurrent_models_look_at_columns_too_and_threads_do_not_matter() {
    let (panel, _) = panel("recurrent", 4);
    let bits = |threads| {
        let model = Model {
            threads,
            max_steps: 5,
            ..model(Gru { encoder_hidden_size: 16, ..Gru::default() }, &panel)
        };
        let forecast = model.fit(&panel).unwrap().predict(&panel).unwrap();
        forecast.column("GRU").unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(3));
}

#[test]
fn rows_that_are_not_known_ahead_are_named() {
    let (panel, _) = panel("named", 1);
    let mut fitted =
        Model { max_steps: 1, ..model(Mlp { hidden_size: 8, ..Mlp::default() }, &panel) }
            .fit(&panel)
            .unwrap();
    let error = fitted.predict(&panel).unwrap_err().to_string();
    let says = "column \"price\" is not known ahead: series \"a\" at 201 to 203; add the rows";
    assert!(error.starts_with(says), "{error}");
    // What is held out is known ahead.
    let (past, _) = panel.hold_out(4);
    assert!(fitted.predict(&past).is_ok());
}

#[test]
fn models_that_look_at_no_columns_refuse_them() {
    let (panel, _) = panel("refused", 4);
    let plain = model(NLinear {}, &panel);
    assert!(plain.futr_exog_list.is_empty(), "it takes none");
    let model = Model { hist_exog_list: vec!["visits".into()], ..plain };
    let error = model.fit(&panel).err().unwrap();
    assert!(
        matches!(&error, ForecastError::TakesNoExogenous { model, .. } if model == "NLinear"),
        "{error}"
    );
    let model = Model { stat_exog_list: vec!["age".into()], ..Model::new(Mlp::default(), 2) };
    let error = model.fit(&panel).err().unwrap().to_string();
    assert_eq!(error, "stat_exog_list names \"age\", which the data do not have; they have size");
}
