//! `whimbrel plot` as `--help` shows it.

use super::{Names, Times};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  whimbrel plot forecast.csv --past examples/air_passengers.csv --out forecast.svg
  whimbrel plot forecast.csv --past sales.csv --id store_7 --model Ensemble,NHITS --out store_7.png
  whimbrel plot cv.csv --id store_7 --out cv.svg

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Draws the forecasts of one series, with their intervals, after its past.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlotForecast {
    /// File of forecasts, as forecast, predict and cv write it
    pub file: PathBuf,
    /// The picture; its ending says the format, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// File with the values before the forecasts
    #[arg(long, value_name = "FILE")]
    pub past: Option<PathBuf>,
    /// The series [default: the first]
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
    /// Columns to draw [default: Ensemble, or all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub model: Vec<String>,
    #[command(flatten)]
    pub times: Times,
    #[command(flatten)]
    pub names: Names,
    /// Replace the picture if it is there
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
