//! `whimbrel net info`: the layers of a network and how it is trained.

use super::rows::Data;
use super::{failure, read};
use crate::cli::Info;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use whimbrel::nn::summarise;
use whimbrel::nn::trainer::TrainError;

pub fn run(options: &Info) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let trainer = file.trainer();
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
    let features = data.rows().form().features;
    let layers = summarise(&trainer.network, features)
        .map_err(|error| failure(&file, &TrainError::Network(error)))?;
    let rows = data.count().map_err(|error| failure(&file, &error))?;
    let parameters: usize = layers.iter().map(|layer| layer.parameters).sum();
    if options.json {
        let layer = |layer: &whimbrel::nn::LayerSummary| json!({ "type": layer.kind, "shape": layer.shape, "parameters": layer.parameters });
        return print(format_args!(
            "{}\n",
            json!({
                "rows": rows,
                "inputs": features,
                "parameters": parameters,
                "layers": layers.iter().map(layer).collect::<Vec<_>>(),
                "training": trainer,
            })
        ));
    }
    let mut text = format!("{}: {rows} rows, {features} inputs\n\n", file.data_file().display());
    text += &format!("{:>5}  {:<22} {:<16} {:>12}\n", "layer", "type", "shape", "parameters");
    for (number, layer) in layers.iter().enumerate() {
        let shape = format!("{:?}", layer.shape);
        text += &format!("{number:>5}  {:<22} {shape:<16} {:>12}\n", layer.kind, layer.parameters);
    }
    text += &format!("{:>5}  {:<22} {:<16} {parameters:>12}\n", "", "all", "");
    print(text)
}
