//! The command line, as `--help` shows it.

mod input;
mod net;
mod settings;
pub mod workflow;

pub use input::Input;
pub use net::{Eval, Export, Info, Level, Net, NetCommand, Plan, Plot, Predict, Profile, Train};
pub use settings::{Choice, LossName, Settings};
pub use workflow::Output;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use whimbrel::models::Network;

/// Forecast time series and train neural networks from the command line.
#[derive(Debug, Parser)]
#[command(name = "whimbrel", version, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one in a process")]
pub enum Command {
    /// Forecast every series of a CSV file
    Forecast(Forecast),
    /// Learn a model from a CSV file and save it
    Fit(workflow::Fit),
    /// Forecast every series of a CSV file with a saved model
    Predict(workflow::Predict),
    /// Forecast the past, and compare with what came
    Cv(workflow::CrossValidate),
    /// Compare forecasts with what came
    Evaluate(workflow::Evaluate),
    /// Train a neural network from a text file, and use it
    Net(Net),
    /// Print what a shell needs to complete commands and options
    Completions(Completions),
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  whimbrel completions bash > ~/.local/share/bash-completion/completions/whimbrel
  whimbrel completions zsh > ~/.zfunc/_whimbrel
  whimbrel completions fish > ~/.config/fish/completions/whimbrel.fish";

/// Prints a script that completes commands and options.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// The shell to print it for
    #[arg(value_enum)]
    pub shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  whimbrel forecast examples/air_passengers.csv --horizon 12
  whimbrel forecast sales.csv --horizon 28 --id-col store --time-col day --target-col sold
  whimbrel forecast load.csv --horizon 24 --model nhits,dlinear --input-size 168 --out forecast.csv

The file has one row per series and time, in any order:
  unique_id,ds,y
  AirPassengers,1949-01-31,112
  AirPassengers,1949-02-28,118

Exit code: 0 done, 1 the run failed, 2 bad input or usage.
Environment: WHIMBREL_THREADS, WHIMBREL_ISA (portable, avx2, avx512).";

/// Learns models from a CSV file, prints their forecasts beside the naive ones.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Forecast {
    #[command(flatten)]
    pub input: Input,
    /// Steps to forecast
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub horizon: usize,
    /// Models to learn, by name: mlp, dlinear, nlinear, rnn, lstm, gru, tcn, nbeats, nhits
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "nlinear", value_parser = network)]
    pub model: Vec<Network>,
    /// Steps to look back over [default: twice the horizon; rnn, lstm, gru and tcn three times]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub input_size: Option<usize>,
    /// Training steps [default: 2000 for dlinear and nlinear, else 1000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_steps: Option<usize>,
    /// Learning rate at the start
    #[arg(long, value_name = "X", default_value_t = 1e-3)]
    pub learning_rate: f32,
    /// Windows in one training step
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = at_least_one())]
    pub windows_batch_size: usize,
    /// Decides the first weights and the order of the windows
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Also write the forecast to this file, as CSV with all digits
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// No progress on the terminal; with --out no table either
    #[arg(long, short)]
    pub quiet: bool,
}

/// The model of a name.
fn network(name: &str) -> Result<Network, String> {
    let known = Network::NAMES.join(", ").to_lowercase();
    Network::named(name).ok_or_else(|| format!("there is no such model; the models are {known}"))
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1 << 30)
}

fn thread_count() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1024)
}
