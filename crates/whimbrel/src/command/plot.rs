//! `whimbrel plot`: forecasts in, a picture out.

use crate::cli::PlotForecast;
use crate::command::output::check_file;
use crate::command::picture::{Picture, draw};
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use serde_json::json;
use std::path::Path;
use whimbrel::{ENSEMBLE, Panel, replace};

pub fn run(options: &PlotForecast) -> Result<(), Failure> {
    let inputs = [Some(&options.file), options.past.as_ref()].into_iter().flatten();
    let inputs: Vec<&Path> = inputs.map(|file| file.as_path()).collect();
    check_file("--out", &options.out, &inputs, options.force)?;
    let reader = options.layout.reader(options.fill);
    let past = options.past.as_ref().map(|past| reader.read(past)).transpose()?;
    let others: Vec<(&Path, &Panel)> =
        options.past.as_deref().zip(past.as_ref()).into_iter().collect();
    let frame = options.layout.read_forecasts(&options.file, &others)?;
    let id = options.id.as_deref().unwrap_or(frame.id(0));
    let mut models: Vec<&str> = options.model.iter().map(String::as_str).collect();
    if models.is_empty() && frame.column(ENSEMBLE).is_some() {
        models.push(ENSEMBLE);
    }
    let lacks = |past: &Panel| frame.series_of(past, id).is_none();
    if !options.quiet && past.as_ref().is_some_and(lacks) {
        let id = id.escape_debug();
        say(&format!("warning: --past has no series \"{id}\": its forecasts are drawn alone\n"));
    }
    let chart = frame.chart(id, &models, past.as_ref())?;
    let picture = draw(&chart, &options.out)?;
    replace(&options.out, &picture).map_err(|error| {
        Failure::run(format!("{}: cannot be written: {error}", options.out.display()))
    })?;
    if options.quiet {
        return Ok(());
    }
    if options.json {
        let (file, format) = (options.out.display().to_string(), Picture::of(&options.out)?.name());
        let result = json!({ "file": file, "format": format, "unique_id": id });
        return print(format_args!("{result}\n"));
    }
    print(format_args!("{}\n", options.out.display()))
}
