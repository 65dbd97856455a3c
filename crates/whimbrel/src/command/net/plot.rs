//! `whimbrel net plot`: the losses of a training as a picture.

use super::{failure, read, write};
use crate::cli::Plot;
use crate::command::terminal::print;
use crate::failure::Failure;
use std::path::Path;
use whimbrel::chart::Chart;
use whimbrel::nn::trainer::loss_curves;

/// Pixels of a PNG for each unit of length: sharp on any screen.
const SCALE: f32 = 2.0;

pub fn run(options: &Plot) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let log = file.folder().join("log.jsonl");
    if !log.is_file() {
        let problem = format!("{}: there is no log", log.display());
        return Err(Failure::input(problem).with_hint("whimbrel net train writes it"));
    }
    let chart = loss_curves(&log).map_err(|error| failure(&file, &error))?;
    let path = options.out.clone().unwrap_or_else(|| file.folder().join("loss.svg"));
    write(&path, &draw(&chart, &path)?)?;
    print(format_args!("{}\n", path.display()))
}

/// The picture in the format that the name of its file asks for.
fn draw(chart: &Chart, path: &Path) -> Result<Vec<u8>, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(chart.svg().into_bytes()),
        Some("png") => chart.png(SCALE).map_err(Failure::run),
        _ => Err(Failure::input(format!(
            "{}: the ending says the format; use .svg or .png",
            path.display()
        ))),
    }
}
