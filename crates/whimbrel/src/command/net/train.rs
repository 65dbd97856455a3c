//! `whimbrel net train`: a network file in, weights out.

use super::rows::Data;
use super::{batch, failure, read};
use crate::cli::Train;
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use whimbrel::nn::file::BatchSize;
use whimbrel::nn::trainer::{EpochReport, Progress, Start, TrainError};

/// The least time between two looks at the progress.
const PAUSE: Duration = Duration::from_millis(100);

pub fn run(options: &Train) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let mut trainer = file.trainer();
    trainer.seed = options.seed.unwrap_or(trainer.seed);
    trainer.threads = options.threads.unwrap_or(0);
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
    let wanted = options.batch.unwrap_or(file.batch_size());
    let measured = batch::settle(&mut trainer, wanted, options.resume, &file, &data)?;
    let start = if options.resume { Start::Resume } else { Start::Fresh };
    let mut run = trainer.start(data.rows(), start).map_err(|error| failure(&file, &error))?;
    for why in run.skipped() {
        say(&format!("warning: {why}; the checkpoint before it is used\n"));
    }
    let talk = !options.quiet && io::stderr().is_terminal();
    if talk && measured {
        say(&format!("batch size {}, measured\n", trainer.batch_size));
    }
    if talk && run.step() > 0 {
        say(&format!("resumed after step {} of {}\n", run.step(), run.steps()));
    }
    let (mut last, mut shown) = (None, Instant::now());
    while let Some(progress) = run.advance().map_err(|error| stopped(&error))? {
        last = progress.epoch.or(last);
        if talk && shown.elapsed() >= PAUSE {
            show(&progress, last);
            shown = Instant::now();
        }
    }
    if talk {
        say("\r\x1b[K");
    }
    let (weights, best) = (file.folder().join("weights.safetensors"), run.best());
    if options.json {
        return print(format_args!(
            "{}\n",
            json!({
                "steps": run.step(),
                "batch_size": trainer.batch_size,
                "last_epoch": last,
                "best_epoch": best.map(|(epoch, _)| epoch),
                "best_loss": best.map(|(_, loss)| loss),
                "weights": weights,
            })
        ));
    }
    let mut lines = vec![match last {
        Some(last) => format!("{} steps, {}", run.step(), describe(&last)),
        None => format!("{} steps, finished before", run.step()),
    }];
    lines.extend(
        best.map(|(epoch, loss)| format!("best validation loss {loss:.5} in epoch {epoch}")),
    );
    if wanted == BatchSize::Auto {
        lines.push(format!("batch size {}", trainer.batch_size));
    }
    lines.push(format!("weights: {}\n", weights.display()));
    print(lines.join("\n"))
}

/// The failure of a run under way.
fn stopped(error: &TrainError) -> Failure {
    let failure = Failure::run(error);
    match error.is_unwritten() {
        true => failure.with_hint("--resume then goes on from the last checkpoint"),
        false => failure,
    }
}

fn show(progress: &Progress, last: Option<EpochReport>) {
    let percent = 100 * progress.step / progress.of.max(1);
    let epoch = last.map(|last| format!(", {}", describe(&last))).unwrap_or_default();
    say(&format!("\r\x1b[K{percent:>3} %{epoch}"));
}

fn describe(report: &EpochReport) -> String {
    let mut text = format!("epoch {}, loss {:.5}", report.epoch, report.loss);
    if let Some(scores) = report.validation {
        text += &format!(", validation loss {:.5}", scores.loss);
        text += &scores.accuracy.map(|share| format!(", accuracy {share:.4}")).unwrap_or_default();
        text += &scores.rmse.map(|rmse| format!(", rmse {rmse:.5}")).unwrap_or_default();
    }
    text
}
