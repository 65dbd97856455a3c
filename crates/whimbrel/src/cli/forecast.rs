//! `whimbrel forecast` and `whimbrel demo` as `--help` shows them.

use super::{Input, Settings, at_least_one, level};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  whimbrel forecast examples/air_passengers.csv --horizon 12
  whimbrel forecast sales.csv --horizon 28 --id-col store --time-col day --target-col sold --out results
  whimbrel forecast load.csv --horizon 24 --model nhits,dlinear --input-size 168 --level 50,95
  cat sales.csv | whimbrel forecast - --horizon 28 --out - > forecast.csv

The file has one row per series and time, in any order:
  unique_id,ds,y
  AirPassengers,1949-01-31,112
  AirPassengers,1949-02-28,118

Without --model, rules and small networks are tried on the end of the series and the best of them combined.
Exit code: 0 done, 1 the run failed, 2 bad input or usage.
Environment: WHIMBREL_THREADS, WHIMBREL_ISA (portable, avx2, avx512).";

/// Options that say how a chosen model learns.
const LEARNING: [&str; 14] = [
    "input_size",
    "loss",
    "quantiles",
    "max_steps",
    "learning_rate",
    "num_lr_decays",
    "windows_batch_size",
    "val_size",
    "val_check_steps",
    "early_stop_patience_steps",
    "scaler_type",
    "local_scaler_type",
    "set",
    "sample_weight",
];

/// Tries models on the end of every series, and forecasts with the best of them.
///
/// Writes forecast.csv and forecast.html, a page to look at. Intervals are as wide as the errors that were
/// made where the past was forecast.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_args(|option| match LEARNING.contains(&option.get_id().as_str()) {
    true => option.requires("model"),
    false => option,
}))]
pub struct Forecast {
    #[command(flatten)]
    pub input: Input,
    /// Steps to forecast
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub horizon: usize,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub report: Report,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  whimbrel demo
  whimbrel demo --out /tmp/demo";

/// Forecasts the airline passengers of 1961 from those of 1949 to 1960, which the program brings along.
#[derive(Args, Debug)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct Demo {
    #[command(flatten)]
    pub report: Report,
}

/// What becomes of a forecast.
#[derive(Args, Debug)]
pub struct Report {
    /// Intervals to forecast, in per cent [default: 80 90]
    #[arg(long, value_name = "PERCENT", num_args = 1.., value_delimiter = ',', value_parser = level)]
    pub level: Vec<f32>,
    /// Seconds that trying models may take; networks that would take longer are left out, or an error where
    /// --model names them [default: 60, none with --model]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<f64>,
    /// Folder for forecast.csv and forecast.html; - prints the CSV instead, with --json the JSON
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Replace files of those names that whimbrel did not write
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing, only write the files
    #[arg(long, short)]
    pub quiet: bool,
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    seconds.ok_or("must be a number of seconds, 0 or more")
}
