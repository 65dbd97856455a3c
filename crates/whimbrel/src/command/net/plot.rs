//! `whimbrel net plot`: the losses of a training as a picture.

use super::{check_output, failure, read, write};
use crate::cli::Plot;
use crate::command::picture::{Picture, draw};
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use whimbrel::nn::trainer::loss_curves;

pub fn run(options: &Plot) -> Result<(), Failure> {
    let file = read(&options.file)?;
    if let Some(out) = &options.out {
        check_output("--out", out, &options.file, &file)?;
    }
    let log = file.folder().join("log.jsonl");
    if !log.is_file() {
        let problem = format!("{}: there is no log", log.display());
        return Err(Failure::input(problem).with_hint("whimbrel net train writes it"));
    }
    let chart = loss_curves(&log).map_err(|error| failure(&file, &error))?;
    let path = options.out.clone().unwrap_or_else(|| file.folder().join("loss.svg"));
    write(&path, &draw(&chart, &path)?)?;
    if options.json {
        let format = Picture::of(&path)?.name();
        let result = json!({ "file": path.display().to_string(), "format": format });
        return print(format_args!("{result}\n"));
    }
    print(format_args!("{}\n", path.display()))
}
