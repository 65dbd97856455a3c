//! `whimbrel fann` as a user runs it: train, run, test, describe, convert.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use support::{folder, text, whimbrel};

fn fann(arguments: &[&str]) -> Output {
    whimbrel().arg("fann").args(arguments).output().unwrap()
}

/// Runs and expects success; gives what was printed.
fn done(arguments: &[&str]) -> String {
    let output = fann(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "quiet when not a terminal");
    text(&output.stdout)
}

/// Runs and expects a refusal that says all of `says`.
fn refused(arguments: &[&str], says: &[&str]) {
    let output = fann(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: ") && output.stdout.is_empty(), "{message}");
    for part in says {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

fn fresh(test: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn str_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

const XOR: &str = "examples/xor.data";

/// A network that has learned exclusive or.
fn xor(test: &str, options: &[&str]) -> PathBuf {
    let net = fresh(test).join("xor.net");
    let first = ["train", XOR, "--layers", "2,3,1", "--out", str_of(&net)];
    done(&[&first[..], options].concat());
    net
}

#[test]
fn exclusive_or_is_learned_and_computed() {
    let net = xor("fann_xor", &[]);
    assert!(done(&["test", str_of(&net), XOR]).starts_with("4 rows, mean square error 0.000"));
    let outputs = done(&["run", str_of(&net), XOR]);
    let signs: Vec<bool> = outputs.lines().map(|y| y.parse::<f32>().unwrap() > 0.0).collect();
    assert_eq!(signs, [false, true, true, false]);
}

#[test]
fn every_algorithm_learns_and_a_seed_decides_the_weights() {
    for algorithm in ["incremental", "rprop", "quickprop", "sarprop"] {
        let steep = ["--activation-steepness-hidden", "1", "--activation-steepness-output", "1"];
        let options = [&["--algorithm", algorithm, "--seed", "3"], &steep[..]].concat();
        let net = xor(&format!("fann_{algorithm}"), &options);
        let result = done(&["test", str_of(&net), XOR, "--json"]);
        let result: serde_json::Value = serde_json::from_str(&result).unwrap();
        assert!(result["mse"].as_f64().unwrap() <= 0.0011, "{algorithm}: {result}");
    }
    let nets = [("fann_seed_a", "3"), ("fann_seed_b", "3"), ("fann_seed_c", "4")]
        .map(|(test, seed)| fs::read(xor(test, &["--seed", seed])).unwrap());
    assert!(nets[0] == nets[1] && nets[0] != nets[2]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let net = |test, threads| fs::read(xor(test, &["--threads", threads])).unwrap();
    assert_eq!(net("fann_threads_1", "1"), net("fann_threads_3", "3"));
}

#[test]
fn a_training_goes_on_and_the_curve_is_drawn() {
    let net = xor("fann_on", &["--max-epochs", "3", "--desired-error", "0"]);
    let (more, plot) = (net.with_file_name("more.net"), net.with_file_name("error.svg"));
    let from = ["train", XOR, "--from", str_of(&net), "--out", str_of(&more)];
    let printed = done(&[&from[..], &["--plot", str_of(&plot), "--json"]].concat());
    let result: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(result["desired_error_reached"], true, "{result}");
    assert!(fs::read_to_string(plot).unwrap().starts_with("<svg "));
}

#[test]
fn networks_grow_until_they_have_learned() {
    let net = fresh("fann_grown").join("grown.net");
    let stop = ["--stop-function", "FANN_STOPFUNC_BIT", "--desired-error", "0", "--json"];
    let printed = done(&[&["cascade", XOR, "--out", str_of(&net)], &stop[..]].concat());
    let result: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert!(result["neurons"].as_u64().unwrap() > 0 && result["bit_fail"] == 0, "{result}");
    assert!(done(&["test", str_of(&net), XOR]).ends_with(" 0 outputs off\n"));
    assert!(done(&["info", str_of(&net)]).contains("shortcut"));
}

#[test]
fn inputs_come_from_lines_too() {
    let net = xor("fann_lines", &[]);
    let mut command = whimbrel();
    command.args(["fann", "run", str_of(&net), "--json"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"-1 1\n\n1, 1\n").unwrap();
    let printed = text(&child.wait_with_output().unwrap().stdout);
    let rows: Vec<Vec<f32>> = printed.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(rows.len() == 2 && rows[0][0] > 0.5 && rows[1][0] < -0.5, "{printed}");
}

#[test]
fn info_shows_layers_and_settings() {
    let net = xor("fann_info", &["--algorithm", "quickprop"]);
    let shown = done(&["info", str_of(&net)]);
    assert!(shown.contains("8 neurons, 13 weights"), "{shown}");
    assert!(shown.contains("1             3     1  sigmoid_symmetric  0.5"), "{shown}");
    assert!(shown.contains("training quickprop, learning rate 0.7"), "{shown}");
}

#[test]
fn networks_become_files_of_the_house_and_come_back() {
    let net = xor("fann_convert", &[]);
    for ending in ["onnx", "safetensors", "fixed.net"] {
        let out = net.with_extension(ending);
        let fixed: &[&str] = if ending == "fixed.net" { &["--fixed"] } else { &[] };
        done(&[&["convert", str_of(&net), "--out", str_of(&out)], fixed].concat());
        assert!(fs::metadata(out).unwrap().len() > 50, "{ending}");
    }
    let text = fs::read_to_string(net.with_extension("fixed.net")).unwrap();
    assert!(text.starts_with("FANN_FIX_2.0\ndecimal_point="), "{text}");
}

#[test]
fn what_was_converted_is_said_as_json() {
    let net = xor("fann_convert_json", &[]);
    for (ending, fixed, key) in [
        ("onnx", &[][..], "numbers"),
        ("copy.net", &[], "weights"),
        ("fixed.net", &["--fixed"], "decimal_point"),
    ] {
        let out = net.with_extension(ending);
        let arguments =
            [&["convert", str_of(&net), "--out", str_of(&out), "--json"], fixed].concat();
        let said: serde_json::Value = serde_json::from_str(&done(&arguments)).unwrap();
        assert_eq!(said["file"], str_of(&out));
        assert_eq!(said["format"], ending.rsplit('.').next().unwrap());
        assert!(said[key].as_u64().unwrap() > 0, "{said}");
    }
}

#[test]
fn a_trained_network_file_becomes_a_net_with_the_same_outputs() {
    let folder = fresh("fann_from_toml");
    let file = folder.join("xor.toml");
    for ending in ["toml", "csv"] {
        let source = support::root().join("examples/xor").with_extension(ending);
        fs::copy(source, file.with_extension(ending)).unwrap();
    }
    let toml = fs::read_to_string(&file).unwrap();
    fs::write(&file, toml.replace("\"relu\"", "\"tanh\"")).unwrap();
    let run = |arguments: &[&str]| {
        let output = whimbrel().arg("net").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", support::text(&output.stderr));
        support::text(&output.stdout)
    };
    run(&["train", str_of(&file)]);
    let data = file.with_extension("csv");
    let predictions = run(&["predict", str_of(&file), "--data", str_of(&data)]);
    let net = file.with_extension("net");
    done(&["convert", str_of(&file), "--out", str_of(&net)]);
    let inputs = folder.join("inputs.txt");
    fs::write(&inputs, "0 0\n0 1\n1 0\n1 1\n").unwrap();
    let outputs = done(&["run", str_of(&net), str_of(&inputs)]);
    for (expected, got) in predictions.lines().skip(1).zip(outputs.lines()) {
        let [expected, got] = [expected, got].map(|x| x.parse::<f32>().unwrap());
        assert!((expected - got).abs() < 1e-5, "{predictions}{outputs}");
    }
}

#[test]
fn data_that_cannot_be_learned_are_named_with_their_line() {
    let folder = fresh("fann_no_data");
    let (data, out) = (folder.join("rows.data"), folder.join("out.net"));
    let cases = [
        ("0 2 1\n", "no rows"),
        ("2 2 1\n1 1\n1\n1 nan\n1\n", "line 4: a number is NaN"),
        ("2 2 1\n1 1\n-inf\n1 nan\n1\n", "line 3: a number is -inf"),
        ("1 2 1\n1 1e39\n1\n", "line 2: a number is inf"),
    ];
    let net = xor("fann_no_data_net", &[]);
    for (text, says) in cases {
        fs::write(&data, text).unwrap();
        let rows = str_of(&data);
        refused(&["train", rows, "--layers", "2,1", "--out", str_of(&out)], &["rows.data", says]);
        refused(&["cascade", rows, "--out", str_of(&out)], &["rows.data", says]);
        refused(&["test", str_of(&net), rows], &["rows.data", says]);
    }
    assert!(!out.exists());
}

#[test]
fn settings_that_are_no_finite_numbers_are_refused() {
    let out = fresh("fann_no_settings").join("out.net");
    let train = ["train", XOR, "--layers", "2,1", "--out", str_of(&out)];
    for (option, value) in [
        ("--learning-rate", "nan"),
        ("--learning-momentum", "-inf"),
        ("--bit-fail-limit", "nan"),
        ("--activation-steepness-hidden", "inf"),
        ("--activation-steepness-output", "1e39"),
        ("--connection-rate", "nan"),
        ("--desired-error", "nan"),
        ("--max-epochs", "0"),
    ] {
        let setting = format!("{option}={value}");
        refused(&[&train[..], &[setting.as_str()]].concat(), &[option, value]);
    }
    assert!(!out.exists());
}

#[test]
fn a_network_file_without_weights_is_told_how_to_get_them() {
    let folder = fresh("fann_untrained");
    let file = folder.join("xor.toml");
    fs::copy(support::root().join("examples/xor.toml"), &file).unwrap();
    let out = file.with_extension("net");
    let output = fann(&["convert", str_of(&file), "--out", str_of(&out)]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.ends_with("no weights\nhelp: whimbrel net train makes them\n"), "{message}");
}

#[test]
fn a_network_that_cannot_grow_is_named() {
    let net = xor("fann_no_growth", &[]);
    let out = net.with_file_name("grown.net");
    let cascade = ["cascade", XOR, "--out", str_of(&out)];
    let from = [&cascade[..], &["--from", str_of(&net)]].concat();
    refused(&from, &["xor.net: ", "network with shortcuts", "train --shortcut makes one"]);
    let batch = [&cascade[..], &["--algorithm", "batch"]].concat();
    refused(&batch, &["--algorithm", "with batch", "rprop"]);
    assert!(!out.exists());
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let net = xor("fann_wrong", &[]);
    let folder = net.parent().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let out = folder.join("out.net");
    let (out, net) = (str_of(&out), str_of(&net));
    let short = file("short.data", "4 2 1\n-1 -1\n");
    refused(&["train", str_of(&short), "--layers", "2,3,1", "--out", out], &["short.data", "line"]);
    refused(&["train", XOR, "--layers", "3,3,1", "--out", out], &["xor.data", "(3)", "(2)"]);
    refused(&["train", XOR, "--layers", "2", "--out", out], &["--layers", "2,3,1"]);
    refused(&["train", "nothing.data", "--layers", "2,1", "--out", out], &["nothing.data"]);
    refused(&["train", XOR, "--layers", "2,3,1", "--out", net], &["is there already", "--force"]);
    refused(&["train", XOR, "--from", net, "--out", net], &["is an input file"]);
    let wrong = file("wrong.net", "FANN_FLO_9.9\n");
    refused(&["info", str_of(&wrong)], &["wrong.net", "version"]);
    refused(&["run", net, str_of(&file("words.txt", "1 one\n"))], &["line 1", "\"one\""]);
    refused(&["run", net, str_of(&file("wide.txt", "1 2 3\n"))], &["line 1", "(2)", "(3)"]);
    let known = [".net", ".safetensors", ".onnx"];
    refused(&["convert", net, "--out", &out.replace(".net", ".txt")], &["not known"]);
    refused(&["convert", net, "--out", &out.replace(".net", ".bin")], &known);
    let plot = ["--plot", "error.gif"];
    let train = ["train", XOR, "--layers", "2,3,1", "--out", out];
    refused(&[&train[..], &plot].concat(), &["error.gif", ".svg or .png"]);
    refused(&["convert", net, "--out", &out.replace(".net", ".onnx"), "--fixed"], &["--fixed"]);
    assert!(!Path::new(out).exists());
    let output = fann(&["train", XOR, "--layers", "2,1", "--algorithm", "adam", "--out", out]);
    assert!(text(&output.stderr).contains("rprop"), "{}", text(&output.stderr));
}

/// A limit on the size of files, which needs no privileges, stands for the full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_network_that_was_there() {
    let net = xor("fann_full_disk", &[]);
    let before = fs::read(&net).unwrap();
    let copy = net.with_file_name("copy.net");
    fs::copy(&net, &copy).unwrap();
    let limited = |arguments: &[&str]| {
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" fann \"$@\"";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_whimbrel")]).args(arguments);
        let output = command.current_dir(support::root()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("xor.net\" for writing.\nFile too large"), "{message}");
    };
    let out = ["--out", str_of(&net), "--force"];
    limited(&[&["train", XOR, "--layers", "2,3,1"], &out[..]].concat());
    limited(&[&["convert", str_of(&copy), "--fixed"], &out[..]].concat());
    assert!(fs::read(&net).unwrap() == before);
    assert_eq!(fs::read_dir(net.parent().unwrap()).unwrap().count(), 2, "nothing is left over");
}
