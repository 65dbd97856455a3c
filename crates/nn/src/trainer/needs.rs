//! Needs: the memory of a training, told before it starts.

use super::feed::{Bounds, Feed};
use super::graphs::predicting;
use super::machine::Machine;
use super::{Rows, TrainError, Trainer};
use whimbrel_engine::{Report, Session};

/// What a training occupies, in bytes, beside the program itself.
#[derive(Clone, Debug)]
pub struct Needs {
    /// One step on a whole batch.
    pub step: Report,
    /// The rows of that batch.
    pub batch: usize,
    /// The rows that are held, their order, and one batch of them.
    pub data: usize,
    /// The one arena of steps and evaluations: weights, optimiser, values of a run.
    pub arena: usize,
    /// The best weights so far, which early stopping keeps.
    pub best: usize,
    /// What writing a checkpoint takes for a moment.
    pub saving: usize,
}

impl Trainer {
    /// What a training on `rows` will occupy. All is compiled as for a training, nothing is run.
    pub fn needs<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Needs, TrainError> {
        self.check()?;
        let rows = rows.into();
        let prediction = predicting(self, rows.form().features, 1)?;
        let feed = Feed::open(self, rows, Bounds::of(self, &prediction))?;
        let machine = Machine::unfilled(self, feed.form(), feed.counts(), &prediction)?;
        let session = &machine.session;
        let weights: usize = machine.weights.iter().map(|name| bytes(session, name)).sum();
        let largest = session.state_names().map(|name| bytes(session, name)).max().unwrap_or(0);
        let keeps_best = self.early_stopping.is_some();
        Ok(Needs {
            step: session.report(0).clone(),
            batch: self.batch_size.min(feed.counts().learn),
            data: feed.bytes(self.batch_size),
            arena: session.arena_bytes(),
            best: if keeps_best { weights } else { 0 },
            // A value and its bytes; the best weights change places with those of now.
            saving: match self.checkpoints {
                Some(_) => 2 * largest + if keeps_best { weights } else { 0 },
                None => 0,
            },
        })
    }
}

fn bytes(session: &Session, name: &str) -> usize {
    session.state(name).map_or(0, |slot| 4 * session.ty(slot).numel())
}
