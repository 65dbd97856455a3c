//! The commands under `whimbrel net`.

use super::thread_count;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  whimbrel net info examples/xor.toml
  whimbrel net train examples/xor.toml
  whimbrel net eval examples/xor.toml
  whimbrel net predict examples/xor.toml --data examples/xor.csv

A network file has the tables [data], [[network.layers]] and [training]; see examples/xor.toml.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.
Environment: WHIMBREL_THREADS, WHIMBREL_ISA (portable, avx2, avx512).";

/// Trains a neural network that a text file describes, and uses it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Net {
    /// What to do.
    #[command(subcommand)]
    pub command: NetCommand,
}

/// What to do with a network.
#[derive(Debug, Subcommand)]
pub enum NetCommand {
    /// Learn from the data the file names
    Train(Train),
    /// Say how good the predictions are
    Eval(Eval),
    /// Predict for the rows of a CSV file
    Predict(Predict),
    /// Show the layers, their sizes and the training
    Info(Info),
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  whimbrel net train examples/xor.toml
  whimbrel net train examples/xor.toml --resume --threads 2

Checkpoints, log.jsonl (a line of JSON for each epoch) and weights.safetensors are kept in the folder
the file names under [training.checkpoints], by default its own name ending in .run. A run that was
killed goes on with --resume and ends with the same weights and the same log.";

/// Learns from the data a network file names.
#[derive(Args, Debug)]
#[command(after_help = TRAIN_EXAMPLES)]
pub struct Train {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Go on with an earlier run
    #[arg(long)]
    pub resume: bool,
    /// Decides the first weights and the order of the rows [default: as the file says]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  whimbrel net eval examples/xor.toml
  whimbrel net eval examples/xor.toml --data examples/xor.csv --json";

/// Says how good the predictions for all rows of a CSV file are.
#[derive(Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct Eval {
    /// Network file (TOML)
    pub file: PathBuf,
    /// CSV file with inputs and target [default: the one of the network file]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Weights [default: those of the last training]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  whimbrel net predict examples/xor.toml --data examples/xor.csv
  whimbrel net predict examples/xor.toml --data examples/xor.csv --json

Prints CSV with a row for each row of the data: the column \"class\" if the loss is cross_entropy, else
the column \"prediction\", or prediction_1, prediction_2 and so on. With --json a line of JSON for each.";

/// Predicts for the rows of a CSV file.
#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct Predict {
    /// Network file (TOML)
    pub file: PathBuf,
    /// CSV file with the inputs
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Weights [default: those of the last training]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print JSON, a line for each row
    #[arg(long)]
    pub json: bool,
}

/// Shows the layers of a network, their sizes, and how it is trained.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  whimbrel net info examples/xor.toml")]
pub struct Info {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
