//! `whimbrel net profile`: where the time goes, by instruction.

use super::batch::{self, Origin};
use super::rows::Data;
use super::{check_output, failure, limits, read, write};
use crate::cli::Profile as Arguments;
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use serde_json::{Value, json};
use whimbrel::{Limits, Profile};

pub fn run(options: &Arguments) -> Result<(), Failure> {
    let file = read(&options.file)?;
    if let Some(trace) = &options.trace {
        check_output("--trace", trace, &options.file, &file)?;
    }
    let mut trainer = file.trainer();
    trainer.threads = options.threads.unwrap_or(0);
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
    let wanted = options.batch.unwrap_or(file.batch_size());
    let origin = batch::settle(&mut trainer, wanted, true, &file, &data)?;
    if origin != Origin::Given {
        say(&format!("batch size {}, {}\n", trainer.batch_size, origin.name()));
    }
    let recorded = match options.infer {
        true => trainer.profile_prediction(data.rows(), options.steps),
        false => trainer.profile_training(data.rows(), options.steps),
    };
    let profile = recorded.map_err(|error| failure(&file, &error))?;
    let buffers = profile.report.buffers.iter();
    let footprint = buffers.map(|buffer| buffer.offset + buffer.bytes).max().unwrap_or(0);
    let limits = limits::measure(footprint);
    if let Some(path) = &options.trace {
        write(path, profile.trace().as_bytes())?;
    }
    match options.json {
        true => print(format_args!("{}\n", as_json(&profile, trainer.batch_size, limits))),
        false => print(profile.table(Some(limits))),
    }
}

fn as_json(profile: &Profile, batch_size: usize, limits: Limits) -> Value {
    let seconds = profile.seconds();
    let line = |(line, &seconds): (&whimbrel::Line, &f64)| {
        json!({
            "name": line.name,
            "us": 1e6 * seconds,
            "pieces": line.pieces,
            "flops": line.cost.flops,
            "bytes": line.cost.bytes,
        })
    };
    json!({
        "batch_size": batch_size,
        "runs": profile.runs,
        "us": 1e6 * seconds.iter().sum::<f64>(),
        "limits": { "flops_per_second": limits.flops, "bytes_per_second": limits.bytes },
        "instructions": profile.report.lines.iter().zip(&seconds).map(line).collect::<Vec<_>>(),
    })
}
