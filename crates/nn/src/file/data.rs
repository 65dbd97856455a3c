//! The table `[data]`: what is learned from.

use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// What becomes of rows in which a number is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// They are refused.
    #[default]
    Error,
    /// They are passed over, but not where they are predicted for.
    Drop,
    /// Missing inputs count as 0; a missing target is refused.
    Zero,
    /// Missing inputs count as the mean of their column over the rows learned from, which is kept with
    /// the weights; a missing target is refused.
    Mean,
}

/// What is learned from.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The rows, relative to the network file: CSV, packed by gzip or not, Parquet, Arrow, NumPy or IDX.
    pub file: PathBuf,
    /// Columns that go in; all but the target unless given. Of named arrays, the one that goes in; `x`
    /// unless given.
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    /// The column to predict, or the array.
    #[serde(default)]
    pub target: Option<String>,
    /// The array to predict, where it is a file of its own, relative to the network file.
    #[serde(default)]
    pub target_file: Option<PathBuf>,
    /// The column that says how much each row counts in the loss, of a table; unless given, all count
    /// alike.
    #[serde(default)]
    pub weight: Option<String>,
    /// What becomes of rows in which a number is missing.
    #[serde(default)]
    pub missing: Missing,
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
