//! Needs: the memory of a training, told before it starts.

use super::feed::{Bounds, Feed};
use super::graphs::{predicting, state_names};
use super::machine::{Graphs, options};
use super::{Rows, TrainError, Trainer};
use std::collections::HashMap;
use whimbrel_engine::cpu::Cpu;
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
    /// Of these bytes, those of rows that are in memory before the training starts: none of a source.
    pub given: usize,
    /// The one arena of steps and evaluations: weights, optimiser, values of a run.
    pub arena: usize,
    /// The best weights so far, which early stopping keeps.
    pub best: usize,
    /// What writing a checkpoint takes for a moment.
    pub saving: usize,
}

impl Trainer {
    /// What a training on `rows` will occupy. All is planned as for a training; nothing is run, and no
    /// memory is taken but for the rows.
    pub fn needs<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Needs, TrainError> {
        self.check()?;
        let rows = rows.into();
        let prediction = predicting(self, rows.form().features, 1)?;
        let feed = Feed::open(self, rows, Bounds::of(self, &prediction))?;
        let graphs = Graphs::of(self, feed.form(), feed.counts())?.all;
        let mut planned = Session::plan(&Cpu::new(&options(self)), &graphs)?;
        let states = graphs.iter().flat_map(|graph| {
            graph.state().map(|value| (graph.label(value), 4 * graph.ty(value).numel()))
        });
        let bytes: HashMap<String, usize> = states.collect();
        let weights = state_names(&prediction).iter().filter_map(|name| bytes.get(name)).sum();
        let largest = bytes.values().max().copied().unwrap_or(0);
        let keeps_best = self.early_stopping.is_some();
        Ok(Needs {
            step: planned.reports.swap_remove(0),
            batch: self.batch_size.min(feed.counts().learn),
            data: feed.bytes(self.batch_size),
            given: feed.given_bytes(),
            arena: planned.arena_bytes,
            best: if keeps_best { weights } else { 0 },
            // A value and its bytes; the best weights change places with those of now.
            saving: match self.checkpoints {
                Some(_) => 2 * largest + if keeps_best { weights } else { 0 },
                None => 0,
            },
        })
    }
}
