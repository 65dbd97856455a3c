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
        let progress = schedule.plateau().map(|(_, plateau)| plateau.start(base));
        Scheduler { schedule, base, progress }
    }

    /// The learning rate of a step, counted from 0.
    pub fn lr(&self, step: usize) -> f64 {
        let base = self.progress.map_or(self.base, |progress| progress.lr);
        self.schedule.rate(base, step)
    }

    /// Tells the schedule how training goes after so many steps, by the loss of a validation or the like.
    /// Only [`Plateau`](super::Plateau) listens, from its own first step on.
    pub fn observe(&mut self, steps: usize, value: f64) {
        if let (Some((first, plateau)), Some(progress)) =
            (self.schedule.plateau(), &mut self.progress)
            && steps > first
        {
            *progress = plateau.observe(*progress, value);
        }
    }
}
