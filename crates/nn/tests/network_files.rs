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
fn metrics_are_named_in_a_list() {
    use whimbrel_nn::metrics::MetricName;
    assert!(parse(GOOD).unwrap().trainer().metrics.is_empty(), "the usual ones unless given");
    let metrics = "seed = 3\nmetrics = [\"r2\", \"mape\"]";
    let file = parse(&GOOD.replacen("seed = 3", metrics, 1)).unwrap();
    assert_eq!(file.trainer().metrics, [MetricName::R2, MetricName::Mape]);
    refused(
        "seed = 3",
        "metrics = [\n  \"mape\",\n  \"mpae\",\n]",
        "nets/a.toml:24: metrics has \"mpae\", which is none; known are bias, mae, mse, rmse, mape, ",
    );
    refused(
        "seed = 3",
        "metrics = [\"r2\", \"f1\"]",
        "nets/a.toml:22: metrics is f1: the metrics of the loss mse are bias, mae, mse, rmse, mape, ",
    );
    refused(
        "seed = 3",
        "metrics = [\"r2\", \"r2\"]",
        "nets/a.toml:22: metrics is r2: is named twice; remove one",
    );
    refused("seed = 3", "metrics = []", "nets/a.toml:22: metrics names none; name some, or remove");
    refused(
        "seed = 3",
        "metrics = \"r2\"",
        "nets/a.toml:22: metrics = \"r2\": invalid type: string \"r2\", expected a list, such as",
    );
    refused(
        "seed = 3",
        "metrics = [3]",
        "nets/a.toml:22: metrics = [3]: invalid type: integer `3`",
    );
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
        "nets/a.toml:8: out_features = \"8\": invalid type: string \"8\", expected a whole number",
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
    refused(
        "batch_size = 4",
        "batch_size = 4\nbatch_size = 8",
        "nets/a.toml:22: batch_size = 8: is given a second time; remove one",
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

    // What is found only with the rows.
    let groups = "groups = [\n  { parameters = \"*.bias\" },\n  { parameters = \"*.bais\" },\n]";
    let init =
        "[[network.init]]\nparameters = \"*.bias\"\nwith = { type = \"normal\",\n  std = -1.0 }";
    for (from, to, says) in [
        ("\"mse\"", "\"mase\"", "18: loss mase: needs the values before the target"),
        ("\"mse\"", "\"gaussian\"", "18: loss gaussian: needs 2 predictions for each target"),
        ("\"mse\"", "\"huber\", delta = -1.0", "18: loss huber: delta is -1, but must be"),
        ("\"mse\"", "\"gaussian\", eps = -1.0", "18: loss gaussian: eps is -1, but must be"),
        ("\"mse\"", "\"student_t\", eps = nan", "18: loss student_t: eps is NaN, but must be"),
        ("\"mse\"", "\"poisson\", eps = inf", "18: loss poisson: eps is inf, but must be"),
        (
            "\"mse\"",
            "\"negative_binomial\", eps = -0.1",
            "18: loss negative_binomial: eps is -0.1, but must be a number not below 0",
        ),
        (
            "\"mse\"",
            "\"cross_entropy\", weight = [nan, -1]",
            "18: loss cross_entropy: weight is NaN, but must be a number not below 0",
        ),
        (
            "\"mse\"",
            "\"cross_entropy\", weight = [0, 0]",
            "18: loss cross_entropy: weight is 0 throughout, but must be above 0 somewhere",
        ),
        (
            "\"mse\"",
            "\"binary_cross_entropy\", pos_weight = [-1]",
            "18: loss binary_cross_entropy: pos_weight is -1, but must be a number not below 0",
        ),
        (
            "\"mse\"",
            "\"multi_quantile\", quantiles = []",
            "18: loss multi_quantile: quantiles is empty, but at least one is needed",
        ),
        (
            "out_features = 1",
            "out_features = 3",
            "18: loss mse: needs a target like the prediction",
        ),
        ("seed = 3", groups, "24: group \"*.bais\": parameters is *.bais, but no parameter has"),
        ("[training]", &format!("{init}\n[training]"), "20: init \"*.bias\": std is -1, but must"),
        ("0.25", "0.01", "4: validation is 0.01: of 8 rows it leaves 8 to learn from and 0 to"),
    ] {
        let file = parse(&GOOD.replacen(from, to, 1)).unwrap();
        let error = file.trainer().start(&examples, Start::Fresh).map(|_| ()).unwrap_err();
        let message = file.place(&error).to_string();
        assert!(message.starts_with(&format!("nets/a.toml:{says}")), "{message}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_with_their_line_however_they_are_written() {
    for (to, says) in [
        ("clip = { norm = -1.0 }", "22: optimiser clip: norm is -1, but must be a number above 0"),
        ("[training.clip]\nvalue = nan", "23: optimiser clip: value is NaN, but must be"),
        ("ema.decay = 1.5", "22: optimiser ema: decay is 1.5, but must be at least 0 and below 1"),
        ("checkpoints.keep = 0", "22: keep is 0: must be at least 1"),
        ("\"accumulate\" = 0", "22: accumulate is 0: must be at least 1"),
        ("early_stopping = {\n  patience = 1,\n  min_delta = -1 }", "24: min_delta is -1: must be"),
        (
            "groups = [{ parameters = \"*.bias\", lr_scale = 1.0 },\n  { parameters = \"0.*\", lr_scale = -1.0 }]",
            "23: group \"0.*\": lr_scale is -1, but must be a number not below 0",
        ),
        ("schedule = { type = \"step\", step_size = 0 }", "22: schedule step: step_size is 0, but"),
        (
            "schedule = { type = \"exponential\", gamma = -2.0 }",
            "22: schedule exponential: gamma is",
        ),
        (
            "schedule = { type = \"cosine\", T_max = 0 }",
            "22: schedule cosine: T_max is 0, but must",
        ),
        (
            "schedule = { type = \"linear\", end_factor = inf }",
            "22: schedule linear: end_factor is",
        ),
        (
            "schedule = { type = \"one_cycle\", total_steps = 9, div_factor = 0.0 }",
            "22: schedule one_cycle: div_factor is 0, but must be a number above 0",
        ),
        (
            "schedule = { type = \"plateau\", factor = 1.0 }",
            "22: schedule plateau: factor is 1, but",
        ),
        (
            "schedule = { type = \"plateau\",\n  mode = \"max\" }",
            "23: schedule plateau: mode is max, but a training observes its loss, of which less is",
        ),
        (
            "schedule = { type = \"warm_up\", warmup_steps = 3, decay = { type = \"plateau\", mode = \"max\" } }",
            "22: schedule plateau: mode is max, but",
        ),
        (
            "schedule = { type = \"warm_up\", warmup_steps = 3, decay = { type = \"cosine\", T_max = 0 } }",
            "22: schedule cosine: T_max is 0, but must be at least 1",
        ),
    ] {
        refused("seed = 3", to, &format!("nets/a.toml:{says}"));
    }
    refused("lr = 0.01", "lr = -1.0", "nets/a.toml:19: optimiser adam: lr is -1, but must be");
    let early = GOOD.replacen("seed = 3", "early_stopping = { patience = 3 }", 1);
    let message = parse(&early.replacen("validation = 0.25\n", "", 1)).map(|_| ()).unwrap_err();
    let says =
        "nets/a.toml:1: validation is 0: early stopping needs rows to validate with; set a share";
    assert!(message.starts_with(says), "{message}");
}

#[test]
fn columns_are_named_once() {
    let columns = |text: &str| format!("target = \"y\"\n{text}");
    for (to, says) in [
        ("inputs = [\"a\", \"a\"]", "4: inputs names \"a\" twice; remove one"),
        ("inputs = [\"a\", \"y\"]", "4: inputs names \"y\", which is the target; remove it there"),
        ("weight = \"y\"", "4: weight names \"y\", which is target or input too; name another"),
    ] {
        refused("target = \"y\"", &columns(to), &format!("nets/a.toml:{says}"));
    }
    refused("points.csv", "", "nets/a.toml:2: file is empty; name the file of the rows");
}

#[test]
fn values_of_another_kind_are_refused_in_words_of_the_file() {
    for (from, to, says) in [
        (
            "{ type = \"mse\" }",
            "\"mse\"",
            "18: loss = \"mse\": invalid type: string \"mse\", expected a table, such as { type",
        ),
        (
            "seed = 3",
            "early_stopping = true",
            "22: early_stopping = true: invalid type: boolean `true`, expected a table",
        ),
        (
            "seed = 3",
            "clip = { norm = 1.0, value = 2.0 }",
            "22: clip = { norm = 1.0, value = 2.0 }: gradients are clipped by norm or by value; give",
        ),
        ("seed = 3", "clip = {}", "22: clip = {}: gradients are clipped by norm or by value; give"),
        ("seed = 3", "clip = 1.0", "22: clip = 1.0: expected text in quotes, or a table"),
        (
            "seed = 3",
            "seed = -1",
            "22: seed = -1: invalid value: integer `-1`, expected a whole number from 0 on",
        ),
        (
            "lr = 0.01",
            "lr = \"big\"",
            "19: optimiser = { type = \"adam\", lr = \"big\" }: invalid type: string \"big\", expected a number",
        ),
        (
            "target = \"y\"",
            "target = \"y\"\ninputs = \"a\"",
            "4: inputs = \"a\": invalid type: string \"a\", expected a list",
        ),
    ] {
        refused(from, to, &format!("nets/a.toml:{says}"));
    }
}

#[test]
fn layers_take_finite_numbers_and_known_names() {
    refused(
        "type = \"relu\"",
        "type = \"leaky_relu\"\nnegative_slope = nan",
        "nets/a.toml:12: negative_slope is NaN; give a finite number",
    );
    refused(
        "type = \"relu\"",
        "type = \"conv1d\"\nout_channels = 2\nkernel_size = 3\npadding = \"reflect\"",
        "nets/a.toml:14: `padding` must be a number of steps, \"valid\", \"same\" or \"causal\"",
    );
}

#[test]
fn text_in_another_encoding_is_refused_with_its_line() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin1.toml");
    std::fs::write(&path, b"[data]\nfile = \"gr\xfc\xdfe.csv\"\n").unwrap();
    let message = NetworkFile::read(&path).map(|_| ()).unwrap_err().to_string();
    let says = "latin1.toml:2: is not UTF-8 text; save the file as UTF-8";
    assert!(message.ends_with(says), "{message}");
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
