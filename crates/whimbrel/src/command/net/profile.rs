//! `whimbrel net profile`: where the time goes, by instruction.

use super::rows::Data;
use super::{check_output, failure, limits, read, write};
use crate::cli::Profile as Arguments;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::{Value, json};
use whimbrel::{Limits, Profile};

pub fn run(options: &Arguments) -> Result<(), Failure> {
    let file = read(&options.file)?;
    if let Some(trace) = &options.trace {
        check_output("--trace", trace, &options.file, &file)?;
    }
    let mut trainer = file.trainer();
    trainer.batch_size = options.batch.unwrap_or(trainer.batch_size);
    trainer.threads = options.threads.unwrap_or(0);
    let data = Data::open(&file, &file.data_file(), file.target_file().as_deref())?;
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
        true => print(format_args!("{}\n", as_json(&profile, limits))),
        false => print(profile.table(Some(limits))),
    }
}

fn as_json(profile: &Profile, limits: Limits) -> Value {
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
        "runs": profile.runs,
        "us": 1e6 * seconds.iter().sum::<f64>(),
        "limits": { "flops_per_second": limits.flops, "bytes_per_second": limits.bytes },
        "instructions": profile.report.lines.iter().zip(&seconds).map(line).collect::<Vec<_>>(),
    })
}
