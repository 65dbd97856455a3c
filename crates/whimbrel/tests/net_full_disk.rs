//! A disk that is full while a checkpoint is written: the run stops with a message, nothing that was
//! whole is lost, and with room again it ends as an undisturbed one, to the bit.
//!
//! A limit on the size of files, which needs no privileges, stands for the full disk: a write beyond it
//! fails in the same place.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{folder, text, whimbrel};

/// Checkpoints of about 170 kB, a log of a few kB.
const NETWORK: &str = r#"
[data]
file = "points.csv"
target = "y"
validation = 0.25

[[network.layers]]
type = "linear"
out_features = 100
[[network.layers]]
type = "tanh"
[[network.layers]]
type = "linear"
out_features = 100
[[network.layers]]
type = "tanh"
[[network.layers]]
type = "linear"
out_features = 1

[training]
loss = { type = "mse" }
optimiser = { type = "adam", lr = 0.01 }
epochs = 12
batch_size = 10
early_stopping = { patience = 100 }
checkpoints = { every = 5 }
"#;

fn network(test: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let rows = (0..60).map(|i| format!("{},{}\n", f64::from(i) / 60.0, f64::from(i % 7)));
    fs::write(folder.join("points.csv"), format!("x,y\n{}", rows.collect::<String>())).unwrap();
    fs::write(folder.join("net.toml"), NETWORK).unwrap();
    folder.join("net.toml")
}

fn train(file: &Path) -> Output {
    whimbrel().args(["net", "train", "--resume"]).arg(file).output().unwrap()
}

/// Trains with files limited to so many units of 512 bytes.
fn train_limited(file: &Path, limit: usize) -> Output {
    // Ignored, the signal leaves it to the failing write to say what happened.
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" net train --resume \"$1\"");
    let program = env!("CARGO_BIN_EXE_whimbrel");
    Command::new("sh").args(["-c", &script, program]).arg(file).output().unwrap()
}

fn names(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn results(file: &Path) -> [Vec<u8>; 2] {
    let run = file.with_extension("run");
    ["weights.safetensors", "log.jsonl"].map(|name| fs::read(run.join(name)).unwrap())
}

#[test]
fn a_full_disk_stops_the_run_and_costs_nothing_that_was_whole() {
    let whole = network("full_disk_whole");
    let output = train(&whole);
    assert!(output.status.success(), "{}", text(&output.stderr));

    let file = network("full_disk");
    let run = file.with_extension("run");
    // No checkpoint fits; then best weights fit, checkpoints do not.
    for limit in [40, 200] {
        let output = train_limited(&file, limit);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(".safetensors: cannot be written: File too large"), "{message}");
        assert!(message.contains("make room on the disk"), "{message}");
        assert!(message.contains("help: --resume then goes on from the last"), "{message}");
        let left = names(&run);
        assert!(!left.iter().any(|name| name.starts_with("checkpoint")), "{left:?}");
        assert!(!left.iter().any(|name| name.ends_with(".tmp")), "{left:?}");
    }
    assert!(train(&file).status.success());
    assert!(results(&file) == results(&whole));
}

#[test]
fn the_last_good_checkpoint_outlives_a_full_disk() {
    // A small network whose log outgrows the limit after some checkpoints.
    let small = NETWORK.replace("= 100\n[[", "= 2\n[[").replace("epochs = 12", "epochs = 60");
    let whole = network("full_later_whole");
    fs::write(&whole, &small).unwrap();
    assert!(train(&whole).status.success());

    let file = network("full_later");
    fs::write(&file, &small).unwrap();
    let output = train_limited(&file, 10);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("log.jsonl: cannot be written: File too large"), "{message}");
    let run = file.with_extension("run");
    let left = names(&run);
    let checkpoints = || left.iter().filter(|name| name.starts_with("checkpoint"));
    assert_eq!(checkpoints().count(), 2, "{left:?}");
    let bytes = || -> Vec<_> { checkpoints().map(|n| fs::read(run.join(n)).unwrap()).collect() };
    let before = bytes();

    let output = train_limited(&file, 10);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(bytes() == before, "a checkpoint has changed");
    assert!(train(&file).status.success());
    assert!(results(&file) == results(&whole));
}

/// The only checkpoint is a good one; the disk is full while the next is written, whose rotation would
/// remove it.
#[test]
fn a_checkpoint_that_does_not_fit_leaves_the_one_before() {
    let whole = network("full_next_whole");
    let all = NETWORK.replace("every = 5", "every = 5, keep = 100");
    fs::write(&whole, &all).unwrap();
    assert!(train(&whole).status.success());

    // The folder as a run leaves it that is killed after its second checkpoint.
    let file = network("full_next");
    fs::write(&file, all.replace("keep = 100", "keep = 1")).unwrap();
    let (from, run) = (whole.with_extension("run"), file.with_extension("run"));
    fs::create_dir_all(&run).unwrap();
    let good = "checkpoint-000000000010.safetensors";
    for name in [good, "best.safetensors", "log.jsonl"] {
        fs::copy(from.join(name), run.join(name)).unwrap();
    }
    let before = fs::read(run.join(good)).unwrap();
    for _ in 0..2 {
        let output = train_limited(&file, 200);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let says = "checkpoint-000000000015.safetensors: cannot be written: File too large";
        assert!(message.contains(says), "{message}");
        assert_eq!(names(&run), ["best.safetensors", good, "log.jsonl"]);
        assert!(fs::read(run.join(good)).unwrap() == before, "the checkpoint has changed");
    }
    let output = train(&file);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(results(&file) == results(&whole));
}
