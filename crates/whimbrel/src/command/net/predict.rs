//! `whimbrel net predict`: rows of inputs in, predictions out, some rows at a time.

use super::refusal::refused;
use super::rows::Inputs;
use super::{as_learned, failure, read, weights};
use crate::cli::Predict;
use crate::command::terminal::Printer;
use crate::failure::Failure;
use whimbrel::nn::losses::Loss;
use whimbrel::nn::trainer::{Model, Trainer};

pub fn run(options: &Predict) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let weights = weights(&file, options.weights.as_ref())?;
    let file = as_learned(file, &weights, &options.data)?;
    let inputs = Inputs::open(&file, &options.data)?;
    let trainer = Trainer { threads: options.threads.unwrap_or(0), ..file.trainer() };
    let placed = |error| failure(&file, &error);
    let mut model = Model::load(&trainer, inputs.features, &weights).map_err(placed)?;
    let classes = matches!(trainer.loss, Loss::CrossEntropy(_));
    let outputs = model.outputs().max(1);
    let mut printer = Printer::new();
    for (number, chunk) in inputs.enumerate() {
        let chunk = chunk.map_err(|error| refused(&file, &*error))?;
        let predictions = model.predict(&chunk).map_err(placed)?;
        // Not before the first rows are known to be good.
        if number == 0 && !options.json {
            printer.print(header(classes, outputs) + "\n")?;
        }
        let rows = predictions.chunks(outputs);
        let text: String = rows.map(|row| line(row, classes, options.json) + "\n").collect();
        if !printer.print(text)? {
            break;
        }
    }
    printer.finish()
}

fn header(classes: bool, outputs: usize) -> String {
    match (classes, outputs) {
        (true, _) => "class".into(),
        (false, 1) => "prediction".into(),
        (false, n) => (1..=n).map(|i| format!("prediction_{i}")).collect::<Vec<_>>().join(","),
    }
}

fn line(row: &[f32], classes: bool, json: bool) -> String {
    match (classes, json) {
        (true, true) => {
            format!("{{\"class\":{},\"scores\":{}}}", largest(row), array(row))
        }
        (false, true) => format!("{{\"prediction\":{}}}", array(row)),
        (true, false) => largest(row).to_string(),
        (false, false) => row.iter().map(f32::to_string).collect::<Vec<_>>().join(","),
    }
}

/// Numbers as JSON has them, with the digits a single has; null for what is no number.
fn array(row: &[f32]) -> String {
    let number = |x: &f32| if x.is_finite() { x.to_string() } else { "null".into() };
    format!("[{}]", row.iter().map(number).collect::<Vec<_>>().join(","))
}

/// The place of the largest score, the first of equals.
fn largest(scores: &[f32]) -> usize {
    let better = |best: usize, i: usize| if scores[i] > scores[best] { i } else { best };
    (0..scores.len()).fold(0, better)
}
