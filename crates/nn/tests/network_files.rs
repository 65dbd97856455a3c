//! Network files: what they say, and what is said about mistakes in them.

use proptest::prelude::*;
use std::path::Path;
use whimbrel_nn::file::{BatchSize, NetworkFile};
use whimbrel_nn::trainer::{Examples, Length, Start, Targets};

const GOOD: &str = r#"[data]
file = "points.csv"
target = "y"
validation = 0.25

[[network.layers]]
type = "linear"
out_features = 8

[[network.layers]]
type = "relu"

[[network.layers]]
type = "linear"
out_features = 1

[training]
loss = { type = "mse" }
optimiser = { type = "adam", lr = 0.01 }
epochs = 5
batch_size = 4
seed = 3
"#;

fn parse(text: &str) -> Result<NetworkFile, String> {
    let file = NetworkFile::parse(Path::new("nets/a.toml"), text.into());
    file.map_err(|error| error.to_string())
}

/// Changes one part of the good file and expects a refusal that starts with `says`.
fn refused(from: &str, to: &str, says: &str) {
    assert!(GOOD.contains(from), "{from}");
    let message = parse(&GOOD.replacen(from, to, 1)).map(|_| ()).unwrap_err();
    assert!(message.starts_with(says), "{message:?} does not start with {says:?}");
    assert!(!message.contains('\n'), "{message:?}");
}

#[test]
fn a_file_describes_network_data_and_training() {
    let file = parse(GOOD).unwrap();
    let kinds: Vec<_> = file.network().layers.iter().map(|layer| layer.kind()).collect();
    assert_eq!(kinds, ["linear", "relu", "linear"]);
    assert_eq!(file.data_file(), Path::new("nets/points.csv"));
    assert_eq!(file.folder(), Path::new("nets/a.run"));
    let trainer = file.trainer();
    assert_eq!((trainer.length, trainer.batch_size, trainer.seed), (Length::Epochs(5), 4, 3));
    assert_eq!((trainer.validation, trainer.optimiser.lr()), (0.25, 0.01));
    assert_eq!(file.batch_size(), BatchSize::Rows(4));
    let auto = parse(&GOOD.replacen("batch_size = 4", "batch_size = \"auto\"", 1)).unwrap();
    assert_eq!(auto.batch_size(), BatchSize::Auto);
}

#[test]
fn mistakes_are_named_with_line_field_and_remedy() {
    refused(
        "type = \"relu\"",
        "type = \"rleu\"",
        "nets/a.toml:11: unknown variant `rleu`, expected",
    );
    refused("out_features = 8", "outputs = 8", "nets/a.toml:8: unknown field `outputs`, expected");
    refused("out_features = 8\n", "", "nets/a.toml:6: `out_features` is missing; add it here");
    refused(
        "out_features = 8",
        "out_features = \"8\"",
        "nets/a.toml:8: out_features = \"8\": invalid type: string \"8\", expected usize",
    );
    refused(
        "out_features = 8",
        "out_features = 9000000000000000000",
        "nets/a.toml:8: 9000000000000000000 is too large; the largest size is 1048576",
    );
    refused(
        "type = \"relu\"",
        "type = \"relu\"\nslope = 1",
        "nets/a.toml:10: this type has no settings; remove all fields but `type`",
    );
    refused("out_features = 1", "outputs = 1", "nets/a.toml:15: unknown field `outputs`");
    refused("target = \"y\"\n", "", "nets/a.toml:1: target is missing; name the column to predict");
    refused(
        "target = \"y\"\n",
        "target = \"y\"\ninputs = []\n",
        "nets/a.toml:4: inputs names no column; name some",
    );
    refused("batch_size", "batchsize", "nets/a.toml:21: unknown field `batchsize`, expected");
    refused(
        "batch_size = 4",
        "batch_size = 0",
        "nets/a.toml:21: batch_size is 0: must be at least 1",
    );
    let both = "target = \"y\"\ntarget_file = \"y.npy\"\n";
    refused("target = \"y\"\n", both, "nets/a.toml:4: target and target_file are both given");
    refused(
        "batch_size = 4",
        "batch_size = \"all\"",
        "nets/a.toml:21: batch_size = \"all\": invalid",
    );
    refused("batch_size = 4", "batch_size = -4", "nets/a.toml:21: batch_size must be at least 1");
    refused(
        "batch_size = 4",
        "accumulate = 0",
        "nets/a.toml:21: accumulate is 0: must be at least 1",
    );
    refused(
        "0.25",
        "0.25\nmissing = \"median\"",
        "nets/a.toml:5: unknown variant `median`, expected",
    );
    refused("0.25", "1.5", "nets/a.toml:4: validation is 1.5: must be a share");
    refused("epochs = 5", "", "nets/a.toml:17: epochs is missing; add epochs = 20, or steps");
    refused("seed = 3", "steps = 3", "nets/a.toml:22: epochs and steps are both given; remove one");
    refused("seed = 3", "seed = ", "nets/a.toml:22: ");
    refused("lr = 0.01", "rate = 0.01", "nets/a.toml:19: unknown field `rate`, expected");
}

#[test]
fn mistakes_of_the_network_are_placed_in_the_file() {
    let text = GOOD.replacen("out_features = 1", "out_features = 1\nin_features = 5", 1);
    let file = parse(&text).unwrap();
    let values = Targets::Values { width: 1, values: vec![0.0; 8] };
    let examples = Examples::new(2, vec![0.0; 16], values).unwrap();
    let error = file.trainer().start(&examples, Start::Fresh).map(|_| ()).unwrap_err();
    let message = file.place(&error).to_string();
    let says = "nets/a.toml:13: layer 2 (linear): expects 5 channels (in_features)";
    assert!(message.starts_with(says), "{message}");

    let file = parse(&GOOD.replacen("lr = 0.01", "lr = -1.0", 1)).unwrap();
    let error = file.trainer().start(&examples, Start::Fresh).map(|_| ()).unwrap_err();
    let message = file.place(&error).to_string();
    assert!(message.starts_with("nets/a.toml:19: optimiser adam: lr is -1"), "{message}");
}

proptest! {
    /// Whatever is done to a file, it is read or refused in one line.
    #[test]
    fn no_text_does_more_than_be_refused(at in 0..GOOD.len(), length in 0usize..30, text in ".{0,12}|[=\\[\\]{}\"\\n0-9.,]{0,12}") {
        let end = (at + length).min(GOOD.len());
        let changed = format!("{}{text}{}", &GOOD[..at], &GOOD[end..]);
        if let Err(message) = parse(&changed) {
            prop_assert!(message.starts_with("nets/a.toml"), "{message}");
            prop_assert!(!message.contains('\n'), "{message:?}");
        }
    }
}
