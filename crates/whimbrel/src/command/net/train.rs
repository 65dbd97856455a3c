//! `whimbrel net train`: a network file in, weights out.

use super::batch::{self, Origin};
use super::rows::{Data, columns};
use super::talk::{Talk, describe, shown};
use super::{failure, read};
use crate::cli::{Level, Train};
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use whimbrel::nn::file::BatchSize;
use whimbrel::nn::metrics::MetricName;
use whimbrel::nn::trainer::{Activity, EpochReport, Monitor, Rows, Run, Start, TrainError};

pub fn run(options: &Train) -> Result<(), Failure> {
    let file = read(&options.file)?;
    let mut trainer = file.trainer();
    trainer.seed = options.seed.unwrap_or(trainer.seed);
    trainer.threads = options.threads.unwrap_or(0);
    trainer.input_names = columns(&file, &file.data_file())?;
    let mut reading = Monitor::default();
    reading.begin(Activity::Read);
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
    if let Rows::Held(examples) = data.rows() {
        reading.count(examples.rows());
    }
    reading.pause();
    let wanted = options.batch.unwrap_or(file.batch_size());
    let origin = batch::settle(&mut trainer, wanted, options.resume, &file, &data)?;
    let start = if options.resume { Start::Resume } else { Start::Fresh };
    let mut run = trainer.start(data.rows(), start).map_err(|error| failure(&file, &error))?;
    run.monitor_mut().absorb(&reading);
    let mut talk = Talk::begin(options.level(), &trainer, &run);
    if origin == Origin::Measured {
        talk.say(&format!("batch size {}, measured\n", trainer.batch_size));
    }
    while let Some(progress) = run.advance().map_err(|error| stopped(&error))? {
        talk.step(&run, &progress);
    }
    let last = talk.end(&run);
    let weights = file.folder().join("weights.safetensors");
    let best = run.best();
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
                "monitor": run.monitor().usage(),
            })
        ));
    }
    if options.level() == Level::Quiet {
        return Ok(());
    }
    let mut text = summary(&run, last.as_ref(), &shown(&trainer));
    if wanted == BatchSize::Auto {
        text += &format!("batch size {}\n", trainer.batch_size);
    }
    print(format_args!("{text}weights: {}\n", weights.display()))
}

/// The failure of a run under way.
fn stopped(error: &TrainError) -> Failure {
    let failure = Failure::run(error);
    match error {
        TrainError::AfterBest { path: Some(path), .. } => {
            let hint =
                format!("--weights {} uses them in eval, predict and export", path.display());
            failure.with_hint(hint)
        }
        error if error.is_unwritten() => {
            failure.with_hint("--resume then goes on from the last checkpoint")
        }
        _ => failure,
    }
}

/// How it ended.
fn summary(run: &Run, last: Option<&EpochReport>, metrics: &[MetricName]) -> String {
    let mut text = match last {
        Some(last) => format!("{} steps, {}\n", run.step(), describe(last, metrics)),
        None => format!("{} steps, finished before\n", run.step()),
    };
    if let Some((epoch, loss)) = run.best() {
        text += &format!("best validation loss {loss:.5} in epoch {epoch}\n");
    }
    text
}
