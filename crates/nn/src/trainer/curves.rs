//! Curves: the losses of a run over its epochs, from its log, as a chart.

use super::TrainError;
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use whimbrel_chart::{Chart, Line};

/// The title of the picture, by which it is known again.
const TITLE: &str = "Loss by epoch";
/// Bytes of a picture that have its title.
const HEAD: u64 = 1024;

/// What a chart needs of a line of the log. A loss that is no number is `null` there.
#[derive(Deserialize)]
struct Epoch {
    epoch: usize,
    loss: Option<f64>,
    validation: Option<Validation>,
}

#[derive(Deserialize)]
struct Validation {
    loss: Option<f64>,
}

/// The losses of training and validation that the `log.jsonl` of a run holds, with the best epoch marked.
pub fn loss_curves(log: &Path) -> Result<Chart, TrainError> {
    let failed = |source| TrainError::File { path: log.into(), source };
    let text = std::fs::read_to_string(log).map_err(failed)?;
    let refuse = |problem, remedy| TrainError::Checkpoint { path: log.into(), problem, remedy };
    // A run that is under way or was killed may not have written all of its last line.
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let epoch = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let problem = format!("line {} is not of a log: {error}", number + 1);
            refuse(problem, "name the log of a training")
        })
    };
    let epochs: Vec<Epoch> = whole.lines().enumerate().map(epoch).collect::<Result<_, _>>()?;
    match epochs.is_empty() {
        true => Err(refuse("has no epoch yet".into(), "wait for the end of the first")),
        false => Ok(chart(&epochs)),
    }
}

/// Refuses to replace a file that is no picture of losses.
pub fn expect_loss_curves(path: &Path) -> Result<(), TrainError> {
    let ours = || {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        let title = format!("<title>{TITLE}</title>");
        read.is_ok() && String::from_utf8_lossy(&head).contains(&title)
    };
    // What is no plain file, such as a pipe, is not looked into.
    match path.symlink_metadata().is_ok() && !(path.is_file() && ours()) {
        true => Err(TrainError::Foreign { path: path.into() }),
        false => Ok(()),
    }
}

fn chart(epochs: &[Epoch]) -> Chart {
    let point = |epoch: &Epoch, loss: Option<f64>| (epoch.epoch as f64, loss.unwrap_or(f64::NAN));
    let training = epochs.iter().map(|epoch| point(epoch, epoch.loss));
    let validated = epochs.iter().filter_map(|e| Some((e, e.validation.as_ref()?.loss)));
    let validation: Vec<(f64, f64)> = validated.map(|(epoch, loss)| point(epoch, loss)).collect();
    let chart = Chart::new(TITLE).axes("epoch", "loss");
    let chart = chart.line(Line::new("training", training));
    if validation.is_empty() {
        return chart;
    }
    let line = Line::new("validation", validation.iter().copied());
    let finite = validation.into_iter().filter(|point| point.1.is_finite());
    chart.line(match finite.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some(best) => line.best(&format!("best: epoch {}, {}", best.0, short(best.1)), best),
        None => line,
    })
}

/// A loss with the digits that matter.
fn short(loss: f64) -> String {
    if loss.abs() >= 1e-3 { format!("{loss:.4}") } else { format!("{loss:.2e}") }
}
