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

fn data(path: &Path) -> Result<TrainData<f32>, Failure> {
    TrainData::load(path).map_err(Failure::input)
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
