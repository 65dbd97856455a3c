//! What learning a forecaster says while it goes on: a bar on a terminal, nothing elsewhere.
#![cfg(target_os = "linux")]

mod support;

use std::process::{Command, Stdio};
use support::{folder, root, text, whimbrel};

const DATA: &str = "examples/air_passengers.csv --model nlinear --horizon 12";

/// What is seen of a command on a terminal; none where there is no program that brings one along.
fn on_a_terminal(arguments: &str) -> Option<String> {
    let line = format!("exec \"$WHIMBREL\" {arguments}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
    script.env("WHIMBREL", env!("CARGO_BIN_EXE_whimbrel")).env("TERM", "xterm");
    match script.output() {
        Ok(output) => {
            let seen = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{seen}");
            Some(seen)
        }
        Err(error) => {
            eprintln!("skipped, script does not run: {error}");
            None
        }
    }
}

#[test]
fn a_terminal_sees_a_bar_with_both_losses() {
    let model = folder("fit_talk").join("m.safetensors");
    let options = "--max-steps 200 --val-size 12 --val-check-steps 10";
    let fit = format!("fit {DATA} {options} --save \"{}\"", model.display());
    let Some(seen) = on_a_terminal(&fit) else { return };
    for part in
        ["1 series, 144 rows", " % ━", "NLinear  loss 0.", "  val ", " left", "learned from"]
    {
        assert!(seen.contains(part), "{seen:?} lacks {part:?}");
    }
    let quiet = on_a_terminal(&format!("{fit} --quiet"));
    assert_eq!(quiet.as_deref(), Some(""));
}

#[test]
fn no_terminal_sees_no_bar() {
    let cv = format!("cv {DATA} --max-steps 20 --val-check-steps 5 --n-windows 2 --refit");
    let output = whimbrel().args(cv.split(' ')).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}
