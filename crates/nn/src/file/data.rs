//! The table `[data]`: what is learned from.

use serde::Deserialize;
use std::path::PathBuf;

/// What is learned from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// A CSV file, relative to the network file.
    pub file: PathBuf,
    /// Columns that go in; all but the target unless given.
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    /// The column to predict.
    pub target: String,
    /// The share of rows to validate with.
    #[serde(default)]
    pub validation: f64,
    /// Whether the rows are read again in every epoch instead of held; unless given, where the file is
    /// large.
    #[serde(default)]
    pub stream: Option<bool>,
    /// Rows that are held to draw from where they are streamed; unless given, as many as 32 MiB hold.
    #[serde(default)]
    pub shuffle_rows: Option<usize>,
}
