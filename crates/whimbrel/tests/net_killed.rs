//! Trainings killed with SIGKILL at any moment and resumed end as undisturbed ones, to the bit.
#![cfg(unix)]

mod support;

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use support::{folder, text, whimbrel};

/// Dropout, running statistics, early stopping that does not come, and a checkpoint every 7 steps.
const NETWORK: &str = r#"
[data]
file = "points.csv"
target = "class"
validation = 0.2

[[network.layers]]
type = "batch_norm1d"
[[network.layers]]
type = "linear"
out_features = 16
[[network.layers]]
type = "relu"
[[network.layers]]
type = "dropout"
p = 0.1
[[network.layers]]
type = "linear"
out_features = 3

[training]
loss = { type = "cross_entropy" }
optimiser = { type = "adam", lr = 0.01 }
schedule = { type = "cosine", T_max = 300 }
steps = 300
batch_size = 25
early_stopping = { patience = 1000 }
checkpoints = { every = 7 }
"#;

/// The same, its rows streamed through a buffer of fewer rows than there are.
fn streamed() -> String {
    let streamed = "validation = 0.2\nstream = true\nshuffle_rows = 50";
    NETWORK.replacen("validation = 0.2", streamed, 1)
}

/// A network file and its data in an empty folder.
fn network(test: &str, text: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    let rows = (0..180).map(|i| {
        let (x, y) = (f64::from(i % 15) / 15.0, f64::from(i / 15) / 12.0);
        format!("{x},{y},{}\n", i32::from(x > 0.5) + i32::from(y > x))
    });
    fs::write(folder.join("points.csv"), format!("x,y,class\n{}", rows.collect::<String>()))
        .unwrap();
    fs::write(folder.join("net.toml"), text).unwrap();
    folder.join("net.toml")
}

/// Starts or resumes the training.
fn train(file: &Path) -> Child {
    let mut command = whimbrel();
    command.args(["net", "train", "--threads", "1", "--resume"]).arg(file);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end and expects success.
fn finish(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Weights and log in the end.
fn results(file: &Path) -> (Vec<u8>, String) {
    let run = file.with_extension("run");
    let weights = fs::read(run.join("weights.safetensors")).unwrap();
    (weights, fs::read_to_string(run.join("log.jsonl")).unwrap())
}

/// Waits until the log has so many lines, or the training ends.
fn wait_for_lines(child: &mut Child, file: &Path, lines: usize) {
    let log = file.with_extension("run").join("log.jsonl");
    let written = || fs::read(&log).unwrap_or_default().iter().filter(|&&b| b == b'\n').count();
    while written() < lines && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
}

/// Kills a training after each of so many lines of its log, and expects what an undisturbed one gives;
/// returns that, and how many were killed while they learned.
fn kill(test: &str, text: &str, moments: &[usize]) -> ((Vec<u8>, String), usize) {
    let whole = network(&format!("{test}_whole"), text);
    finish(train(&whole));
    let expected = results(&whole);
    let mut under_way = 0;
    // What happens just after a line is written differs from run to run: validation, a checkpoint, its
    // renaming, steps of the next epoch.
    for &lines in moments {
        let file = network(test, text);
        let mut child = train(&file);
        wait_for_lines(&mut child, &file, lines);
        child.kill().unwrap();
        child.wait().unwrap();
        let run = file.with_extension("run");
        under_way += usize::from(run.exists() && !run.join("weights.safetensors").exists());
        finish(train(&file));
        assert!(results(&file) == expected, "killed after {lines} lines");
    }
    (expected, under_way)
}

#[test]
fn a_killed_training_resumes_to_the_same_bits() {
    let moments = [0, 1, 2, 3, 5, 6, 7, 8, 13, 14, 15, 20, 21, 27, 28, 33, 34, 41, 48, 49];
    let (expected, under_way) = kill("killed", NETWORK, &moments);
    assert_eq!(expected.1.lines().count(), 50, "6 steps an epoch");
    assert!(under_way >= 10, "only {under_way} of 20 runs were killed while they learned");
}

#[test]
fn a_killed_streamed_training_resumes_to_the_same_bits() {
    let moments = [0, 1, 2, 5, 7, 8, 13, 20, 27, 34, 41, 45];
    let (expected, under_way) = kill("killed_streamed", &streamed(), &moments);
    assert_eq!(expected.1.lines().count(), 50, "6 steps an epoch");
    assert!(under_way >= 6, "only {under_way} of 12 runs were killed while they learned");
}

#[test]
fn a_training_killed_again_and_again_resumes_to_the_same_bits() {
    for (test, text) in [("killed_often", NETWORK), ("killed_often_streamed", &streamed())] {
        let whole = network(&format!("{test}_whole"), text);
        finish(train(&whole));
        let file = network(test, text);
        for lines in [2, 4, 9, 11, 17, 24, 25, 30, 38, 45] {
            let mut child = train(&file);
            wait_for_lines(&mut child, &file, lines);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        finish(train(&file));
        assert!(results(&file) == results(&whole), "{test}");
    }
}

/// The seed of the moments; `WHIMBREL_KILL_SEED` draws others.
fn seed() -> u64 {
    std::env::var("WHIMBREL_KILL_SEED").map_or(1, |seed| seed.parse().unwrap())
}

/// A number below `bound` of a seed and a number, by splitmix64.
fn draw(seed: u64, number: u64, bound: u64) -> usize {
    let mut x = seed.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) % bound) as usize
}

/// The files of a run and their sizes: half-written ones, checkpoints that come and go, the log.
fn files(file: &Path) -> Vec<(OsString, u64)> {
    let entries = fs::read_dir(file.with_extension("run")).into_iter().flatten().flatten();
    let size = |entry: &fs::DirEntry| entry.metadata().map_or(0, |data| data.len());
    let mut files: Vec<_> = entries.map(|entry| (entry.file_name(), size(&entry))).collect();
    files.sort();
    files
}

/// Waits until the files of the run were seen to change so many times, or the training ends.
fn wait_for_changes(
    child: &mut Child,
    file: &Path,
    mut before: Vec<(OsString, u64)>,
    times: usize,
) {
    let mut changes = 0;
    while changes < times && child.try_wait().unwrap().is_none() {
        let now = files(file);
        changes += usize::from(now != before);
        before = now;
    }
}

/// Starts or resumes a training and kills it after so many lines of its log and then so many changes of its
/// files; says whether it was learning.
fn is_killed(file: &Path, lines: usize, changes: usize) -> bool {
    let before = files(file);
    let mut child = train(file);
    wait_for_lines(&mut child, file, lines);
    wait_for_changes(&mut child, file, before, changes);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    let last = file.with_extension("run").join("checkpoint-000000000300.safetensors");
    status.signal() == Some(9) && !last.exists()
}

/// Kills that meet the middle of a file as well as a step. Each is one of a training that has begun and not come to its
/// end: what ended before it was killed is done again, with other moments.
#[test]
fn a_training_killed_at_random_moments_resumes_to_the_same_bits() {
    const KILLS: usize = 20;
    let seed = seed();
    println!("WHIMBREL_KILL_SEED={seed}");
    let variants = [("killed_random", NETWORK.to_owned()), ("killed_random_streamed", streamed())];
    let expected = variants.each_ref().map(|(test, text)| {
        let whole = network(&format!("{test}_whole"), text);
        finish(train(&whole));
        results(&whole)
    });
    let (mut kills, mut tries) = (0, 0);
    while kills < KILLS {
        assert!(
            tries < 10 * KILLS as u64,
            "only {kills} of {tries} trainings were killed under way"
        );
        let variant = kills / 2 % 2;
        let (test, text) = &variants[variant];
        let file = network(test, text);
        // Once where it is, and once more on the way back.
        let mut kill = |earliest| {
            tries += 1;
            let lines = earliest + draw(seed, 2 * tries, 20);
            is_killed(&file, lines, 1 + draw(seed, 2 * tries + 1, 12))
        };
        let killed = kill(0) && kill(20);
        kills += 2 * usize::from(killed);
        finish(train(&file));
        assert!(results(&file) == expected[variant], "{test}, try {tries}: seed {seed}");
    }
    println!("{kills} killed under way, of {tries}");
}
