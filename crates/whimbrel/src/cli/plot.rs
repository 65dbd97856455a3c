//! `whimbrel plot` as `--help` shows it.

use super::Layout;
use super::input::fill;
use clap::Args;
use std::path::PathBuf;
use whimbrel::Fill;

const EXAMPLES: &str = "\
Examples:
  whimbrel plot forecast.csv --past examples/air_passengers.csv --out forecast.svg
  whimbrel plot forecast.csv --past sales.csv --id store_7 --model Ensemble,NHITS --out store_7.png
  whimbrel plot cv.csv --id store_7 --out cv.svg
  whimbrel forecast load.csv --wide --horizon 24 --out - | whimbrel plot - --past load.csv --wide --out load.svg

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Draws the forecasts of one series, with their intervals, after its past.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlotForecast {
    /// File of forecasts, as forecast, predict and cv write it; - for standard input
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
    /// What becomes of missing rows and values of the past; mask leaves gaps
    #[arg(long, value_name = "HOW", default_value = "mask", value_parser = fill())]
    pub fill: Fill,
    #[command(flatten)]
    pub layout: Layout,
    /// Replace the picture if it is there
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing, only write the picture
    #[arg(long, short)]
    pub quiet: bool,
}
