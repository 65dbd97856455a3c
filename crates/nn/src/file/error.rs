//! What is wrong with a network file, and where.

use std::fmt;
use std::path::PathBuf;

/// A mistake in a network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong, with the field and the remedy.
    pub problem: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for FileError {}

/// A message of the parser as one line, with what to do where it does not say so. A value of the wrong
/// kind is shown as it is `written`, since the message does not name its field.
pub(super) fn explain(message: &str, written: &str) -> String {
    let line = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    match line.strip_prefix("missing field ") {
        Some(field) => format!("{field} is missing; add it here"),
        None if line.contains("expected unit struct") => {
            "this type has no settings; remove all fields but `type`".into()
        }
        None if line.starts_with("invalid") => format!("{written}: {line}"),
        None => line,
    }
}
