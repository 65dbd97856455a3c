//! Runs the binary as a user does.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The binary, without settings of the environment it is tested in.
pub fn whimbrel() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whimbrel"));
    command.current_dir(root()).env_remove("WHIMBREL_THREADS");
    command
}

/// The folder the README's commands are run in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `whimbrel forecast` with arguments separated by blanks.
pub fn forecast(arguments: &str) -> Output {
    whimbrel().arg("forecast").args(arguments.split_whitespace()).output().unwrap()
}

/// A fresh folder for one test's files.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What was printed, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
