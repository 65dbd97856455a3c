//! The batch size of a training: given, that of the run to be resumed, or measured.

use super::failure;
use super::rows::Data;
use crate::failure::Failure;
use std::fs;
use whimbrel::nn::file::{BatchSize, NetworkFile};
use whimbrel::nn::trainer::Trainer;

/// The part of the memory there is that a plan may take.
const SHARE: u64 = 2;

/// Sets the batch size; says whether it was measured.
pub fn settle(
    trainer: &mut Trainer,
    wanted: BatchSize,
    resume: bool,
    file: &NetworkFile,
    data: &Data,
) -> Result<bool, Failure> {
    let earlier = || trainer.earlier_batch_size().filter(|_| resume);
    if let Some(rows) = wanted.rows().or_else(earlier) {
        trainer.batch_size = rows;
        return Ok(false);
    }
    let placed = |error| failure(file, &error);
    let learned = data.count().map_err(placed)? as f64 * (1.0 - trainer.validation);
    let memory = available_memory() / SHARE;
    let measured = trainer.measure_batch_sizes(data.rows().form(), learned as usize, memory);
    (_, trainer.batch_size) = measured.map_err(placed)?;
    Ok(true)
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
