//! Needs: the memory of a training, told before it starts.

use super::machine::Machine;
use super::split::Split;
use super::{Examples, Targets, TrainError, Trainer};
use whimbrel_engine::{Report, Session};

/// What a training occupies, in bytes, beside the program itself.
#[derive(Clone, Debug)]
pub struct Needs {
    /// One step on a whole batch.
    pub step: Report,
    /// The rows, their order, and one batch of them.
    pub data: usize,
    /// The one arena of steps and evaluations: weights, optimiser, values of a run.
    pub arena: usize,
    /// The best weights so far, which early stopping keeps.
    pub best: usize,
    /// What writing a checkpoint takes for a moment.
    pub saving: usize,
}

impl Trainer {
    /// What a training on `examples` will occupy. All is compiled as for a training, nothing is run.
    pub fn needs(&self, examples: &Examples) -> Result<Needs, TrainError> {
        self.check()?;
        let split = Split::of(examples, self.validation, self.seed)?;
        let machine = Machine::unfilled(self, examples, &split)?;
        let session = &machine.session;
        let weights: usize = machine.weights.iter().map(|name| bytes(session, name)).sum();
        let largest = session.state_names().map(|name| bytes(session, name)).max().unwrap_or(0);
        let keeps_best = self.early_stopping.is_some();
        Ok(Needs {
            step: session.report(0).clone(),
            data: data(self, examples, &split),
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

/// Rows in memory; which are learned from, their order and which validate; a batch.
fn data(trainer: &Trainer, examples: &Examples, split: &Split) -> usize {
    let width = match examples.targets() {
        Targets::Values { width, .. } => *width,
        Targets::Classes(_) => 1,
    };
    let row = 4 * (examples.features() + width);
    let numbers = 2 * split.learn.len() + split.validate.len();
    row * (examples.rows() + trainer.batch_size.min(split.learn.len())) + 4 * numbers
}

fn bytes(session: &Session, name: &str) -> usize {
    session.state(name).map_or(0, |slot| 4 * session.ty(slot).numel())
}
