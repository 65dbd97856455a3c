//! Position: how far a run is. With the state of the session it is all that a run depends on beside
//! its settings and rows.

use crate::schedules::Scheduler;
use serde::{Deserialize, Serialize};

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// Steps done.
    pub step: usize,
    /// Epochs done.
    pub epoch: usize,
    /// Rows of this epoch's order that are done.
    pub row: usize,
    /// The losses of this epoch's rows, added up.
    pub loss_sum: f64,
    /// The schedule, with what it knows.
    pub scheduler: Scheduler,
    /// The best validation, if there was one.
    pub best: Option<Best>,
    /// Epochs since then.
    pub stale: usize,
    /// The length of the log.
    pub log_bytes: u64,
    /// Whether nothing is left to do.
    pub finished: bool,
}

/// The best validation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Best {
    /// Its loss.
    pub loss: f64,
    /// Its epoch, the first is 1.
    pub epoch: usize,
}

impl Position {
    /// Before the first step.
    pub(super) fn start(scheduler: Scheduler) -> Position {
        Position {
            step: 0,
            epoch: 0,
            row: 0,
            loss_sum: 0.0,
            scheduler,
            best: None,
            stale: 0,
            log_bytes: 0,
            finished: false,
        }
    }
}
