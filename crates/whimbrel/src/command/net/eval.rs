//! `whimbrel net eval`: how good the predictions for the rows of a file are.

use super::rows::Data;
use super::{as_learned, failure_of, read, weights};
use crate::cli::Eval;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;

pub fn run(options: &Eval) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let weights = weights(&file, options.weights.as_ref())?;
    let mut trainer = file.trainer();
    trainer.threads = options.threads.unwrap_or(0);
    let (path, targets) = match &options.data {
        Some(data) => (data.clone(), options.targets.clone()),
        None => (file.data_file(), options.targets.clone().or_else(|| file.target_file())),
    };
    let file = as_learned(file, &weights, &path)?;
    let data = Data::open(&file, &path, targets.as_deref())?;
    let scored = trainer.evaluate(data.rows(), &weights);
    let (scores, rows) = scored.map_err(|error| failure_of(&file, &path, &error))?;
    if options.json {
        return print(format_args!("{}\n", json!({ "rows": rows, "scores": scores })));
    }
    let names = scores.metrics.iter().map(|(name, _)| name.name());
    let width = names.map(str::len).max().unwrap_or(0).max(9);
    let mut lines = format!("{:<width$} {rows}\n{:<width$} {:.6}\n", "rows", "loss", scores.loss);
    for (name, score) in &scores.metrics {
        lines += &format!("{:<width$} {score:.6}\n", name.name());
    }
    print(lines)
}
