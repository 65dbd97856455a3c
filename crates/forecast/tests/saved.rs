//! A saved model forecasts as before; files that are none are refused.

use safetensors::SafeTensors;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use whimbrel_forecast::models::{Lstm, Mlp, NHits, NLinear, Network};
use whimbrel_forecast::{
    Baseline, Columns, Conformal, CrossValidation, Fitted, FittedForecast, ForecastError,
    Forecaster, Frame, Method, Model, NeuralForecast, Panel, Progress, Rule, Scaler, Transform,
};
use whimbrel_nn::losses::{Gaussian, StudentT};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/saved_v1.safetensors");

/// Two series that repeat themselves, of different sizes.
fn panel() -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for t in 0..40 {
        csv += &format!("a,{t},{}\nb,{t},{}\n", t % 4, 100 + 10 * ((t + 1) % 4));
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

fn model(network: impl Into<Network>) -> Model {
    Model {
        max_steps: 20,
        windows_batch_size: 8,
        learning_rate: 0.01,
        local_scaler_type: Transform::Standard,
        ..Model::new(network, 3)
    }
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn says(path: impl AsRef<Path>) -> String {
    let error = Fitted::load(path, 1).map(drop).unwrap_err();
    assert!(error.is_input(), "{error}");
    error.to_string()
}

fn values(frame: &Frame) -> Vec<Vec<f32>> {
    frame.columns().map(|name| frame.column(name).unwrap().to_vec()).collect()
}

#[test]
fn a_loaded_model_forecasts_to_the_bit_what_the_saved_one_did() {
    let panel = panel();
    let small = NHits { mlp_units: vec![[16, 16]; 3], ..NHits::default() };
    let distribution = Model {
        loss: StudentT::default().into(),
        scaler_type: Scaler::Robust,
        level: vec![70.0],
        ..model(Mlp { num_layers: 1, hidden_size: 8 })
    };
    let named = Model { alias: Some("mine".into()), ..model(NLinear {}) };
    for (number, model) in
        [named, distribution, model(small), model(Lstm::default())].into_iter().enumerate()
    {
        let path = file(&format!("same{number}.safetensors"));
        let mut fitted = model.fit(&panel).unwrap();
        fitted.save(&path, panel.frequency()).unwrap();
        for series in [1, 2, 1000] {
            let (mut loaded, frequency) = Fitted::load(&path, series).unwrap();
            assert_eq!((loaded.model(), frequency.as_str()), (fitted.model(), "1"));
            assert_eq!(loaded.windows(), fitted.windows());
            assert_eq!(loaded.parameters(), fitted.parameters());
            let (before, after) =
                (fitted.predict(&panel).unwrap(), loaded.predict(&panel).unwrap());
            assert_eq!(values(&before), values(&after), "{}", model.name());
        }
    }
}

#[test]
fn the_errors_of_a_cross_validation_are_saved_too() {
    let (panel, path) = (panel(), file("conformal.safetensors"));
    let cv = CrossValidation { n_windows: 3, ..CrossValidation::new(3) };
    let run = cv.run(&[model(NLinear {}).into()], &panel).unwrap();
    let conformal = Conformal::of(&run, Method::default()).unwrap();
    let mut fitted = model(NLinear {}).fit(&panel).unwrap().with_conformal(Some(conformal));
    fitted.save(&path, panel.frequency()).unwrap();
    let (loaded, _) = Fitted::load(&path, 2).unwrap();
    let forecast = fitted.predict(&panel).unwrap();
    let edges = |fitted: &Fitted| {
        values(&fitted.conformal().unwrap().intervals(forecast.clone(), &[80.0]).unwrap())
    };
    assert_eq!(edges(&fitted), edges(&loaded));
}

#[test]
fn files_that_hold_no_usable_model_are_refused() {
    let path = file("whole.safetensors");
    model(NLinear {}).fit(&panel()).unwrap().save(&path, panel().frequency()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 7, 100, whole.len() - 1] {
        let cut = file("cut.safetensors");
        std::fs::write(&cut, &whole[..length]).unwrap();
        let message = says(&cut);
        assert!(message.contains("cut.safetensors: not a usable safetensors file"), "{message}");
    }
    let changed = |from: &str, to: &str, name: &str| {
        let at = whole.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
        let mut bytes = whole.clone();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        let path = file(name);
        std::fs::write(&path, bytes).unwrap();
        says(path)
    };
    let later = changed("version\\\":2", "version\\\":9", "later.safetensors");
    assert!(later.contains("has version 9 of the format, this program knows 1 to 2"), "{later}");
    let other = changed("\\\"input_size\\\":6", "\\\"input_size\\\":7", "shapes.safetensors");
    assert!(other.contains("\"linear.weight\""), "{other}");
    let unknown = changed("\\\"max_steps\\\"", "\\\"mox_steps\\\"", "unknown.safetensors");
    assert!(unknown.contains("its settings cannot be read: unknown field"), "{unknown}");
    let zero = changed("\\\"horizon\\\":3", "\\\"horizon\\\":0", "zero.safetensors");
    assert!(zero.contains("horizon 0: must be at least 1"), "{zero}");
    let foreign = says(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/models.safetensors"));
    assert!(foreign.contains("is not a saved model"), "{foreign}");
    assert!(says(file("nowhere.safetensors")).contains("nowhere.safetensors"));
}

/// The fixture with other settings of the model.
fn with_settings(name: &str, change: impl FnOnce(&mut serde_json::Value)) -> PathBuf {
    let bytes = std::fs::read(FIXTURE).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let mut metadata = header.metadata().clone().unwrap();
    let entry = metadata.get_mut("whimbrel.forecaster").unwrap();
    let mut record: serde_json::Value = serde_json::from_str(entry).unwrap();
    change(&mut record["model"]);
    *entry = record.to_string();
    let path = file(name);
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    safetensors::serialize_to_file(tensors.tensors(), Some(metadata), &path).unwrap();
    path
}

#[test]
fn outputs_of_another_order_are_not_misread() {
    let loss = json!({ "type": "student_t", "eps": 0.1 });
    let message = says(with_settings("student_v1.safetensors", |model| model["loss"] = loss));
    assert!(
        message.contains("Student's t") && message.contains("learn the model anew"),
        "{message}"
    );
}

#[test]
fn sizes_that_settings_only_declare_take_no_memory() {
    for size in [1u64 << 20, 1 << 28, 1 << 40, u64::MAX] {
        let network = json!({ "type": "MLP", "num_layers": 2, "hidden_size": size });
        let path = with_settings("size.safetensors", |model| model["network"] = network);
        let message = says(&path);
        assert!(message.contains("size.safetensors") || message.contains("large"), "{message}");
        for field in ["horizon", "input_size"] {
            let path = with_settings("size.safetensors", |model| model[field] = size.into());
            says(&path);
        }
        let blocks = json!({ "type": "NHITS", "mlp_units": [[size, size]], "n_blocks": [size] });
        says(with_settings("size.safetensors", |model| model["network"] = blocks));
        for network in [
            json!({ "type": "LSTM", "encoder_hidden_size": size }),
            json!({ "type": "LSTM", "encoder_n_layers": size }),
            json!({ "type": "TCN", "context_size": size, "dilations": [size] }),
            json!({ "type": "NBEATS", "n_harmonics": size, "n_polynomials": size }),
            json!({ "type": "MLP", "num_layers": size, "hidden_size": 1 }),
            json!({ "type": "DLinear", "moving_avg_window": size }),
        ] {
            says(with_settings("size.safetensors", |model| model["network"] = network));
        }
    }
}

#[test]
fn learning_goes_on_from_a_saved_model() {
    let (panel, path) = (panel(), file("warm.safetensors"));
    let first_loss = |start: Option<&Fitted>| {
        let (model, mut told) = (Model { val_check_steps: 1, ..model(NLinear {}) }, Vec::new());
        let hear = |how: Progress| {
            told.push(how.loss);
            ControlFlow::Continue(())
        };
        match start {
            Some(start) => model.fit_from(start, &panel, hear).map(drop),
            None => model.fit_with(&panel, hear).map(drop),
        }
        .unwrap();
        told[0]
    };
    let long = Model { max_steps: 400, ..model(NLinear {}) };
    long.fit(&panel).unwrap().save(&path, panel.frequency()).unwrap();
    let (loaded, _) = Fitted::load(&path, 1).unwrap();
    assert!(first_loss(Some(&loaded)) < 0.5 * first_loss(None));
    for other in [Model { input_size: 9, ..model(NLinear {}) }, model(Mlp::default())] {
        let error =
            other.fit_from(&loaded, &panel, |_| ControlFlow::Continue(())).map(drop).unwrap_err();
        assert!(matches!(error, ForecastError::OtherNetwork { .. }), "{error}");
    }
}

#[test]
fn what_learned_is_saved_in_a_folder_with_rules_and_intervals() {
    let (panel, folder) = (panel(), file("folder"));
    let models = |alias: &str| -> Vec<Forecaster> {
        vec![
            model(NLinear {}).into(),
            Baseline::Naive.into(),
            Model { alias: Some(alias.into()), ..model(NLinear {}) }.into(),
        ]
    };
    let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(3) };
    // What an earlier save leaves in the folder belongs to no later one.
    let one = NeuralForecast::new([model(Mlp::default()), model(NLinear {})], panel.frequency());
    one.fit(&panel).unwrap().save(&folder).unwrap();
    let all = NeuralForecast::new(models("my/model"), panel.frequency()).with_intervals(cv);
    let mut fitted = all.fit(&panel).unwrap();
    let before = fitted.predict_level(&[80.0]).unwrap();
    fitted.save(&folder).unwrap();
    let mut loaded = FittedForecast::load(&folder, panel.frequency()).unwrap();
    assert!(matches!(loaded.predict(), Err(ForecastError::NoPanel)));
    let after = loaded.predict_panel(&panel, 3, &[80.0]).unwrap();
    assert_eq!(before.models(), ["NLinear", "Naive", "my/model"]);
    let names: Vec<&str> = before.columns().collect();
    assert!(names.contains(&"my/model-hi-80") && names.contains(&"Naive-lo-80"), "{names:?}");
    assert_eq!(before, after);
    let error = FittedForecast::load(&folder, "7".parse().unwrap()).map(drop);
    assert!(matches!(error, Err(ForecastError::OtherFrequency { .. })));
    let error = NeuralForecast::new([model(NLinear {})], "D".parse().unwrap()).fit(&panel);
    assert!(matches!(error.map(drop), Err(ForecastError::OtherFrequency { .. })));
}

#[test]
fn the_window_of_an_average_is_saved_too() {
    let (panel, folder) = (panel(), file("average"));
    let average = |size| Rule { window_size: Some(size), ..Baseline::WindowAverage.into() };
    let mut fitted = NeuralForecast::new([average(3)], panel.frequency()).fit(&panel).unwrap();
    let before = fitted.predict().unwrap();
    // Series a ends with 1, 2, 3.
    assert_eq!(before.column("WindowAverage").unwrap()[0], 2.0);
    fitted.save(&folder).unwrap();
    let mut loaded = FittedForecast::load(&folder, panel.frequency()).unwrap();
    let after = loaded.predict_panel(&panel, before.rows() / 2, &[]).unwrap();
    assert_eq!(before, after);
    let error = NeuralForecast::new([average(0)], panel.frequency()).fit(&panel).map(drop);
    assert!(error.unwrap_err().to_string().contains("window size 0: must be at least 1"));
}

#[test]
fn a_folder_that_holds_no_forecasters_is_named() {
    let folder = file("nothing");
    std::fs::create_dir_all(&folder).unwrap();
    let _ = std::fs::remove_file(folder.join("forecasters.json"));
    let load =
        || FittedForecast::load(&folder, panel().frequency()).map(drop).unwrap_err().to_string();
    assert!(load().contains("forecasters.json: "), "{}", load());
    for (text, what) in [
        ("{", "EOF"),
        (r#"{"version":2,"frequency":"1","forecasters":[]}"#, "has version 2"),
        (r#"{"version":1,"frequency":"1","forecasters":[{"rule":{"name":"X"}}]}"#, "no rule X"),
        (r#"{"version":1,"frequency":"1","forecasters":[{"model":"../up"}]}"#, "nothing/up"),
    ] {
        std::fs::write(folder.join("forecasters.json"), text).unwrap();
        assert!(load().contains(what), "{text}: {}", load());
    }
}

#[test]
fn intervals_that_nobody_learned_are_an_error() {
    let panel = panel();
    let mut fitted =
        NeuralForecast::new([model(NLinear {})], panel.frequency()).fit(&panel).unwrap();
    let error = fitted.predict_level(&[90.0]).unwrap_err().to_string();
    assert!(
        error.contains("NLinear has no intervals of 90 %: fit it with `with_intervals`"),
        "{error}"
    );
    let normal = Model { loss: Gaussian::default().into(), ..model(NLinear {}) };
    let mut fitted = NeuralForecast::new([normal], panel.frequency()).fit(&panel).unwrap();
    let frame = fitted.predict_level(&[55.0]).unwrap();
    assert!(frame.column("NLinear-lo-55").is_some() && frame.column("NLinear-lo-80").is_none());
    let usual = fitted.predict().unwrap();
    assert!(usual.column("NLinear-lo-55").is_none() && usual.column("NLinear-lo-80").is_some());
    let error = fitted.predict_level(&[33.333]).unwrap_err().to_string();
    assert!(error.contains("level 33.333: must be") && error.contains("two decimals"), "{error}");
}

#[test]
fn files_of_version_1_stay_readable() {
    let (mut loaded, frequency) = Fitted::load(FIXTURE, 2).unwrap();
    assert_eq!((loaded.model().name(), frequency.as_str()), ("NLinear", "1"));
    let forecast = loaded.predict(&panel()).unwrap();
    for (made, expected) in forecast.column("NLinear").unwrap().iter().zip(EXPECTED) {
        assert!((made - expected).abs() < 1e-3 * expected.abs().max(1.0), "{made} {expected}");
    }
}

/// What the fixture forecast when it was written, by `examples/write_saved_v1.rs`.
const EXPECTED: [f32; 6] =
    [0.016_630_888, 1.027_843, 1.985_097, 109.892_43, 119.874_01, 129.965_79];
