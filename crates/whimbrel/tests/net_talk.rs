//! What `whimbrel net train` says at each level, and the pictures it leaves.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{folder, root, text, whimbrel};

/// Exclusive or in an empty folder of its own.
fn xor(test: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    for name in ["xor.toml", "xor.csv"] {
        fs::copy(root().join("examples").join(name), folder.join(name)).unwrap();
    }
    folder.join("xor.toml")
}

fn net(command: &str, file: &Path, arguments: &[&str]) -> Output {
    whimbrel().args(["net", command]).arg(file).args(arguments).output().unwrap()
}

#[test]
fn quiet_says_nothing_and_prints_only_json() {
    let file = xor("talk_quiet");
    let output = net("train", &file, &["--quiet"]);
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    let output = net("train", &file, &["--quiet", "--resume", "--json"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((result["steps"].as_u64(), output.stderr), (Some(500), vec![]));
    let output = net("train", &file, &["--quiet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: "), "errors are not silenced");
    let output = net("train", &file, &["--quiet", "--verbose"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn verbose_shows_settings_epochs_checkpoints_and_where_time_went() {
    let output = net("train", &xor("talk_verbose"), &["--verbose"]);
    let said = text(&output.stderr);
    for line in [
        "layer 0         linear, bias = true, out_features = 8\n",
        "optimiser       adam, ",
        "length          epochs = 500\n",
        "step 1/500  epoch 1, loss ",
        "step 500/500  epoch 500, loss 0.000",
        "  checkpoint written\n",
        "\nphase         seconds   share         rows       rows/s      peak MB\nread ",
        "\nlearn ",
        "\ncheckpoint ",
        "\nall ",
    ] {
        assert!(said.contains(line), "{said:?} lacks {line:?}");
    }
    assert!(!said.contains("\nvalidate "), "there is no validation: {said}");
    let printed = text(&output.stdout);
    assert!(printed.starts_with("500 steps, epoch 500, loss 0.000"), "{printed}");
}

#[test]
fn json_has_what_the_monitor_saw() {
    let output = net("train", &xor("talk_json"), &["--json"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let phases = result["monitor"].as_array().unwrap();
    let seen: Vec<_> = phases.iter().map(|p| (p["phase"].as_str(), p["rows"].as_u64())).collect();
    let expected = [("read", 4), ("compile", 0), ("learn", 2000), ("checkpoint", 0)];
    assert_eq!(seen, expected.map(|(name, rows)| (Some(name), Some(rows))));
    assert!(phases.iter().all(|phase| phase["seconds"].as_f64().unwrap() > 0.0), "{result}");
}

#[test]
fn the_log_has_no_times() {
    let file = xor("talk_log");
    net("train", &file, &["--verbose"]);
    let log = fs::read_to_string(file.with_extension("run").join("log.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["epoch", "loss", "lr", "step"]);
}

#[test]
fn a_picture_that_no_training_left_is_not_replaced() {
    let file = xor("talk_foreign");
    let run = file.with_extension("run");
    let svg = run.join("loss.svg");
    fs::create_dir_all(&run).unwrap();
    fs::write(&svg, "<svg><title>Mine</title></svg>").unwrap();
    for options in [&[][..], &["--resume"]] {
        let output = net("train", &file, options);
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        let expected = "loss.svg: is there already and not of whimbrel; move it away";
        assert!(message.contains(expected) && message.contains("help: checkpoints ="), "{message}");
        let left: Vec<_> = fs::read_dir(&run).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(left, std::slice::from_ref(&svg), "nothing else was begun");
    }
    let mine = run.with_extension("mine");
    fs::rename(&svg, &mine).unwrap();
    assert_eq!(net("train", &file, &[]).status.code(), Some(0));
    let drawn = fs::read(&svg).unwrap();
    fs::copy(&mine, &svg).unwrap();
    let output = net("plot", &file, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("help: --out names another"), "{}", text(&output.stderr));
    assert!(fs::read(&svg).unwrap() == fs::read(&mine).unwrap());
    // One that a training left is replaced, also where it is all that is left.
    fs::remove_dir_all(&run).unwrap();
    fs::create_dir_all(&run).unwrap();
    fs::write(&svg, &drawn).unwrap();
    assert_eq!(net("train", &file, &[]).status.code(), Some(0));
}

#[test]
fn losses_are_drawn_as_svg_and_png() {
    let file = xor("talk_plot");
    let output = net("plot", &file, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("help: whimbrel net train writes it"));
    net("train", &file, &[]);
    let svg = file.with_extension("run").join("loss.svg");
    let left = fs::read(&svg).unwrap();
    fs::remove_file(&svg).unwrap();
    let output = net("plot", &file, &[]);
    assert_eq!(text(&output.stdout), format!("{}\n", svg.display()));
    assert!(fs::read(&svg).unwrap() == left, "the picture the training left");
    let png = file.with_extension("png");
    net("plot", &file, &["--out", png.to_str().unwrap()]);
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let output = net("plot", &file, &["--out", png.to_str().unwrap(), "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said, serde_json::json!({ "file": png, "format": "png" }));
    let output = net("plot", &file, &["--out", "losses.gif"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("use .svg or .png"), "{}", text(&output.stderr));
}
