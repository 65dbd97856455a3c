//! C programs in the style of FANN's documentation, compiled against FANN's headers: with libfann and with ours in
//! its place they print the same. Text is compared exactly, numbers within [`TOLERANCE`]. Skipped, with the
//! reason printed, where FANN or a C compiler is not installed.
#![cfg(target_os = "linux")]

mod libraries;

use libraries::{compile, folder, ours, run};

/// How far numbers may be apart, in parts of the larger of them and one. Programs print five or six
/// decimal places.
const TOLERANCE: f64 = 2e-5;

fn agrees(name: &str) {
    let home = folder(name);
    let program = match compile(&format!("{name}.c"), &home) {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let library = ours(&home.join("lib"));
    let theirs = run(&program, &home.join("theirs"), None);
    let ours = run(&program, &home.join("ours"), library.parent());
    assert!(theirs.status.success(), "with libfann: {}", theirs.status);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ours.status.success(), "{}: {}{}", ours.status, text(&ours.stdout), text(&ours.stderr));
    compare(&text(&theirs.stdout), &text(&ours.stdout));
    compare(&text(&theirs.stderr), &text(&ours.stderr));
}

/// Fails at the first line that differs.
fn compare(theirs: &str, ours: &str) {
    for (number, (theirs, ours)) in (1..).zip(theirs.lines().zip(ours.lines())) {
        assert!(same_line(theirs, ours), "line {number}:\nlibfann: {theirs}\nours:    {ours}");
    }
    assert_eq!(theirs.lines().count(), ours.lines().count());
}

fn same_line(theirs: &str, ours: &str) -> bool {
    let words = |line: &str| {
        let ends = |c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c));
        line.split_inclusive(ends).map(str::to_owned).collect::<Vec<_>>()
    };
    let (theirs, ours) = (words(theirs), words(ours));
    theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(a, b)| same_word(a, b))
}

fn same_word(theirs: &str, ours: &str) -> bool {
    let number = |word: &str| word.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<f64>();
    let near = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0);
    theirs == ours || matches!((number(theirs), number(ours)), (Ok(a), Ok(b)) if near(a, b))
}

#[test]
fn lines_are_told_apart() {
    assert!(same_line("a 1.00000, b", "a 1.00001, b"));
    assert!(!same_line("a 1.00000, b", "a 1.0001, b"));
    assert!(!same_line("Epochs 10.", "Epochs 11."));
    assert!(!same_line("one", "one two"));
    assert!(!same_line("3 neurons", "3 layers"));
}

/// A test for each program.
macro_rules! programs {
    ($($(#[$attribute:meta])* $name:ident)*) => { $(
        $(#[$attribute])*
        #[test]
        fn $name() {
            agrees(stringify!($name));
        }
    )* };
}

programs! {
    shapes
    activations
    settings
    train
    shortcuts
    data
    scaling
    errors
    steps
    cascade
    files
}

/// libfann would read files beyond their end, die of these calls or spoil what there was, so what is expected is kept.
#[test]
fn what_libfann_dies_of_is_refused() {
    let home = folder("refused");
    let program = match compile("refused.c", &home) {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let library = ours(&home.join("lib"));
    let output = run(&program, &home, library.parent());
    assert!(output.status.success(), "{}", output.status);
    let expected = include_str!("programs/refused.txt");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
