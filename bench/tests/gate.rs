//! The regression gate as it is used: two files of rows, one verdict by exit status.
//!
//! The rows are simulated: each round is the true time with normal noise of the stated spread, and
//! each whole run has a speed of its own, as a virtual machine has.

use std::path::{Path, PathBuf};
use std::process::Command;

use whimbrel_bench::compare::Comparison;
use whimbrel_bench::rounds::{Interleaved, Samples};
use whimbrel_bench::row::{self, Row, Unit};

/// The (p90 - p10) of a normal distribution with standard deviation 1.
const NORMAL_SPREAD: f64 = 2.563;

const ROWS: usize = 60;
const ROUNDS: usize = 7;

/// SplitMix64, with normal numbers by Box and Muller.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// One run of a suite whose rows have true times of 1 us, 2 us, ..., rounds of the given spread,
/// the row `slow` taking `slow_down` times as long. Every third row has no peer.
fn run(seed: u64, spread: f64, slow: usize, slow_down: f64) -> Vec<Row> {
    let random = &mut Random(seed);
    let sigma = spread / NORMAL_SPREAD;
    (0..ROWS)
        .map(|index| {
            let truth = (index + 1) as f64 * if index == slow { slow_down } else { 1.0 };
            let noisy = |random: &mut Random, truth: f64| -> Vec<f64> {
                (0..ROUNDS).map(|_| truth * (1.0 + sigma * random.normal())).collect()
            };
            let ours = noisy(random, truth);
            let peer = noisy(random, 3.0 * (index + 1) as f64);
            let rounds = Interleaved { ours, peer, between: Vec::new() };
            let mut row =
                Row::new("simulated", &format!("case-{index}"), "time", Unit::Microseconds);
            if index % 3 != 0 {
                row.ratio = rounds.ratios().median();
                row.peer = Samples::new(rounds.peer).median();
            }
            let ours = Samples::new(rounds.ours);
            row.ours = ours.median();
            row.spread = ours.spread();
            row
        })
        .collect()
}

#[test]
fn twenty_clean_runs_raise_no_alarm_at_any_noise() {
    for (index, spread) in [0.01, 0.03, 0.1, 0.2, 0.3].into_iter().enumerate() {
        let seed = 1000 * index as u64;
        let baseline = run(seed, spread, 0, 1.0);
        for clean in 1..=20 {
            let comparison = Comparison::new(&baseline, &run(seed + clean, spread, 0, 1.0));
            assert_eq!(comparison.changes.len(), ROWS);
            let alarms: Vec<_> = comparison.regressions().collect();
            assert!(alarms.is_empty(), "spread {spread}, run {clean}: {alarms:?}");
        }
    }
}

#[test]
fn a_machine_half_as_fast_raises_no_alarm_where_a_peer_ran() {
    let baseline = run(7, 0.05, 0, 1.0);
    let mut slower = run(8, 0.05, 0, 1.0);
    for row in &mut slower {
        row.ours = row.ours.map(|ours| 2.0 * ours);
    }
    let comparison = Comparison::new(&baseline, &slower);
    assert!(comparison.regressions().all(|change| change.new.ratio.is_none()));
}

#[test]
fn an_injected_slow_down_is_found_and_nothing_else() {
    for (slow, spread, slow_down) in [(0, 0.01, 1.1), (1, 0.05, 1.3), (58, 0.1, 1.5)] {
        let comparison =
            Comparison::new(&run(21, spread, slow, 1.0), &run(22, spread, slow, slow_down));
        let found: Vec<_> = comparison.regressions().map(|c| c.new.case.clone()).collect();
        assert_eq!(found, [format!("case-{slow}")]);
    }
}

#[test]
fn the_program_exits_with_one_on_a_regression_and_zero_without() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let stored = |name: &str, rows: &[Row]| {
        let path = folder.join(name);
        row::write(&path, rows).unwrap();
        path
    };
    let old = stored("old.json", &run(31, 0.05, 1, 1.0));
    let clean = stored("clean.json", &run(32, 0.05, 1, 1.0));
    let slow = stored("slow.json", &run(32, 0.05, 1, 1.5));
    assert_eq!(compare(&old, &clean), (Some(0), false));
    assert_eq!(compare(&old, &slow), (Some(1), true));
    assert_eq!(compare(&folder.join("absent.json"), &slow), (Some(1), false));
}

/// The program's exit status and whether it named a regression.
fn compare(old: &Path, new: &Path) -> (Option<i32>, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_whimbrel-bench"))
        .args([Path::new("--from"), new, Path::new("--compare"), old])
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).contains("REGRESSION"))
}
