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
}
