//! `whimbrel evaluate`: forecasts and what came in, scores out.

use crate::cli::workflow::Evaluate;
use crate::command::output::scores_json;
use crate::failure::Failure;
use std::path::Path;
use whimbrel::{Fill, Panel, Reader};

pub fn run(options: &Evaluate) -> Result<(), Failure> {
    let others = [&options.actual, &options.train].into_iter().flatten();
    let inputs: Vec<&Path> = others.chain([&options.file]).map(|file| file.as_path()).collect();
    options.output.check(&inputs)?;
    let columns = options.names.columns();
    // Holes do not count, in right values as in the past.
    let reader = Reader { fill: Fill::Mask, ..options.times.reader(columns) };
    let read = |file: &Path| -> Result<Panel, Failure> { Ok(reader.read(file)?) };
    let mut frame = reader.read_forecasts(&options.file)?;
    if let Some(actual) = &options.actual {
        frame = frame.with_actuals(&read(actual)?)?;
    }
    let train = options.train.as_deref().map(read).transpose()?;
    let scores = frame.evaluate(train.as_ref(), options.season_length)?;
    options.output.give(&scores, &scores, || scores_json(&scores))
}
