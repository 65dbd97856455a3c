//! Run: a training under way, step by step.

use super::best::BestWeights;
use super::files::Files;
use super::machine::Machine;
use super::order::{Purpose, reorder};
use super::position::{Best, Position};
use super::split::Split;
use super::{EpochReport, Examples, Length, Start, TrainError, Trainer};
use crate::schedules::Scheduler;
use whimbrel_engine::Session;

/// A training under way. Dropped before its end, it goes on from its last checkpoint when resumed.
pub struct Run<'a> {
    trainer: &'a Trainer,
    examples: &'a Examples,
    split: Split,
    machine: Machine,
    position: Position,
    best: BestWeights,
    /// The rows of the epoch under way, in order.
    order: Vec<u32>,
    /// The epoch of `order`.
    ordered: Option<usize>,
    files: Option<Files>,
    skipped: Vec<String>,
}

/// How far a run is after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps to do, unless it stops early.
    pub of: usize,
    /// The loss of the step.
    pub loss: f32,
    /// How the epoch went, after its last step.
    pub epoch: Option<EpochReport>,
}

impl Trainer {
    /// Starts a training, or resumes one.
    pub fn start<'a>(
        &'a self,
        examples: &'a Examples,
        start: Start,
    ) -> Result<Run<'a>, TrainError> {
        self.check()?;
        let split = Split::of(examples, self.validation, self.seed)?;
        let machine = Machine::new(self, examples, &split)?;
        let scheduler = Scheduler::new(self.schedule.clone(), self.optimiser.lr());
        let mut run = Run {
            trainer: self,
            examples,
            order: split.learn.clone(),
            ordered: None,
            split,
            machine,
            position: Position::start(scheduler),
            best: BestWeights::default(),
            files: None,
            skipped: Vec::new(),
        };
        if let Some(settings) = &self.checkpoints {
            let mut files = Files::open(settings, self, examples, start)?;
            let resumed = files.resume(&mut run.machine, &mut run.best)?;
            run.position = resumed.position.unwrap_or(run.position);
            run.skipped = resumed.skipped;
            run.files = Some(files);
        }
        Ok(run)
    }
}

impl Run<'_> {
    /// Does one step and what is due after it; none if nothing is left to do.
    pub fn advance(&mut self) -> Result<Option<Progress>, TrainError> {
        if self.position.finished {
            return Ok(None);
        }
        self.order_epoch();
        let row = self.position.row;
        let end = row.saturating_add(self.trainer.batch_size).min(self.order.len());
        let lr = self.position.scheduler.lr(self.position.step);
        self.position.step += 1;
        let step = self.position.step;
        let loss = self.machine.learn(self.examples, &self.order[row..end], lr, step)?;
        if !loss.is_finite() {
            return Err(TrainError::Diverged { step, loss });
        }
        self.position.loss_sum += f64::from(loss) * (end - row) as f64;
        self.position.row = end;
        let of = self.steps();
        let epoch = match end == self.order.len() || step == of {
            true => Some(self.end_epoch(lr)?),
            false => None,
        };
        if self.position.finished {
            self.best.restore(&mut self.machine)?;
        }
        if let Some(files) = &mut self.files
            && (self.position.finished || files.is_due(step))
        {
            files.save(&mut self.machine, &mut self.best, &self.position)?;
        }
        Ok(Some(Progress { step, of, loss, epoch }))
    }

    /// The session, with the weights as they are.
    pub fn session(&self) -> &Session {
        &self.machine.session
    }

    /// Rows that an epoch learns from.
    pub fn epoch_rows(&self) -> usize {
        self.split.learn.len()
    }

    /// Steps done; more than 0 at the start of a run that was resumed.
    pub fn step(&self) -> usize {
        self.position.step
    }

    /// Steps to do, unless it stops early.
    pub fn steps(&self) -> usize {
        match self.trainer.length {
            Length::Steps(steps) => steps,
            Length::Epochs(epochs) => {
                epochs.saturating_mul(self.split.learn.len().div_ceil(self.trainer.batch_size))
            }
        }
    }

    /// Whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        self.position.finished
    }

    /// The epoch with the smallest loss of the validation, the first is 1, and that loss.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.position.best.map(|best| (best.epoch, best.loss))
    }

    /// Why checkpoints newer than the one resumed from could not be used.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    fn order_epoch(&mut self) {
        if self.ordered != Some(self.position.epoch) {
            self.order.copy_from_slice(&self.split.learn);
            reorder(&mut self.order, self.trainer.seed, Purpose::Epoch(self.position.epoch));
            self.ordered = Some(self.position.epoch);
        }
    }

    fn end_epoch(&mut self, lr: f64) -> Result<EpochReport, TrainError> {
        let loss = self.position.loss_sum / self.position.row as f64;
        let validation = match self.split.validate.is_empty() {
            true => None,
            false => Some(self.machine.evaluate(self.examples, &self.split.validate)?),
        };
        (self.position.row, self.position.loss_sum) = (0, 0.0);
        self.position.epoch += 1;
        let Position { epoch, step, .. } = self.position;
        let report = EpochReport { epoch, step, lr, loss, validation };
        if let Some(files) = &mut self.files {
            self.position.log_bytes += files.log(&report)?;
        }
        self.position.scheduler.observe(validation.map_or(loss, |scores| scores.loss));
        let tired = match validation {
            Some(scores) => self.compare_with_best(scores.loss)?,
            None => false,
        };
        self.position.finished = tired || step >= self.steps();
        Ok(report)
    }

    /// Remembers a validation that is the best so far; says whether it is time to stop.
    fn compare_with_best(&mut self, loss: f64) -> Result<bool, TrainError> {
        let gain = self.trainer.early_stopping.map_or(0.0, |stop| stop.min_delta);
        let better = self.position.best.is_none_or(|best| loss < best.loss - gain);
        if better && loss.is_finite() {
            self.position.best = Some(Best { loss, epoch: self.position.epoch });
            self.position.stale = 0;
            if self.trainer.early_stopping.is_some() {
                self.best.take(&self.machine)?;
            }
        } else {
            self.position.stale += 1;
        }
        Ok(self.trainer.early_stopping.is_some_and(|stop| self.position.stale > stop.patience))
    }
}
