//! `whimbrel net export`: a network that has learned, for PyTorch or ONNX.

use super::{check_output, failure, read, rows, weights, write};
use crate::cli::Export;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use whimbrel::nn::NnError;
use whimbrel::nn::export::{Weight, description, input_means, onnx, state_dict};
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::layers::Sequential;
use whimbrel::nn::trainer::{Model, TrainError, Trainer};

pub fn run(options: &Export) -> Result<(), Failure> {
    let format = Format::of(&options.out)?;
    let file = read(&options.file)?;
    check_output("--out", &options.out, &options.file, &file)?;
    let learned = Learned::of(&file, &weights(&file, options.weights.as_ref())?)?;
    let refused = |error| failure(&file, &TrainError::Network(error));
    let numbers = learned.write(format, &options.out, refused)?;
    let file = options.out.display();
    match options.json {
        true => {
            let (file, format) = (file.to_string(), format.name());
            let result = json!({ "file": file, "format": format, "numbers": numbers });
            print(format_args!("{result}\n"))
        }
        false => print(format_args!("{file}: {numbers} numbers\n")),
    }
}

/// A network that has learned.
pub struct Learned {
    pub network: Sequential,
    /// Inputs of a row.
    pub features: usize,
    pub weights: Vec<Weight>,
    /// What missing inputs count as, if they may be missing.
    pub means: Option<Vec<f32>>,
}

impl Learned {
    /// The network a network file describes, with the weights of its last training.
    pub fn read(path: &Path) -> Result<Learned, Failure> {
        let file = read(path)?;
        let untrained = |failure: Failure| failure.with_hint("whimbrel net train makes them");
        Learned::of(&file, &weights(&file, None).map_err(untrained)?)
    }

    fn of(file: &NetworkFile, weights: &Path) -> Result<Learned, Failure> {
        let (trainer, features) = (Trainer { threads: 1, ..file.trainer() }, rows::width(file)?);
        let placed = |error| failure(file, &error);
        let model = Model::load(&trainer, features, weights).map_err(placed)?;
        let (network, means) = (trainer.network, input_means(model.session()));
        let weights = state_dict(&network, model.session()).map_err(Failure::run)?;
        Ok(Learned { network, features, weights, means })
    }

    /// Writes it, and gives the count of its numbers; `refused` says what a network means that the format has no words
    /// for.
    pub fn write(
        self,
        format: Format,
        out: &Path,
        refused: impl FnOnce(NnError) -> Failure,
    ) -> Result<usize, Failure> {
        let Learned { network, features, weights, means } = self;
        let count: usize = weights.iter().map(|weight| weight.data.len()).sum();
        match format {
            Format::Safetensors => {
                let tensors = weights.iter().map(|w| (w.name.as_str(), &w.shape[..], &w.data[..]));
                let metadata = metadata(&network, means.as_deref())?;
                whimbrel::save_tensors(out, tensors, metadata).map_err(Failure::run)?;
            }
            Format::Onnx => {
                let model = onnx(&network, features, weights, means.as_deref());
                write(out, &model.map_err(refused)?)?;
            }
        }
        Ok(count)
    }
}

/// What networks are written as.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    Safetensors,
    Onnx,
}

impl Format {
    /// By the ending of the file.
    pub fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("safetensors") => Ok(Format::Safetensors),
            Some("onnx") => Ok(Format::Onnx),
            _ => Err(Failure::input(format!(
                "{}: the format is not known; let the name end in .safetensors or .onnx",
                path.display()
            ))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Format::Safetensors => "safetensors",
            Format::Onnx => "onnx",
        }
    }
}

/// What whoever builds the network again needs to know beside its weights.
fn metadata(
    network: &Sequential,
    means: Option<&[f32]>,
) -> Result<HashMap<String, String>, Failure> {
    let described = description(network, means).map_err(Failure::run)?;
    // One entry: several would change places from run to run.
    Ok(HashMap::from([("whimbrel.network".into(), described)]))
}
