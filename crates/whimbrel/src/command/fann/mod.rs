//! `whimbrel fann`: tiny networks in FANN's files. One file for each command; `training.rs` is what train
//! and cascade have in common.

mod cascade;
mod convert;
mod curve;
mod info;
mod run;
mod test;
mod train;
mod training;

use crate::cli::{Fann, FannCommand};
use crate::failure::Failure;
use std::path::Path;
use whimbrel::fann::{self, Network, TrainData};

/// Does what the arguments ask for.
pub fn run(fann: &Fann) -> Result<(), Failure> {
    match &fann.command {
        FannCommand::Train(options) => train::run(options),
        FannCommand::Cascade(options) => cascade::run(options),
        FannCommand::Run(options) => run::run(options),
        FannCommand::Test(options) => test::run(options),
        FannCommand::Info(options) => info::run(options),
        FannCommand::Convert(options) => convert::run(options),
    }
}

fn network(path: &Path) -> Result<Network<f32>, Failure> {
    Network::load(path).map_err(Failure::input)
}

/// Rows to learn or to test with: there are some, and all their numbers are finite.
fn data(path: &Path) -> Result<TrainData<f32>, Failure> {
    let samples = TrainData::<f32>::load(path).map_err(Failure::input)?;
    if samples.is_empty() {
        return Err(Failure::input(format!("{}: there are no rows", path.display())));
    }
    match first_infinite(&samples) {
        Some((line, value)) => {
            let problem = format!("{}, line {line}: a number is {value}", path.display());
            Err(Failure::input(problem).with_hint("give finite numbers, up to 3.4e38"))
        }
        None => Ok(samples),
    }
}

/// The first number that is not finite, and its line, counted as FANN does: a header, then inputs and outputs of each
/// row in turn.
fn first_infinite(samples: &TrainData<f32>) -> Option<(usize, f32)> {
    let inputs = (samples.inputs(), samples.num_input(), 2);
    let outputs = (samples.outputs(), samples.num_output(), 3);
    let found = [inputs, outputs].into_iter().filter_map(|(values, width, first)| {
        let at = values.iter().position(|value| !value.is_finite())?;
        Some((first + 2 * (at / width.max(1)), values[at]))
    });
    found.min_by_key(|(line, _)| *line)
}

/// A network that could not be written, and why.
fn unwritten(error: fann::Error) -> Failure {
    match error.reason() {
        Some(reason) => Failure::run(format!("{error}\n{reason}")),
        None => Failure::run(error),
    }
}

/// The name of a value of FANN, without what all such names begin with, in small letters.
fn short(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_lowercase()
}
