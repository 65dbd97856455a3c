//! One measured line, exactly as the JSON file holds it, and the units it may be in.
//!
//! The keys and their order are a contract other programs read. A unit knows which direction is
//! better, so that a stored file can be judged without knowing the suite that wrote it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// One line of a benchmark's result; `None` (JSON `null`) where not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The suite that wrote the row.
    pub suite: String,
    /// The case within the suite, such as `train/mlp-5k/b32`.
    pub case: String,
    /// What was measured, such as `time`.
    pub metric: String,
    /// The unit of `ours` and `peer`.
    pub unit: Unit,
    /// Our median over the rounds.
    pub ours: Option<f64>,
    /// The peer's median over the same rounds.
    pub peer: Option<f64>,
    /// The peer, its version, its form and its threads.
    pub peer_name: Option<String>,
    /// Median of the per-round ratios; above 1 means we are better, whatever the unit.
    pub ratio: Option<f64>,
    /// Percent of this machine's arithmetic limit, measured in the same run.
    pub of_limit: Option<f64>,
    /// (p90 - p10) / median of our rounds.
    pub spread: Option<f64>,
}

impl Row {
    /// A row with everything not measured yet.
    pub fn new(suite: &str, case: &str, metric: &str, unit: Unit) -> Row {
        Row {
            suite: suite.to_owned(),
            case: case.to_owned(),
            metric: metric.to_owned(),
            unit,
            ours: None,
            peer: None,
            peer_name: None,
            ratio: None,
            of_limit: None,
            spread: None,
        }
    }

    /// What identifies the row in another run.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.suite, &self.case, &self.metric)
    }
}

/// Which way is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Larger values are better: rates, shares.
    Higher,
    /// Smaller values are better: times, bytes, counts.
    Lower,
}

/// The units a row may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Thousand million floating-point operations a second; a fused multiply-add counts two.
    #[serde(rename = "GFLOP/s")]
    Gflops,
    /// Thousand million bytes a second.
    #[serde(rename = "GB/s")]
    GigabytesPerSecond,
    /// Training windows a second.
    #[serde(rename = "windows/s")]
    WindowsPerSecond,
    /// Rows of a table learned from, a second.
    #[serde(rename = "samples/s")]
    SamplesPerSecond,
    /// A share of something wanted, in percent.
    #[serde(rename = "%")]
    Percent,
    /// Million elements a second.
    #[serde(rename = "Melem/s")]
    MegaElements,
    /// Bytes.
    #[serde(rename = "B")]
    Bytes,
    /// Million bytes.
    #[serde(rename = "MB")]
    Megabytes,
    /// A plain count of something unwanted, such as allocations.
    #[serde(rename = "count")]
    Count,
    /// Executed instructions.
    #[serde(rename = "instructions")]
    Instructions,
    /// An error of forecasts, in what its metric is in.
    #[serde(rename = "error")]
    Error,
    /// A factor that should be large, such as a speed-up.
    #[serde(rename = "x")]
    Factor,
    /// A factor that should be small, such as bytes over their lower bound.
    #[serde(rename = "of bound")]
    OfBound,
}

impl Unit {
    /// Which way is up.
    pub fn better(self) -> Better {
        match self {
            Unit::Gflops
            | Unit::GigabytesPerSecond
            | Unit::WindowsPerSecond
            | Unit::SamplesPerSecond
            | Unit::Percent
            | Unit::MegaElements
            | Unit::Factor => Better::Higher,
            Unit::Seconds
            | Unit::Milliseconds
            | Unit::Microseconds
            | Unit::Nanoseconds
            | Unit::Bytes
            | Unit::Megabytes
            | Unit::Count
            | Unit::Instructions
            | Unit::Error
            | Unit::OfBound => Better::Lower,
        }
    }

    /// How many of the base unit (second, operation, byte, element) one of this unit is.
    pub fn base(self) -> f64 {
        match self {
            Unit::Nanoseconds => 1e-9,
            Unit::Microseconds => 1e-6,
            Unit::Milliseconds => 1e-3,
            Unit::MegaElements | Unit::Megabytes => 1e6,
            Unit::Gflops | Unit::GigabytesPerSecond => 1e9,
            _ => 1.0,
        }
    }

    /// The unit as the files and tables spell it.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// Rounds to six significant digits: more would be noise in the file.
pub fn tidy(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Reads a file of rows.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::File { path: path.to_owned(), source })?;
    serde_json::from_str(&text).map_err(|source| Error::Rows { path: path.to_owned(), source })
}

/// Writes rows as a JSON array, one row a line.
pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let lines: std::result::Result<Vec<String>, _> =
        rows.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|source| Error::Rows { path: path.to_owned(), source })?;
    std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n")))
        .map_err(|source| Error::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_exactly_the_keys_of_the_contract() {
        let row = Row::new("gemm", "f32/t1/64x64x64", "rate", Unit::Gflops);
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"suite":"gemm","case":"f32/t1/64x64x64","metric":"rate","unit":"GFLOP/s","ours":null,"peer":null,"peer_name":null,"ratio":null,"of_limit":null,"spread":null}"#
        );
    }

    #[test]
    fn tidy_keeps_six_digits_at_any_size() {
        assert_eq!(tidy(1.234_567_89e-7), 1.23457e-7);
        assert_eq!(tidy(987_654_321.0), 987_654_000.0);
        assert_eq!(tidy(0.0), 0.0);
    }
}
