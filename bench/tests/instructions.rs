//! The gate on executed instructions, as it is used: count, store, count again.
//!
//! Without valgrind or AVX2 the program counts nothing, says so, and there is nothing to test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use whimbrel_bench::row;
use whimbrel_bench::suites::gate::EXTRA;

/// Runs the gate on the cases that contain `filter`, slowed down by `extra` turns of a loop.
fn gate(filter: &str, extra: u64, options: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_whimbrel-bench"))
        .args(["gate", "--filter", filter])
        .args(options)
        .env(EXTRA, extra.to_string())
        .output()
        .unwrap()
}

/// Counts and stores; `None` where nothing can be counted.
fn stored(filter: &str, file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let output = gate(filter, 0, &["--json".as_ref(), &path]);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    let rows = row::read(&path).unwrap();
    assert_eq!(rows.is_empty(), messages.contains("skipped"), "{messages}");
    (!rows.is_empty()).then_some(path)
}

#[test]
fn an_injected_slow_down_fails_the_gate_and_a_clean_run_does_not() {
    let Some(old) = stored("exp/", "instructions.json") else { return };
    let counted = row::read(&old).unwrap()[0].ours.unwrap();
    let compare = |extra: u64| gate("exp/", extra, &["--compare".as_ref(), &old]);
    assert_eq!(compare(0).status.code(), Some(0));
    // A turn takes at least one instruction.
    let slow = compare((counted / 20.0) as u64);
    assert_eq!(slow.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&slow.stdout).contains("REGRESSION"));
}

#[test]
#[ignore = "minutes: counts every case twenty-one times"]
fn twenty_clean_runs_raise_no_alarm() {
    let Some(old) = stored("", "instructions-20.json") else { return };
    for run in 1..=20 {
        let output = gate("", 0, &["--compare".as_ref(), &old]);
        let table = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "run {run}:\n{table}");
    }
}
