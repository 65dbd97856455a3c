//! `whimbrel net export`: a network that has learned, for PyTorch or ONNX.

use super::{failure, read, rows, weights, write};
use crate::cli::Export;
use crate::command::terminal::print;
use crate::failure::Failure;
use std::collections::HashMap;
use std::path::Path;
use whimbrel::nn::export::{description, input_means, onnx, state_dict};
use whimbrel::nn::layers::Sequential;
use whimbrel::nn::trainer::{Model, TrainError, Trainer};

pub fn run(options: &Export) -> Result<(), Failure> {
    let format = Format::of(&options.out)?;
    let file = read(&options.file)?;
    let weights = weights(&file, options.weights.as_ref())?;
    let (trainer, features) = (Trainer { threads: 1, ..file.trainer() }, rows::width(&file)?);
    let placed = |error| failure(&file, &error);
    let model = Model::load(&trainer, features, &weights).map_err(placed)?;
    let (network, means) = (trainer.network, input_means(model.session()));
    let weights = state_dict(&network, model.session()).map_err(Failure::run)?;
    let count: usize = weights.iter().map(|weight| weight.data.len()).sum();
    match format {
        Format::Safetensors => {
            let tensors = weights.iter().map(|w| (w.name.as_str(), &w.shape[..], &w.data[..]));
            let saved = whimbrel::save_tensors(
                &options.out,
                tensors,
                metadata(&network, means.as_deref())?,
            );
            saved.map_err(Failure::run)?;
        }
        Format::Onnx => {
            let model = onnx(&network, features, weights, means.as_deref())
                .map_err(|error| failure(&file, &TrainError::Network(error)))?;
            write(&options.out, &model)?;
        }
    }
    print(format_args!("{}: {count} numbers\n", options.out.display()))
}

enum Format {
    Safetensors,
    Onnx,
}

impl Format {
    /// By the ending of the file.
    fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("safetensors") => Ok(Format::Safetensors),
            Some("onnx") => Ok(Format::Onnx),
            _ => Err(Failure::input(format!(
                "{}: the format is not known; let the name end in .safetensors or .onnx",
                path.display()
            ))),
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
