//! The commands, one file each.

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
