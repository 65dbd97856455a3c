//! The commands, one file each.

mod completions;
mod forecast;
mod input;
mod net;
mod terminal;

use crate::cli::{Arguments, Command};
use crate::failure::Failure;

/// Does what the arguments ask for.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    whimbrel::Isa::from_env()?;
    match &arguments.command {
        Command::Forecast(forecast) => forecast::run(forecast),
        Command::Net(net) => net::run(net),
        Command::Completions(options) => completions::run(options),
    }
}
