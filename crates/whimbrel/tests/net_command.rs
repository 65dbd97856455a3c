//! `whimbrel net` as a user runs it: train, evaluate, predict, describe.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use support::{folder, root, text, whimbrel};

fn net(arguments: &[&str]) -> Output {
    whimbrel().arg("net").args(arguments).output().unwrap()
}

/// A copy of an example in an empty folder of its own.
fn example(name: &str, test: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name).with_extension("toml");
    for ending in ["toml", "csv"] {
        let source = root().join("examples").join(name).with_extension(ending);
        fs::copy(source, file.with_extension(ending)).unwrap();
    }
    file
}

fn xor(test: &str) -> PathBuf {
    example("xor", test)
}

/// Runs and expects success; gives what was printed.
fn done(arguments: &[&str]) -> String {
    let output = net(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "quiet when not a terminal");
    text(&output.stdout)
}

/// Runs and expects a refusal that says all of `says`.
fn refused(arguments: &[&str], says: &[&str]) {
    let output = net(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: ") && output.stdout.is_empty(), "{message}");
    for part in says {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

fn str_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_example_learns_exclusive_or() {
    let file = xor("net_xor");
    let file = str_of(&file);
    assert!(done(&["train", file]).starts_with("500 steps, epoch 500, loss 0.000"));
    let data = file.replace(".toml", ".csv");
    let printed = done(&["predict", file, "--data", &data]);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("prediction"));
    let rounded: Vec<f32> = lines.map(|line| line.parse::<f32>().unwrap().round()).collect();
    assert_eq!(rounded, [0.0, 1.0, 1.0, 0.0]);
    let scores: serde_json::Value = serde_json::from_str(&done(&["eval", file, "--json"])).unwrap();
    assert_eq!(scores["rows"], 4);
    assert!(scores["scores"]["mae"].as_f64().unwrap() < 0.05, "{scores}");
    assert!(done(&["eval", file]).contains("rmse"));
}

#[test]
fn the_example_learns_digits() {
    let file = example("digits", "net_digits");
    let json = done(&["train", str_of(&file), "--json"]);
    let result: serde_json::Value = serde_json::from_str(&json).unwrap();
    let accuracy = result["last_epoch"]["validation"]["accuracy"].as_f64().unwrap();
    assert!(accuracy >= 0.98, "{json}");
    let data = file.with_extension("csv");
    let classes = done(&["predict", str_of(&file), "--data", str_of(&data)]);
    let right = fs::read_to_string(&data).unwrap();
    let pairs = classes.lines().zip(right.lines().map(|line| line.rsplit(',').next().unwrap()));
    let hits = pairs.skip(1).filter(|(class, digit)| class == digit).count();
    assert!(hits > 1700, "{hits} of 1797");
}

#[test]
fn columns_are_taken_by_the_names_they_were_learned_with() {
    let file = xor("net_columns");
    let unnamed = fs::read_to_string(&file).unwrap().replacen("inputs = [\"a\", \"b\"]\n", "", 1);
    fs::write(&file, unnamed).unwrap();
    let path = str_of(&file);
    done(&["train", path]);
    let other = file.with_file_name("other.csv");
    // Only the first input counts here, and where it stands does not.
    let text = "row,b,y,a\n7,0,1,1\n8,1,1,0\n9,1,0,1\n";
    fs::write(&other, text).unwrap();
    let printed = done(&["predict", path, "--data", str_of(&other)]);
    let rounded = printed.lines().skip(1).map(|line| line.parse::<f32>().unwrap().round());
    assert_eq!(rounded.collect::<Vec<_>>(), [1.0, 1.0, 0.0]);
    let scores = done(&["eval", path, "--data", str_of(&other), "--json"]);
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    assert!(scores["scores"]["mae"].as_f64().unwrap() < 0.05, "{scores}");
    fs::write(&other, "a,c,y\n1,0,1\n").unwrap();
    refused(&["predict", path, "--data", str_of(&other)], &["other.csv:1", "no column \"b\""]);
}

#[test]
fn outputs_do_not_replace_what_a_network_comes_from_or_has_learned() {
    let file = xor("net_outputs");
    let (path, data) = (str_of(&file), file.with_extension("csv"));
    done(&["train", path]);
    let weights = file.with_extension("run").join("weights.safetensors");
    let before = [&file, &data, &weights].map(|path| fs::read(path).unwrap());
    for arguments in [
        ["plan", path, "--out", str_of(&data)],
        ["profile", path, "--trace", path],
        ["profile", path, "--trace", str_of(&data)],
        ["export", path, "--out", str_of(&weights)],
        ["plot", path, "--out", path],
    ] {
        refused(&arguments, &["is an input file; name another"]);
    }
    let picture = file.with_extension("png");
    refused(&["plan", path, "--out", str_of(&picture)], &["let the name end in .svg"]);
    assert!([&file, &data, &weights].map(|path| fs::read(path).unwrap()) == before);
}

#[test]
fn info_lists_the_layers() {
    let printed = done(&["info", str_of(&xor("net_info"))]);
    assert!(printed.contains("4 rows, 2 inputs"), "{printed}");
    let all = printed.lines().last().unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(all, ["all", "33"]);
}

#[test]
fn a_finished_run_is_not_overwritten() {
    let file = xor("net_finished");
    let json = done(&["train", str_of(&file), "--json", "--seed", "5", "--threads", "1"]);
    let result: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(result["last_epoch"]["epoch"], 500);
    let says = ["xor.run holds an earlier run", "help: --resume goes on with the earlier run"];
    refused(&["train", str_of(&file)], &says);
    refused(&["train", str_of(&file), "--resume"], &["was made with other settings"]);
    let again = done(&["train", str_of(&file), "--resume", "--seed", "5"]);
    assert!(again.starts_with("500 steps, finished before"), "{again}");
}

#[test]
fn bad_files_are_named_with_line_and_remedy() {
    let file = xor("net_bad");
    let good = fs::read_to_string(&file).unwrap();
    let path = str_of(&file);
    refused(&["eval", path], &["weights.safetensors: there are no weights", "whimbrel net train"]);
    refused(&["train", "nowhere.toml"], &["nowhere.toml: cannot be read"]);
    for (from, to, says) in [
        ("\"tanh\"", "\"thna\"", "xor.toml:16: unknown variant `thna`, expected one of"),
        ("[\"a\", \"b\"]", "[\"a\", \"c\"]", "xor.csv:1: there is no column \"c\""),
        (
            "out_features = 8",
            "out_features = 0",
            "xor.toml:13: layer 0 (linear): out_features is 0",
        ),
        ("out_features = 1", "out_features = 2", "loss mse: needs a target like the prediction"),
        (
            "\"mse\"",
            "\"cross_entropy\"",
            "xor.csv:3, column \"y\": is class 1, but the network has 1 output; give the last layer",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        refused(&["train", path], &[says]);
        assert!(!file.with_extension("run").exists(), "{says}: nothing is written");
    }
    fs::write(&file, &good).unwrap();
    for (csv, says) in [
        ("a,b,y\n0,0\n", "xor.csv:2: has 2 fields, the header names 3"),
        ("a,b,y\n0,x,1\n", "xor.csv:2, column \"b\": \"x\" is not a number"),
        ("a,b,y\n0,NaN,1\n", "xor.csv:2, column \"b\": \"NaN\" stands for no value; fill it in"),
        ("a,b,y\n0,,1\n", "help: missing under [data] of "),
        (
            "a,b,y\n0,NA,1\n",
            "says what becomes of such rows: \"drop\" passes them over, \"zero\" and",
        ),
        ("a,b,y\n0,?,1\n", "\"?\" is not a number; write it like 1234.5, or leave the field empty"),
        ("a,b,y\n", "xor.csv: has a header but no rows"),
        ("", "xor.csv: is empty"),
    ] {
        fs::write(file.with_extension("csv"), csv).unwrap();
        refused(&["train", path], &[says]);
    }
}

#[test]
fn what_the_network_file_names_and_is_not_there_is_told_with_its_line() {
    let file = xor("net_named");
    let good = fs::read_to_string(&file).unwrap();
    let path = str_of(&file);
    let line = |field: &str| {
        let at = good.lines().position(|line| line.starts_with(field)).unwrap();
        format!("help: {path}:{} names it as {field}\n", at + 1)
    };
    for (from, to, field, says) in [
        ("\"xor.csv\"", "\"gone.csv\"", "file", "gone.csv: cannot be read"),
        ("target = \"y\"", "target = \"z\"", "target", "there is no column \"z\""),
        ("[\"a\", \"b\"]", "[\"a\", \"c\"]", "inputs", "there is no column \"c\""),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        refused(&["train", path], &[says, &line(field)]);
    }
    fs::write(&file, &good).unwrap();
    done(&["train", path, "--quiet"]);
    let output = net(&["predict", path, "--data", "gone.csv"]);
    assert!(!text(&output.stderr).contains("help"), "the option named it, not the file");
}

#[test]
fn rows_come_through_standard_input() {
    let file = xor("net_standard_input");
    let (path, data) = (str_of(&file), file.with_extension("csv"));
    done(&["train", path]);
    for command in ["predict", "eval"] {
        let rows = fs::File::open(&data).unwrap();
        let mut piped = whimbrel();
        piped.args(["net", command, path, "--data", "-"]).stdin(Stdio::from(rows));
        let output = piped.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), done(&[command, path, "--data", str_of(&data)]));
    }
    let mut empty = whimbrel();
    empty.args(["net", "predict", path, "--data", "-"]).stdin(Stdio::null());
    let message = text(&empty.output().unwrap().stderr);
    assert!(message.starts_with("error: standard input: is empty"), "{message}");
}

#[test]
fn predictions_in_json_have_the_digits_of_those_in_csv() {
    let file = xor("net_digits_of_json");
    let (path, data) = (str_of(&file), file.with_extension("csv"));
    done(&["train", path]);
    let csv = done(&["predict", path, "--data", str_of(&data)]);
    let json = done(&["predict", path, "--data", str_of(&data), "--json"]);
    for (number, line) in csv.lines().skip(1).zip(json.lines()) {
        assert_eq!(line, format!("{{\"prediction\":[{number}]}}"));
    }
}

#[test]
fn options_are_not_blamed_on_the_file() {
    let file = xor("net_options");
    for command in ["plan", "profile"] {
        let output = net(&[command, str_of(&file), "--batch", "0"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("'--batch <N|auto>': must be a whole number from 1"), "{message}");
    }
    let message = text(&net(&["train", str_of(&file), "--seed", "-1"]).stderr);
    assert!(message.contains("'--seed <N>': must be a whole number from 0"), "{message}");
}

#[test]
fn weights_of_another_network_are_refused_as_such() {
    let file = xor("net_other_weights");
    done(&["train", str_of(&file), "--quiet"]);
    let narrow = fs::read_to_string(&file).unwrap().replacen("[\"a\", \"b\"]", "[\"a\"]", 1);
    fs::write(&file, narrow).unwrap();
    let says =
        ["is F32[8, 2], the model needs f32[8, 1]", "help: the weights are of another network"];
    refused(&["eval", str_of(&file)], &says);
}

#[test]
fn a_folder_that_cannot_be_made_is_named_with_the_remedy() {
    let file = xor("net_no_folder");
    fs::write(file.with_extension("run"), "in the way").unwrap();
    let output = net(&["train", str_of(&file)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["xor.run: cannot be written: ", "; choose another folder", "help: checkpoints = {"]
    {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

#[test]
fn targets_the_loss_makes_no_sense_of_are_named_with_line_and_column() {
    let file = xor("net_targets");
    let good = fs::read_to_string(&file).unwrap();
    for stream in [false, true] {
        for (loss, target, says) in [
            ("binary_cross_entropy", "2", "is 2, but targets of the loss binary_cross_entropy are"),
            ("poisson", "-1", "is -1, but targets of the loss poisson are not below 0; change it"),
        ] {
            let text = good.replacen("\"mse\"", &format!("\"{loss}\""), 1);
            let text = text.replacen("[data]", &format!("[data]\nstream = {stream}"), 1);
            fs::write(&file, text).unwrap();
            let rows = format!("a,b,y\n0,0,0\n0,1,1\n1,0,{target}\n1,1,0\n");
            fs::write(file.with_extension("csv"), rows).unwrap();
            let says = format!("xor.csv:4, column \"y\": {says}");
            refused(&["train", str_of(&file)], &[&says]);
        }
    }
}

#[test]
fn targets_that_are_no_classes_are_named_with_line_and_column() {
    let file = xor("net_classes");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replacen("\"mse\"", "\"cross_entropy\"", 1);
    let text = text.replacen("target = \"y\"", "target = \"y\"\nmissing = \"drop\"", 1);
    fs::write(&file, text).unwrap();
    let data = file.with_extension("csv");
    fs::write(&data, "a,b,y\n0,0,NA\n\n0,1,0\n1,0,0.5\n").unwrap();
    let says = "xor.csv:5, column \"y\": is 0.5, which is no class; number the classes from 0";
    refused(&["train", str_of(&file)], &[says]);
    fs::write(&data, "a,b,y\n0,0,0\n0,1,7\n").unwrap();
    refused(
        &["train", str_of(&file)],
        &["xor.csv:3, column \"y\": is class 7, but the network has 1"],
    );
}

#[test]
fn a_training_that_leaves_the_numbers_fails_and_writes_no_weights() {
    let file = xor("net_diverged");
    let text_of = fs::read_to_string(&file).unwrap();
    let rate = text_of.replacen("\"adam\", lr = 0.05", "\"sgd\", lr = 1e39", 1);
    fs::write(&file, rate.replacen("epochs = 500", "steps = 1", 1)).unwrap();
    let output = net(&["train", str_of(&file)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(" is not finite after step 1; lower the learning rate"), "{message}");
    assert!(!file.with_extension("run").join("weights.safetensors").exists());
}

#[test]
fn a_training_that_leaves_the_numbers_later_keeps_its_best_weights() {
    let file = example("digits", "net_diverged_late");
    let text_of = fs::read_to_string(&file).unwrap();
    // An epoch has 45 steps.
    let late = "{ type = \"step\", step_size = 60, gamma = 1e42 }";
    let changed = text_of.replacen("{ type = \"cosine\", T_max = 1800 }", late, 1);
    let early = "epochs = 2\nearly_stopping = { patience = 5 }";
    fs::write(&file, changed.replacen("epochs = 40", early, 1)).unwrap();
    let output = net(&["train", str_of(&file)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let best = file.with_extension("run").join("best.safetensors");
    let says = format!("; the best weights so far, of epoch 1, are in {}\n", best.display());
    assert!(message.contains(&says), "{message}");
    assert!(message.contains(&format!("help: --weights {} uses", best.display())), "{message}");
    let scores = done(&["eval", str_of(&file), "--weights", str_of(&best)]);
    assert!(scores.contains("accuracy  0."), "{scores}");
}

#[test]
fn rows_keep_their_lines_where_others_are_dropped_and_one_must_be_left() {
    let file = xor("net_dropped");
    let good = fs::read_to_string(&file).unwrap();
    for stream in [false, true] {
        let settings = format!("[data]\nmissing = \"drop\"\nstream = {stream}");
        let text = good.replacen("[data]", &settings, 1);
        fs::write(&file, text.replacen("\"mse\"", "\"cross_entropy\"", 1)).unwrap();
        fs::write(file.with_extension("csv"), "a,b,y\n,0,0\n0,1,0\n1,0,7\n").unwrap();
        let says =
            "xor.csv:4, column \"y\": is class 7, but the network has 1 output; give the last";
        refused(&["train", str_of(&file)], &[says]);
        fs::write(file.with_extension("csv"), "a,b,y\n,0,0\n0,,0\n1,0,\n").unwrap();
        let says =
            "xor.csv: a number is missing in every row, so that all are dropped; fill some in";
        refused(&["train", str_of(&file)], &[says, "to \"zero\" or \"mean\""]);
    }
}

#[test]
fn files_that_are_cut_short_are_called_so() {
    let file = xor("net_cut_short");
    let packed = fs::read(root().join("examples/vowels.csv.gz")).unwrap();
    let data = file.with_extension("csv");
    fs::write(&data, &packed[..packed.len() / 2]).unwrap();
    for stream in [false, true] {
        let text = fs::read_to_string(root().join("examples/vowels_lstm.toml")).unwrap();
        let named = format!("file = \"xor.csv\"\nstream = {stream}");
        fs::write(&file, text.replacen("file = \"vowels.csv.gz\"", &named, 1)).unwrap();
        let says =
            ["xor.csv:", ": its compressed data are cut short; copy it again, or pack it again"];
        refused(&["train", str_of(&file)], &says);
    }
    let file = xor("net_cut_weights");
    done(&["train", str_of(&file), "--quiet"]);
    let weights = file.with_extension("run").join("weights.safetensors");
    let bytes = fs::read(&weights).unwrap();
    fs::write(&weights, &bytes[..5]).unwrap();
    let says = [
        "weights.safetensors: not a usable safetensors file",
        "copy it again, or let whimbrel net",
    ];
    refused(&["eval", str_of(&file)], &says);
}

#[test]
fn several_arrays_cannot_be_the_inputs() {
    let file = xor("net_arrays");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"xor.csv\"", "\"xor.npz\"", 1)).unwrap();
    let line = text.lines().position(|line| line.starts_with("inputs")).unwrap() + 1;
    let says =
        format!("xor.toml:{line}: inputs names 2 arrays; name the one whose rows are the inputs");
    refused(&["train", str_of(&file)], &[&says]);
}

#[test]
fn chosen_metrics_are_said_logged_and_evaluated() {
    let file = example("digits", "net_metrics");
    let path = str_of(&file);
    let chosen = fs::read_to_string(&file).unwrap();
    let epochs = chosen.lines().find(|line| line.starts_with("epochs")).unwrap().to_owned();
    let metrics = "epochs = 2\nmetrics = [\"balanced_accuracy\", \"f1\", \"log_loss\"]";
    fs::write(&file, chosen.replacen(&epochs, metrics, 1)).unwrap();
    let printed = done(&["train", path]);
    assert!(printed.contains(", balanced_accuracy 0."), "{printed}");
    assert!(printed.contains(", f1 0.") && printed.contains(", log_loss 0."), "{printed}");
    assert!(!printed.contains(", accuracy "), "{printed}");
    let log = fs::read_to_string(file.with_extension("run").join("log.jsonl")).unwrap();
    assert!(log.contains("\"balanced_accuracy\":0.") && !log.contains("\"accuracy\""), "{log}");
    let lines = done(&["eval", path]);
    let names: Vec<&str> = lines.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["rows", "loss", "balanced_accuracy", "f1", "log_loss"], "{lines}");
    let starts = lines.lines().map(|line| line.rfind(' ').unwrap());
    assert!(starts.clone().all(|start| start == 17), "values stand in a column: {lines}");
    let scores: serde_json::Value = serde_json::from_str(&done(&["eval", path, "--json"])).unwrap();
    assert!(scores["scores"]["f1"].as_f64().unwrap() > 0.5, "{scores}");
}
