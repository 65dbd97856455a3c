//! `whimbrel evaluate`: forecasts and what came in, scores out.

use crate::cli::workflow::Evaluate;
use crate::command::input::name_of;
use crate::command::output::scores_json;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use whimbrel::{ForecastError, Panel};

pub fn run(options: &Evaluate) -> Result<(), Failure> {
    let others = [&options.actual, &options.train].into_iter().flatten();
    let inputs: Vec<&Path> = others.chain([&options.file]).map(|file| file.as_path()).collect();
    options.output.check(&inputs)?;
    let reader = options.layout.reader(options.fill);
    let read = |file: &Option<PathBuf>| -> Result<Option<Panel>, Failure> {
        Ok(file.as_ref().map(|file| reader.read(file)).transpose()?)
    };
    let (actual, train) = (read(&options.actual)?, read(&options.train)?);
    let panels = [(&options.actual, &actual), (&options.train, &train)];
    let others: Vec<(&Path, &Panel)> =
        panels.iter().filter_map(|(file, panel)| file.as_deref().zip(panel.as_ref())).collect();
    let mut frame = options.layout.read_forecasts(&options.file, &others)?;
    if let (Some(actual), Some(file)) = (&actual, &options.actual) {
        frame =
            frame.with_actuals(actual).map_err(|error| Failure::of_file(&name_of(file), error))?;
    }
    let scores = frame.evaluate(train.as_ref(), options.season_length).map_err(|error| {
        let file = match (&error, &options.train) {
            (ForecastError::NoPast { .. }, Some(train)) => train,
            _ => &options.file,
        };
        Failure::of_file(&name_of(file), error)
    })?;
    options.output.give(&scores, &scores, || scores_json(&scores))
}
