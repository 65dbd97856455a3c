//! `WHIMBREL_THREADS` decides the default size when it makes sense, and is ignored when it does not.

use std::process::Command;

use whimbrel_threads::{MAX_SIZE, Pool, available_cores, default_size};

const EXPECTED: &str = "WHIMBREL_TEST_EXPECTED_SIZE";

#[test]
fn default_size_follows_the_variable_or_ignores_it() {
    // The environment of a running process must not change, so each case is a process: this test again.
    if let Ok(expected) = std::env::var(EXPECTED) {
        assert_eq!(default_size().to_string(), expected);
        assert_eq!(Pool::with_default_size().size(), default_size());
        assert_eq!(Pool::new(5).size(), 5);
        return;
    }
    let cores = available_cores();
    let cases = [("3", 3), (" 7 ", 7), ("123456", MAX_SIZE)]
        .into_iter()
        .chain(["", "0", "-2", "many", "1.5"].map(|value| (value, cores)));
    for (value, expected) in cases {
        let this = std::env::current_exe().expect("the test's own path");
        let child = Command::new(this)
            .args(["--exact", "default_size_follows_the_variable_or_ignores_it"])
            .env("WHIMBREL_THREADS", value)
            .env(EXPECTED, expected.to_string())
            .output()
            .expect("the test runs itself");
        assert!(child.status.success(), "{value:?}: {}", String::from_utf8_lossy(&child.stdout));
    }
}
