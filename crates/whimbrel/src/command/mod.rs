//! The commands, one file each.

mod bar;
mod completions;
mod cv;
mod demo;
mod evaluate;
mod fann;
mod files;
mod fit;
mod forecast;
mod input;
mod net;
mod output;
mod picture;
mod plot;
mod predict;
mod settings;
mod summary;
mod terminal;
mod watch;

use crate::cli::{Arguments, Command};
use crate::failure::Failure;

/// Does what the arguments ask for.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    whimbrel::Isa::from_env()?;
    check_threads()?;
    match &arguments.command {
        Command::Forecast(forecast) => forecast::run(forecast),
        Command::Demo(options) => demo::run(options),
        Command::Fit(options) => fit::run(options),
        Command::Predict(options) => predict::run(options),
        Command::Cv(options) => cv::run(options),
        Command::Evaluate(options) => evaluate::run(options),
        Command::Plot(options) => plot::run(options),
        Command::Net(net) => net::run(net),
        Command::Fann(fann) => fann::run(fann),
        Command::Completions(options) => completions::run(options),
    }
}

/// Refuses a number of threads in the environment that is none.
fn check_threads() -> Result<(), Failure> {
    let asked = std::env::var_os("WHIMBREL_THREADS").unwrap_or_default();
    let asked = asked.to_string_lossy();
    let number = asked.trim();
    let sensible = number.bytes().all(|b| b.is_ascii_digit()) && number.bytes().any(|b| b != b'0');
    match sensible || number.is_empty() {
        true => Ok(()),
        false => Err(Failure::input(format!(
            "WHIMBREL_THREADS={number}: must be a whole number of at least 1"
        ))),
    }
}
