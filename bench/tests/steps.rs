//! Whole models compute what the peer computes from the same parameters and windows.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use whimbrel_bench::fill::Digest;
use whimbrel_bench::peer::Peer;
use whimbrel_bench::suites::steps::{Step, cases};

/// Prints the peer's answer to each case named, one line each, without timing anything.
const ANSWERS: &str = "
import json, sys
sys.path.insert(0, 'bench/peers')
import fill, steps
for case in sys.argv[1:]:
    print(json.dumps(fill.digest(steps.answer(case, None))), flush=True)
";

#[test]
#[ignore = "needs the peer environment: bench/setup"]
fn every_case_answers_as_the_peer_does() {
    let Some(root) = Peer::environment() else {
        eprintln!("skipped: there is no peer environment, bench/setup makes one");
        return;
    };
    let only = std::env::var("WHIMBREL_STEPS").unwrap_or_default();
    let steps: Vec<Step> = cases().into_iter().filter(|s| s.name().contains(&only)).collect();
    let mut peer = Command::new(root.join(".venv/bin/python"))
        .args(["-c", ANSWERS])
        .args(steps.iter().map(Step::name))
        .current_dir(&root)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(peer.stdout.take().unwrap()).lines();
    let mut wrong = Vec::new();
    for (step, line) in steps.iter().zip(lines) {
        let theirs: Digest = serde_json::from_str(&line.unwrap()).unwrap();
        let distance = match step.answer(2) {
            Ok(ours) => ours.distance(&theirs),
            Err(error) => {
                wrong.push(format!("{}: {error}", step.name()));
                continue;
            }
        };
        println!("{:<24} {distance:.1e}", step.name());
        if distance > 1e-4 {
            wrong.push(format!("{}: {distance:.1e}", step.name()));
        }
    }
    assert!(peer.wait().unwrap().success());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
