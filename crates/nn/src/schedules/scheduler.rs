//! Scheduler: a schedule at work on the rate of an optimiser.

use super::{Progress, Rate, Schedule};
use serde::{Deserialize, Serialize};

/// A schedule with what it knows of the training so far; saved with a checkpoint, it goes on where it
/// was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    schedule: Schedule,
    base: f64,
    progress: Option<Progress>,
}

impl Scheduler {
    /// A schedule for an optimiser of rate `base`.
    pub fn new(schedule: impl Into<Schedule>, base: f64) -> Scheduler {
        let schedule = schedule.into();
        let progress = match &schedule {
            Schedule::Plateau(plateau) => Some(plateau.start(base)),
            _ => None,
        };
        Scheduler { schedule, base, progress }
    }

    /// The learning rate of a step, counted from 0.
    pub fn lr(&self, step: usize) -> f64 {
        match self.progress {
            Some(progress) => progress.lr,
            None => self.schedule.rate(self.base, step),
        }
    }

    /// Tells the schedule how training goes, by the loss of a validation or the like. Only
    /// [`Plateau`](super::Plateau) listens.
    pub fn observe(&mut self, value: f64) {
        if let (Schedule::Plateau(plateau), Some(progress)) = (&self.schedule, &mut self.progress) {
            *progress = plateau.observe(*progress, value);
        }
    }
}
