//! The batch size of a training: given, that of the run to be resumed, or measured.

use super::failure;
use super::rows::Data;
use crate::failure::Failure;
use std::fs;
use whimbrel::EngineError;
use whimbrel::nn::file::{BatchSize, NetworkFile};
use whimbrel::nn::trainer::{TrainError, Trainer};

/// The part of the memory there is that a plan may take.
const SHARE: u64 = 2;

/// Where a batch size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The file or an option.
    Given,
    /// The run that will be resumed.
    Resumed,
    /// Measuring.
    Measured,
    /// Nothing could be measured: not even the smallest batch fits into memory.
    Smallest,
}

impl Origin {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Given => "given",
            Origin::Resumed => "resumed",
            Origin::Measured => "measured",
            Origin::Smallest => "smallest",
        }
    }
}

/// Sets the batch size of a training; says where it comes from.
pub fn settle(
    trainer: &mut Trainer,
    wanted: BatchSize,
    resume: bool,
    file: &NetworkFile,
    data: &Data,
) -> Result<Origin, Failure> {
    choose(trainer, wanted, resume, data).map_err(|error| failure(file, &error))
}

/// Sets the batch size that a training would have, be it one that does not fit into memory: then nothing
/// is measured.
pub fn foresee(
    trainer: &mut Trainer,
    wanted: BatchSize,
    file: &NetworkFile,
    data: &Data,
) -> Result<Origin, Failure> {
    let placed = |error| failure(file, &error);
    // Where an earlier run is, a training can only resume it.
    if wanted == BatchSize::Auto && trainer.earlier_batch_size().is_none() {
        trainer.batch_size = Trainer::SMALLEST_TRIED;
        let needs = trainer.needs(data.rows()).map_err(placed)?;
        if needs.arena as u64 > available_memory() {
            return Ok(Origin::Smallest);
        }
    }
    match choose(trainer, wanted, true, data) {
        Err(TrainError::Engine(EngineError::Memory(_))) => Ok(Origin::Smallest),
        chosen => chosen.map_err(placed),
    }
}

fn choose(
    trainer: &mut Trainer,
    wanted: BatchSize,
    resume: bool,
    data: &Data,
) -> Result<Origin, TrainError> {
    if let Some(rows) = wanted.rows() {
        trainer.batch_size = rows;
        return Ok(Origin::Given);
    }
    if let Some(rows) = trainer.earlier_batch_size().filter(|_| resume) {
        trainer.batch_size = rows;
        return Ok(Origin::Resumed);
    }
    let learned = data.count()? as f64 * (1.0 - trainer.validation);
    let memory = available_memory() / SHARE;
    let measured = trainer.measure_batch_sizes(data.rows().form(), learned as usize, memory)?;
    (_, trainer.batch_size) = measured;
    Ok(Origin::Measured)
}

/// Bytes this process may still take, as Linux tells; elsewhere as many as one likes.
fn available_memory() -> u64 {
    let number = |text: &str| text.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let machine = read("/proc/meminfo");
    let machine = machine.lines().find(|line| line.starts_with("MemAvailable:"));
    let machine = machine.and_then(number).map(|kib| kib * 1024);
    // Without a limit the file says "max", which is no number.
    let limit = number(&read("/sys/fs/cgroup/memory.max"));
    let used = number(&read("/sys/fs/cgroup/memory.current")).unwrap_or(0);
    let group = limit.map(|limit| limit.saturating_sub(used));
    machine.unwrap_or(u64::MAX).min(group.unwrap_or(u64::MAX))
}
