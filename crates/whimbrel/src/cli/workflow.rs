//! The commands that learn a model and use it later: fit, predict, cv, evaluate.

use super::input::fill;
use super::{Input, Layout, Settings, at_least_one, level};
use clap::Args;
use std::path::PathBuf;
use whimbrel::Fill;

const FIT_EXAMPLES: &str = "\
Examples:
  whimbrel fit examples/air_passengers.csv --model nlinear --horizon 12 --save m.safetensors
  whimbrel fit sales.csv --model nhits --horizon 28 --level 80 90 --save m.safetensors
  whimbrel fit sales.csv --model nhits --horizon 28 --features dayofweek,lag7 --save m.safetensors
  whimbrel fit sales.csv --model nhits --horizon 28 --load m.safetensors --save m2.safetensors
  whimbrel fit sales.csv --model mlp --horizon 28 --set hidden_size=64 --save m.safetensors

With --level the model is cross-validated first, over --n-windows windows, and its errors are saved with
it: predict --level makes intervals of them. The losses of distributions and quantiles need no
cross-validation; there --level says which intervals they forecast.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Learns a model from a file and saves it.
#[derive(Args, Debug)]
#[command(after_help = FIT_EXAMPLES)]
pub struct Fit {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub settings: Settings,
    /// Steps to forecast
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub horizon: usize,
    /// The file the model is saved in
    #[arg(long, value_name = "FILE")]
    pub save: PathBuf,
    /// Go on from the weights of a saved model of the same network
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    /// Intervals the model shall be able to forecast, in per cent
    #[arg(long, value_name = "PERCENT", num_args = 1.., value_delimiter = ',', value_parser = level)]
    pub level: Vec<f32>,
    /// Windows of the cross-validation that tells how wide intervals must be
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one())]
    pub n_windows: usize,
    /// Replace a file that is no saved model
    #[arg(long)]
    pub force: bool,
    /// Print what was learned as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  whimbrel predict examples/air_passengers.csv --load m.safetensors
  whimbrel predict sales.csv --load m.safetensors --level 80 90 --out forecast.csv
  whimbrel predict sales.csv --load m.safetensors --horizon 56 --json

The series need not be those the model learned from. Beyond the horizon it learned, forecasts are taken for
true and forecast from, again and again.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Forecasts every series of a file with a saved model.
#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct Predict {
    #[command(flatten)]
    pub input: Input,
    /// The saved model
    #[arg(long, value_name = "FILE")]
    pub load: PathBuf,
    /// Steps to forecast [default: as many as the model learned]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub horizon: Option<usize>,
    /// Intervals to forecast, in per cent; the model must have been fitted with --level
    #[arg(long, value_name = "PERCENT", num_args = 1.., value_delimiter = ',', value_parser = level)]
    pub level: Vec<f32>,
    #[command(flatten)]
    pub output: Output,
}

const CV_EXAMPLES: &str = "\
Examples:
  whimbrel cv examples/air_passengers.csv --model nlinear,seasonalnaive --horizon 12 --n-windows 3
  whimbrel cv sales.csv --model nhits,theta --horizon 28 --n-windows 4 --step-size 7 --refit --out cv.csv
  whimbrel evaluate cv.csv --train sales.csv

Prints how good each model was; --out keeps the forecasts: unique_id, ds, cutoff, a column per model, y.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Forecasts the past of every series, from several points of time, and compares it with what came.
#[derive(Args, Debug)]
#[command(after_help = CV_EXAMPLES)]
pub struct CrossValidate {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub settings: Settings,
    /// Steps to forecast from each point
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub horizon: usize,
    /// Points of time to forecast from
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one())]
    pub n_windows: usize,
    /// Steps from one point to the next [default: the horizon]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub step_size: Option<usize>,
    /// Learn anew at every point, or at every N-th; without, once before the first
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = at_least_one())]
    pub refit: Option<usize>,
    /// Intervals beside the forecasts, in per cent: of a loss that has them, or from errors before each point
    #[arg(long, value_name = "PERCENT", num_args = 1.., value_delimiter = ',', value_parser = level)]
    pub level: Vec<f32>,
    /// Windows before a point whose errors tell how wide intervals must be
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one())]
    pub conformal_windows: usize,
    #[command(flatten)]
    pub output: Output,
}

const EVALUATE_EXAMPLES: &str = "\
Examples:
  whimbrel evaluate cv.csv
  whimbrel evaluate cv.csv --train sales.csv --season-length 7
  whimbrel evaluate forecast.csv --actual test.csv --train train.csv --out scores.csv
  whimbrel cv load.csv --wide --horizon 24 --out - | whimbrel evaluate - --train load.csv --wide

Scores, named as in utilsforecast: mae, mse, rmse, mape, smape (0 to 1; times 200 is that of the M
competitions); with --train also mase, rmsse, owa; with intervals crps, scaled_crps, coverage.
They are means over series; --out keeps those of each series.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.";

/// Compares forecasts with what came.
#[derive(Args, Debug)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub struct Evaluate {
    /// File with the columns unique_id, ds, cutoff if it has one, and a column per model; - for standard input
    pub file: PathBuf,
    /// File with the right values, if the forecasts have no column y
    #[arg(long, value_name = "FILE")]
    pub actual: Option<PathBuf>,
    /// File with the values before the forecasts, for scores relative to naive forecasts
    #[arg(long, value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// Steps after which series repeat themselves [default: what is usual at the frequency; where times are whole numbers, found from --train]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub season_length: Option<usize>,
    /// What becomes of missing rows and values of --actual and --train; those that mask leaves do not count
    #[arg(long, value_name = "HOW", default_value = "mask", value_parser = fill())]
    pub fill: Fill,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
}

/// Where results go.
#[derive(Args, Debug)]
pub struct Output {
    /// Also write the result to this file with all digits, as its ending says: .csv, .csv.gz, .parquet, .arrow, .feather; - prints CSV instead of the table, with --json the same rows
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// No progress on the terminal; with --out no table either
    #[arg(long, short)]
    pub quiet: bool,
}
