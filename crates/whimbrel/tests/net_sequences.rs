//! The examples that learn from sequences, as a user runs them, but for fewer epochs.

mod support;

use std::fs;
use support::{folder, root, text, whimbrel};

/// The share of right classes of the validation after some epochs of an example.
fn accuracy(name: &str) -> f64 {
    let folder = folder(name);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let examples = root().join("examples");
    fs::copy(examples.join("vowels.csv.gz"), folder.join("vowels.csv.gz")).unwrap();
    let network = fs::read_to_string(examples.join(name).with_extension("toml")).unwrap();
    assert!(network.contains("epochs = 40"));
    let file = folder.join(name).with_extension("toml");
    fs::write(&file, network.replace("epochs = 40", "epochs = 8")).unwrap();
    let output = whimbrel().args(["net", "train", "--json"]).arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    result["last_epoch"]["validation"]["accuracy"].as_f64().unwrap()
}

#[test]
fn an_lstm_tells_speakers_apart() {
    let share = accuracy("vowels_lstm");
    assert!(share > 0.8, "{share}");
}

#[test]
fn attention_tells_speakers_apart() {
    let share = accuracy("vowels_attention");
    assert!(share > 0.8, "{share}");
}
