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
        None if line == "duplicate key" => format!("{written}: is given a second time; remove one"),
        // Of the settings that are a choice of one, `clip` alone is a table.
        None if line.starts_with("wanted exactly 1 element") => {
            format!("{written}: gradients are clipped by norm or by value; give one of the two")
        }
        None if line.starts_with("invalid") || line.starts_with("wanted") => {
            format!("{written}: {}", in_words_of_files(&line))
        }
        None => line,
    }
}

/// What is expected, not as Rust calls it.
fn in_words_of_files(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once("expected ") else {
        return message
            .replace("wanted string or table", "expected text in quotes, or a table { .. }");
    };
    let expected = match expected {
        "usize" | "u64" => "a whole number from 0 on",
        "f64" | "f32" => "a number",
        "a sequence" => "a list, such as [\"a\", \"b\"]",
        kind if kind.starts_with("internally tagged enum") => {
            "a table, such as { type = \"..\" } with its settings"
        }
        kind if kind.starts_with("struct") => "a table, { .. }, of its settings",
        other => other,
    };
    format!("{found}expected {expected}")
}
