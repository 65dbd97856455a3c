//! `whimbrel net plot`: the losses of a training as a picture.

use super::{check_output, failure, read, write};
use crate::cli::Plot;
use crate::command::picture::{Picture, draw};
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use std::path::PathBuf;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{expect_loss_curves, loss_curves};

pub fn run(options: &Plot) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let path = match &options.out {
        Some(out) => {
            check_output("--out", out, &options.file, &file)?;
            out.clone()
        }
        None => usual(&file)?,
    };
    let log = file.folder().join("log.jsonl");
    if !log.is_file() {
        let problem = format!("{}: there is no log", log.display());
        return Err(Failure::input(problem).with_hint("whimbrel net train writes it"));
    }
    let chart = loss_curves(&log).map_err(|error| failure(&file, &error))?;
    write(&path, &draw(&chart, &path)?)?;
    if options.json {
        let format = Picture::of(&path)?.name();
        let result = json!({ "file": path.display().to_string(), "format": format });
        return print(format_args!("{result}\n"));
    }
    print(format_args!("{}\n", path.display()))
}

/// The picture that a training leaves; another file of its name is not replaced.
fn usual(file: &NetworkFile) -> Result<PathBuf, Failure> {
    let path = file.folder().join("loss.svg");
    let foreign = |error| Failure::input(error).with_hint("--out names another picture");
    expect_loss_curves(&path).map_err(foreign)?;
    Ok(path)
}
