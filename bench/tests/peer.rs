//! The conversation with a peer process, held with a stand-in that answers from a script.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use whimbrel_bench::context::{Case, Context, Report, Rival};
use whimbrel_bench::fill::{self, Digest};
use whimbrel_bench::peer::Peer;
use whimbrel_bench::row::Unit;

/// A project root whose "python" is a shell script: the one-thread peer is slower than the
/// two-thread peer, and both answer with the digest of [1, 2].
fn stand_in(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let python = root.join(".venv/bin/python");
    std::fs::create_dir_all(root.join("bench/peers")).unwrap();
    std::fs::create_dir_all(root.join(".venv/bin")).unwrap();
    std::fs::write(root.join("bench/peers/peer.py"), "").unwrap();
    let script = r#"#!/bin/sh
while read -r question; do
  case "$question" in
    *unknown*) echo '{"error": "no such case"}' ;;
    *prepare*) echo "{\"peer_name\": \"torch t$OMP_NUM_THREADS\", \"seconds\": 0.$((3 - OMP_NUM_THREADS))}" ;;
    *measure*) echo '{"seconds": 1000.0}' ;;
    *answer*) echo '{"len": 2, "sum": 3.0, "abs_sum": 3.0, "picks": [1.0, 2.0]}' ;;
    *) exit 1 ;;
  esac
done
"#;
    std::fs::write(&python, script).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    root
}

fn case<'a>(name: &'a str, answer: Option<(Digest, f64)>) -> Case<'a> {
    Case {
        suite: "any",
        name,
        report: Report::time(Unit::Microseconds),
        work: None,
        threads: 1,
        peer: Some(Rival { case: name, threads: &[1, 2], answer }),
    }
}

#[test]
fn the_fastest_peer_is_measured_and_named() {
    let mut context = Context::new(true, None, Some(stand_in("fastest")));
    let answer = Some((Digest::of(&[1.0, 2.0]), 1e-6));
    let row = context.measure(&case("works", answer), || ()).unwrap();
    assert_eq!(row.peer_name.as_deref(), Some("torch t2"));
    assert_eq!(row.peer, Some(1e9));
    assert!(row.ratio.unwrap() > 1.0);
}

#[test]
fn a_different_answer_is_counted_and_not_compared() {
    let mut context = Context::new(true, None, Some(stand_in("answer")));
    let answer = Some((Digest::of(&[1.0, 2.1]), 1e-3));
    let row = context.measure(&case("works", answer), || ()).unwrap();
    assert!(row.ours.is_some());
    assert_eq!((row.peer, row.peer_name, row.ratio), (None, None, None));
    assert_eq!(context.differences(), 2, "one on each number of threads");
}

#[test]
fn a_failing_or_ended_peer_is_an_error_that_names_its_log() {
    let root = stand_in("failing");
    let mut peer = Peer::start(&root, "any", 1).unwrap();
    let error = peer.prepare("unknown", true).unwrap_err().to_string();
    assert!(error.contains("no such case") && error.contains("peer-any-t1.log"), "{error}");
    let error = peer.ask::<f64>(&serde_json::json!({ "do": "end" })).unwrap_err().to_string();
    assert!(error.contains("ended without an answer"), "{error}");
}

/// The real thing: the peer's product equals a plain one.
#[test]
#[ignore = "needs the peer environment of bench/setup and several seconds to start it"]
fn the_real_peer_gives_the_same_product() {
    let Some(root) = Peer::environment() else {
        eprintln!("skipped: there is no peer environment, bench/setup makes one");
        return;
    };
    let (m, k, n) = (5, 7, 9);
    let (a, b) = (fill::values(1, m * k), fill::values(2, k * n));
    let element = |i: usize| (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum::<f32>();
    let product: Vec<f32> = (0..m * n).map(element).collect();
    let mut context = Context::new(true, None, Some(root));
    let mut case = case("f32/t1/5x7x9", Some((Digest::of(&product), 1e-5)));
    case.suite = "gemm";
    let row = context.measure(&case, || ()).unwrap();
    assert!(row.peer_name.unwrap().starts_with("torch "));
}
