//! Run: a training under way, step by step.

use super::batch::Batch;
use super::best::BestWeights;
use super::feed::{Bounds, Feed};
use super::files::Files;
use super::graphs::predicting;
use super::machine::{Machine, Turn};
use super::missing::MEANS;
use super::position::{Best, Position};
use super::{Activity, EpochReport, Length, Model, Monitor, Rows, Start, TrainError, Trainer};
use crate::schedules::Scheduler;
use whimbrel_engine::Session;

/// A training under way. Dropped before its end, it goes on from its last checkpoint when resumed.
pub struct Run<'a> {
    trainer: &'a Trainer,
    feed: Feed<'a>,
    batch: Batch,
    machine: Machine,
    position: Position,
    best: BestWeights,
    files: Option<Files>,
    skipped: Vec<String>,
    monitor: Monitor,
}

/// How far a run is after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps to do, unless it stops early.
    pub of: usize,
    /// The loss of the step.
    pub loss: f32,
    /// How the epoch went, after its last step.
    pub epoch: Option<EpochReport>,
    /// Whether a checkpoint was written after it.
    pub saved: bool,
}

impl Trainer {
    /// Starts a training, or resumes one.
    pub fn start<'a>(
        &'a self,
        rows: impl Into<Rows<'a>>,
        start: Start,
    ) -> Result<Run<'a>, TrainError> {
        self.check()?;
        let mut monitor = Monitor::default();
        monitor.begin(Activity::Compile);
        let rows = rows.into();
        let prediction = predicting(self, rows.form().features, 1)?;
        let feed = Feed::open(self, rows, Bounds::of(self, &prediction))?;
        let mut machine = Machine::new(self, feed.form(), feed.counts(), &prediction)?;
        if self.fill_missing {
            machine.session.write_state(MEANS, &feed.means()?)?;
        }
        let scheduler = Scheduler::new(self.schedule.clone(), self.optimiser.lr());
        let mut run = Run {
            trainer: self,
            batch: Batch::new(feed.form()),
            feed,
            machine,
            position: Position::start(scheduler),
            best: BestWeights::default(),
            files: None,
            skipped: Vec::new(),
            monitor,
        };
        if let Some(settings) = &self.checkpoints {
            let mut files = Files::open(settings, self, &run.feed, start)?;
            let resumed = files.resume(&mut run.machine, &mut run.best)?;
            run.position = resumed.position.unwrap_or(run.position);
            run.skipped = resumed.skipped;
            run.files = Some(files);
        }
        run.monitor.pause();
        Ok(run)
    }

    /// Trains from the start to the end, and gives the network that has learned.
    pub fn train<'a>(&'a self, rows: impl Into<Rows<'a>>) -> Result<Model, TrainError> {
        let mut run = self.start(rows, Start::Fresh)?;
        while run.advance()?.is_some() {}
        run.model()
    }
}

impl Run<'_> {
    /// Does one step and what is due after it; none if nothing is left to do.
    ///
    /// A run with early stopping that leaves the numbers fails, but does not lose the best weights: they are written to
    /// the folder, if there is one, and the session has them.
    pub fn advance(&mut self) -> Result<Option<Progress>, TrainError> {
        match self.position.finished {
            true => Ok(None),
            false => self.take_step().map(Some).map_err(|error| match error.is_diverged() {
                true => self.keep_best(error),
                false => error,
            }),
        }
    }

    fn take_step(&mut self) -> Result<Progress, TrainError> {
        self.monitor.begin(Activity::Learn);
        let lr = self.position.scheduler.lr(self.position.step);
        self.position.step += 1;
        let step = self.position.step;
        let loss = self.learn(lr)?;
        let of = self.steps();
        let epoch = match self.position.row == self.feed.counts().learn || step == of {
            true => Some(self.end_epoch(lr)?),
            false => None,
        };
        if self.position.finished {
            self.settle()?;
        }
        let due = self.files.as_ref().is_some_and(|files| files.is_due(step));
        if self.position.finished || due {
            self.expect_finite()?;
        }
        let mut saved = false;
        if let Some(files) = &mut self.files
            && (self.position.finished || due)
        {
            self.monitor.begin(Activity::Checkpoint);
            files.save(&mut self.machine, &mut self.best, &self.position)?;
            saved = true;
        }
        match self.position.finished {
            true => self.monitor.pause(),
            false => self.monitor.begin(Activity::Learn),
        }
        Ok(Progress { step, of, loss, epoch, saved })
    }

    /// The session, with the weights as they are.
    pub fn session(&self) -> &Session {
        &self.machine.session
    }

    /// The network with the weights as they are, to predict with.
    pub fn model(&self) -> Result<Model, TrainError> {
        Model::of(self.trainer, self.feed.form().features, &self.machine)
    }

    /// Rows that an epoch learns from.
    pub fn epoch_rows(&self) -> usize {
        self.feed.counts().learn
    }

    /// Steps done; more than 0 at the start of a run that was resumed.
    pub fn step(&self) -> usize {
        self.position.step
    }

    /// Steps to do, unless it stops early.
    pub fn steps(&self) -> usize {
        match self.trainer.length {
            Length::Steps(steps) => steps,
            Length::Epochs(epochs) => epochs
                .saturating_mul(self.feed.counts().learn.div_ceil(self.trainer.rows_of_step())),
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

    /// What it spends time and memory on.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// The same, to add what happened before the start.
    pub fn monitor_mut(&mut self) -> &mut Monitor {
        &mut self.monitor
    }

    /// Learns from the batches of a step; gives the mean loss of their rows.
    fn learn(&mut self, lr: f64) -> Result<f32, TrainError> {
        let Trainer { batch_size, accumulate, .. } = *self.trainer;
        let Position { step, epoch, row: first, .. } = self.position;
        let rows = self.trainer.rows_of_step().min(self.feed.counts().learn - first);
        let mut loss_sum = 0.0;
        for batch in 0..rows.div_ceil(batch_size) {
            let done = batch * batch_size;
            let size = batch_size.min(rows - done);
            self.feed.learn(epoch, first + done, size, &mut self.batch)?;
            let turn = Turn {
                lr,
                step,
                number: (step - 1).wrapping_mul(accumulate).wrapping_add(batch + 1),
                share: size as f64 / rows as f64,
                first: done == 0,
                last: done + size == rows,
            };
            let loss = self.machine.learn(&self.batch, turn)?;
            if !loss.is_finite() {
                return Err(TrainError::Diverged { step, loss });
            }
            loss_sum += f64::from(loss) * size as f64;
        }
        self.position.loss_sum += loss_sum;
        self.position.row += rows;
        self.monitor.count(rows);
        Ok((loss_sum / rows as f64) as f32)
    }

    fn end_epoch(&mut self, lr: f64) -> Result<EpochReport, TrainError> {
        let loss = self.position.loss_sum / self.position.row as f64;
        let validation = match self.feed.counts().validate {
            0 => None,
            rows => {
                self.monitor.begin(Activity::Validate);
                self.monitor.count(rows);
                self.expect_finite()?;
                let scores = self.machine.evaluate(self.trainer, &self.feed)?;
                if !scores.loss.is_finite() {
                    let (step, loss) = (self.position.step, scores.loss);
                    return Err(TrainError::ValidationDiverged { step, loss });
                }
                Some(scores)
            }
        };
        (self.position.row, self.position.loss_sum) = (0, 0.0);
        self.position.epoch += 1;
        let Position { epoch, step, .. } = self.position;
        let validated = validation.as_ref().map(|scores| scores.loss);
        let report = EpochReport { epoch, step, lr, loss, validation };
        if let Some(files) = &mut self.files {
            self.position.log_bytes += files.log(&report)?;
        }
        self.position.scheduler.observe(step, validated.unwrap_or(loss));
        let tired = match validated {
            Some(loss) => self.compare_with_best(loss)?,
            None => false,
        };
        self.position.finished = tired || step >= self.steps();
        Ok(report)
    }

    /// Refuses to go on with weights that are no numbers any more. The loss tells of them only in the step
    /// after the one that spoiled them, which is too late for what is written between the two.
    fn expect_finite(&self) -> Result<(), TrainError> {
        match self.machine.not_finite()? {
            None => Ok(()),
            Some(parameter) => {
                let (step, parameter) = (self.position.step, parameter.into());
                Err(TrainError::NotFinite { step, parameter })
            }
        }
    }

    /// Ends with the best weights if they were kept, else with those that evaluations use.
    fn settle(&mut self) -> Result<(), TrainError> {
        if self.trainer.optimiser.ema.is_some() {
            let mut averages = BestWeights::default();
            averages.take(&self.machine)?;
            averages.restore(&mut self.machine)?;
        }
        self.best.restore(&mut self.machine)
    }

    /// Keeps the best weights of a run that left the numbers, if it has any; says so with the error.
    fn keep_best(&mut self, error: TrainError) -> TrainError {
        let Some(best) = self.position.best.filter(|_| self.best.is_kept()) else { return error };
        let save = |files: &Files| files.save_best(&mut self.machine, &mut self.best);
        let saved = self.files.as_ref().map(save).transpose();
        let restored = self.best.restore(&mut self.machine);
        match saved.and_then(|path| restored.map(|()| path)) {
            Ok(path) => TrainError::AfterBest { source: error.into(), epoch: best.epoch, path },
            // Resumed with room for them, the run comes here again.
            Err(error) => error,
        }
    }

    /// Remembers a validation that is the best so far; says whether it is time to stop.
    fn compare_with_best(&mut self, loss: f64) -> Result<bool, TrainError> {
        let gain = self.trainer.early_stopping.map_or(0.0, |stop| stop.min_delta);
        let better = self.position.best.is_none_or(|best| loss < best.loss - gain);
        if better {
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
