//! Whole trainings have the losses that NeuralForecast's have, from the same weights over the same windows.

#[path = "../../nn/tests/golden/mod.rs"]
mod golden;

use golden::{Case, cases};
use safetensors::SafeTensors;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use whimbrel_forecast::models::Network;
use whimbrel_forecast::{Fitted, Model, Panel, Reader};

const INPUT_SIZE: usize = 8;
const HORIZON: usize = 4;
/// How far a loss may be off after several steps, relatively.
const ALLOWED: f32 = 1e-4;

/// The series of a case and how much their values count.
fn panel(case: &Case) -> Panel {
    let (y, weight) = (case.get("y"), case.get("weight"));
    let length = y.ty.shape[1];
    let mut csv = String::from("unique_id,ds,y,trust\n");
    for (at, (y, weight)) in y.data.iter().zip(&weight.data).enumerate() {
        csv += &format!("{},{},{y},{weight}\n", ["a", "b"][at / length], at % length);
    }
    let reader = Reader { hist_exog_list: vec!["trust".into()], ..Reader::default() };
    reader.read_bytes("t", csv.as_bytes()).unwrap()
}

/// What a case trains; every step learns from all windows.
fn model(case: &Case, panel: &Panel) -> Model {
    let setting = |key: &str| case.settings[key].clone();
    let network: Network = serde_json::from_value(setting("network")).unwrap();
    let series = panel.series();
    Model {
        input_size: INPUT_SIZE,
        loss: serde_json::from_value(setting("loss")).unwrap(),
        sample_weight: setting("weighted").as_bool().unwrap().then(|| "trust".into()),
        max_steps: case.get("losses").data.len(),
        val_check_steps: 1,
        learning_rate: setting("learning_rate").as_f64().unwrap() as f32,
        num_lr_decays: setting("num_lr_decays").as_u64().unwrap() as usize,
        windows_batch_size: series.iter().map(|one| one.values().len() - INPUT_SIZE).sum(),
        scaler_type: serde_json::from_value(setting("scaler_type")).unwrap(),
        ..Model::new(network, HORIZON)
    }
}

/// A model with the weights that a case begins with.
fn start(case: &Case, model: &Model, panel: &Panel) -> Fitted {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.safetensors", case.name));
    let one_step = Model { max_steps: 1, ..model.clone() }.fit(panel).unwrap();
    one_step.save(&path, panel.frequency()).unwrap();
    let saved = std::fs::read(&path).unwrap();
    let metadata = SafeTensors::read_metadata(&saved).unwrap().1.metadata().clone();
    let weights = SafeTensors::deserialize(&saved).unwrap();
    let bytes: HashMap<String, Vec<u8>> = case
        .under("state/")
        .map(|(name, tensor)| {
            (name.to_owned(), tensor.data.iter().flat_map(|x| x.to_le_bytes()).collect())
        })
        .collect();
    assert_eq!(bytes.len(), weights.len(), "{}: {:?}", case.name, weights.names());
    let views: Vec<_> = weights
        .tensors()
        .into_iter()
        .map(|(name, old)| {
            let (kind, shape) = (old.dtype(), old.shape().to_vec());
            let view = safetensors::tensor::TensorView::new(kind, shape, &bytes[&name]).unwrap();
            (name, view)
        })
        .collect();
    std::fs::write(&path, safetensors::serialize(views, metadata).unwrap()).unwrap();
    Fitted::load(&path, 1).unwrap().0
}

#[test]
fn losses_of_whole_trainings_equal_neuralforecasts() {
    for case in cases("training") {
        let panel = panel(&case);
        let model = model(&case, &panel);
        let mut losses = Vec::new();
        let told = model.fit_from(&start(&case, &model, &panel), &panel, |progress| {
            losses.push(progress.loss);
            ControlFlow::Continue(())
        });
        told.unwrap();
        let want = &case.get("losses").data;
        assert_eq!(losses.len(), want.len(), "{}", case.name);
        for (got, want) in losses.iter().zip(want) {
            let error = (got - want).abs() / want.abs();
            assert!(error <= ALLOWED, "{}: {losses:?} instead of {want:?}", case.name);
        }
    }
}

#[test]
fn weights_of_windows_change_the_losses_of_the_golden_cases() {
    let weighted = |case: &Case| case.settings["weighted"] == true;
    for case in cases("training").iter().filter(|case| weighted(case)) {
        let panel = panel(case);
        let model = model(case, &panel);
        let plain = Model { sample_weight: None, max_steps: 1, ..model.clone() };
        let fitted =
            plain.fit_from(&start(case, &model, &panel), &panel, |_| ControlFlow::Continue(()));
        let (got, other) = (fitted.unwrap().loss(), case.get("losses").data[0]);
        assert!((got - other).abs() > 0.01 * other, "{}: {got} {other}", case.name);
    }
}
