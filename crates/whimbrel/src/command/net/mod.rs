//! `whimbrel net`: networks described by text files. One file for each command; `rows` reads their
//! data, `talk.rs` says how a training goes.

mod bar;
mod batch;
mod eval;
mod export;
mod info;
mod limits;
mod picture;
mod plan;
mod plot;
mod predict;
mod profile;
mod refusal;
mod rows;
mod schema;
mod settings;
mod talk;
mod train;

pub use export::{Format, Learned};

use crate::cli::{Net, NetCommand};
use crate::command::output::check_file;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{TrainError, input_names};
use whimbrel::{EngineError, WeightsProblem};

/// Does what the arguments ask for.
pub fn run(net: &Net) -> Result<(), Failure> {
    match &net.command {
        NetCommand::Train(options) => train::run(options),
        NetCommand::Eval(options) => eval::run(options),
        NetCommand::Predict(options) => predict::run(options),
        NetCommand::Plot(options) => plot::run(options),
        NetCommand::Info(options) => info::run(options),
        NetCommand::Plan(options) => plan::run(options),
        NetCommand::Profile(options) => profile::run(options),
        NetCommand::Export(options) => export::run(options),
        NetCommand::Schema => schema::run(),
    }
}

fn read(path: &Path) -> Result<NetworkFile, Failure> {
    NetworkFile::read(path).map_err(Failure::input)
}

/// The weights to use: those that were named, or those of the last training.
fn weights(file: &NetworkFile, named: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    let path = named.cloned().unwrap_or_else(|| file.folder().join("weights.safetensors"));
    match path.is_file() {
        true => Ok(path),
        false => {
            let failure = Failure::input(format!("{}: there are no weights", path.display()));
            Err(failure.with_hint("whimbrel net train makes them; --weights names others"))
        }
    }
}

/// The file with the columns its weights were learned from, where it names none itself: another table may have them in
/// another order, or have others besides.
fn as_learned(file: NetworkFile, weights: &Path, data: &Path) -> Result<NetworkFile, Failure> {
    if file.data().inputs.is_some() || !rows::is_table(data) {
        return Ok(file);
    }
    let names = input_names(weights).map_err(|error| failure(&file, &error))?;
    Ok(match names {
        Some(names) => file.with_inputs(names),
        None => file,
    })
}

/// The failure of an error; what stands in the network file is named with its line.
fn failure(file: &NetworkFile, error: &TrainError) -> Failure {
    failure_of(file, &file.data_file(), error)
}

/// The same for rows of `data`.
fn failure_of(file: &NetworkFile, data: &Path, error: &TrainError) -> Failure {
    match error {
        TrainError::Setting { .. } | TrainError::Network(_) => Failure::input(file.place(error)),
        TrainError::Source(error) => refusal::refused(file, &**error),
        TrainError::Data { .. } => Failure::input(format!("{}: {error}", data.display())),
        TrainError::Occupied { .. } => {
            Failure::input(error).with_hint("--resume goes on with the earlier run")
        }
        TrainError::Foreign { .. } => Failure::input(error).with_hint(other_folder(file)),
        TrainError::Write { .. } => Failure::run(error).with_hint(other_folder(file)),
        TrainError::Engine(EngineError::Memory(_)) => {
            Failure::run(error).with_hint("whimbrel net plan shows what needs it")
        }
        TrainError::Engine(EngineError::Weights { problem, .. }) if is_of_another(problem) => {
            let hint = "the weights are of another network, or of rows with other inputs";
            Failure::input(error).with_hint(hint)
        }
        TrainError::Engine(EngineError::Weights { problem, .. }) if is_damaged(problem) => {
            let hint = "the file is cut short, or holds no weights; copy it again, or let whimbrel net train \
                        make it again";
            Failure::input(error).with_hint(hint)
        }
        error if error.is_input() => Failure::input(error),
        error => Failure::run(error),
    }
}

/// How the folder of a run is changed.
fn other_folder(file: &NetworkFile) -> String {
    let network = file.path().display();
    format!(
        "checkpoints = {{ folder = \"..\" }} under [training] of {network} names another folder"
    )
}

/// Whether weights are whole, but not those of the network.
fn is_of_another(problem: &WeightsProblem) -> bool {
    use WeightsProblem::{Mismatch, Missing, Unknown};
    matches!(problem, Mismatch { .. } | Missing { .. } | Unknown { .. })
}

/// Whether a file of weights is none, or not all of one.
fn is_damaged(problem: &WeightsProblem) -> bool {
    matches!(problem, WeightsProblem::Header(_) | WeightsProblem::Entry { .. })
}

/// Refuses, before the work, a file that cannot be written, or that the network comes from or has learned.
fn check_output(
    option: &str,
    out: &Path,
    network: &Path,
    file: &NetworkFile,
) -> Result<(), Failure> {
    let mut ours = vec![network.to_owned(), file.data_file()];
    ours.extend(file.target_file());
    let run = std::fs::read_dir(file.folder()).into_iter().flatten().flatten();
    let learned = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "safetensors" || ending == "jsonl")
    };
    ours.extend(run.map(|entry| entry.path()).filter(learned));
    let ours: Vec<&Path> = ours.iter().map(PathBuf::as_path).collect();
    check_file(option, out, &ours, true)
}

/// Writes a file whole or not at all.
fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let failed = |error| Failure::run(format!("{}: cannot be written: {error}", path.display()));
    whimbrel::replace(path, contents).map_err(failed)
}
