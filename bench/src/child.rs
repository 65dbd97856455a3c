//! This program run again as a child, for what needs a process of its own: its memory, another
//! instruction set, a count of its instructions.
//!
//! `--child JOB` does one job and prints its result as JSON on stdout.

use std::process::{Command, Stdio};

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::suites::{forecast_scale, gate, isa, overhead};

/// A job, given what follows its name: the text to print.
type Job = fn(&str, bool) -> Result<String>;

/// Every job by name; what follows a slash is handed to it.
const JOBS: [(&str, Job); 5] = [
    ("gate", gate::child),
    ("isa", isa::child),
    ("resident", overhead::resident),
    ("train", forecast_scale::train),
    ("panel", forecast_scale::forecast_panel),
];

/// Does a job in this process and prints its result.
pub fn run(job: &str, quick: bool) -> Result<()> {
    let (name, rest) = job.split_once('/').unwrap_or((job, ""));
    let found = JOBS.iter().find(|(known, _)| *known == name);
    let (_, work) = found.ok_or_else(|| Error::Usage(format!("no job `{job}`")))?;
    println!("{}", work(rest, quick)?);
    Ok(())
}

/// The arguments, after the program's name, that make a child do a job.
pub fn arguments(job: &str, quick: bool) -> Vec<String> {
    let mut arguments = vec!["--child".to_owned(), job.to_owned()];
    arguments.extend(quick.then(|| "--quick".to_owned()));
    arguments
}

/// This program.
pub fn program() -> Result<std::path::PathBuf> {
    std::env::current_exe().map_err(|source| Error::File { path: "this program".into(), source })
}

/// Bytes of memory that were resident at most in this process so far.
pub fn peak_resident() -> Result<u64> {
    let path = "/proc/self/status";
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::File { path: path.into(), source })?;
    let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let what = format!("{path} does not tell the peak of resident memory");
    Ok(1024 * kib.ok_or(Error::Suite { suite: "bench", what })?)
}

/// Runs a command and reads the JSON it prints.
pub fn ask<T: DeserializeOwned>(command: &mut Command, suite: &'static str) -> Result<T> {
    let output = command.stderr(Stdio::inherit()).output();
    let failed = |what: String| Error::Suite { suite, what: format!("{command:?}: {what}") };
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}
