//! `whimbrel net predict`: rows of inputs in, predictions out.

use super::{failure, read, rows, weights};
use crate::cli::Predict;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use whimbrel::nn::losses::Loss;
use whimbrel::nn::trainer::Model;

pub fn run(options: &Predict) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let weights = weights(&file, options.weights.as_ref())?;
    let (features, inputs) = rows::features(&file, &options.data)?;
    let threads = options.threads.unwrap_or(0);
    let placed = |error| failure(&file, &error);
    let mut model = Model::load(&file.network(), features, &weights, threads).map_err(placed)?;
    let predictions = model.predict(&inputs).map_err(placed)?;
    let rows = predictions.chunks(model.outputs().max(1));
    let classes = matches!(file.trainer().loss, Loss::CrossEntropy(_));
    let lines = rows.map(|row| match (classes, options.json) {
        (true, true) => json!({ "class": largest(row), "scores": row }).to_string(),
        (false, true) => json!({ "prediction": row }).to_string(),
        (true, false) => largest(row).to_string(),
        (false, false) => row.iter().map(f32::to_string).collect::<Vec<_>>().join(","),
    });
    let header = match (classes, model.outputs()) {
        _ if options.json => None,
        (true, _) => Some("class".into()),
        (false, 1) => Some("prediction".into()),
        (false, n) => {
            Some((1..=n).map(|i| format!("prediction_{i}")).collect::<Vec<_>>().join(","))
        }
    };
    let text: String = header.into_iter().chain(lines).map(|line| line + "\n").collect();
    print(text)
}

/// The place of the largest score, the first of equals.
fn largest(scores: &[f32]) -> usize {
    let better = |best: usize, i: usize| if scores[i] > scores[best] { i } else { best };
    (0..scores.len()).fold(0, better)
}
