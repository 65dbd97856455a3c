//! Files: what a run keeps in its folder, and how it comes back from there.

use super::best::BestWeights;
use super::checkpoint::{self, Identity, Refusal};
use super::curves::{expect_loss_curves, loss_curves};
use super::feed::Feed;
use super::folder::Folder;
use super::log::Log;
use super::machine::Machine;
use super::position::Position;
use super::weights::save_weights;
use super::{Checkpoints, EpochReport, Start, TrainError, Trainer};
use std::path::{Path, PathBuf};

/// The folder of a run, open for it alone.
pub(super) struct Files {
    folder: Folder,
    log: Log,
    identity: Identity,
    every: usize,
    keep: usize,
    /// Whether the best weights will be gone back to.
    needs_best: bool,
}

/// Where a run goes on.
pub(super) struct Resumed {
    /// None where there is no checkpoint yet.
    pub position: Option<Position>,
    /// Why newer checkpoints could not be used.
    pub skipped: Vec<String>,
}

impl Files {
    /// Opens the folder. What an earlier run left there is touched by none but one that resumes it, and a picture that
    /// no run left by none at all.
    pub(super) fn open(
        settings: &Checkpoints,
        trainer: &Trainer,
        feed: &Feed,
        start: Start,
    ) -> Result<Files, TrainError> {
        let folder = Folder::open(&settings.folder)?;
        if start == Start::Fresh && folder.is_occupied()? {
            return Err(TrainError::Occupied { folder: folder.path().into() });
        }
        expect_loss_curves(&folder.curves())?;
        let log = Log::open(&folder.log())?;
        folder.clear()?;
        let identity = Identity::of(trainer, feed.fingerprint());
        let (every, keep) = (settings.every, settings.keep);
        let needs_best = trainer.early_stopping.is_some();
        Ok(Files { folder, log, identity, every, keep, needs_best })
    }

    /// Loads the newest checkpoint that is whole, and cuts the log back to what it knows of.
    pub(super) fn resume(
        &mut self,
        machine: &mut Machine,
        best: &mut BestWeights,
    ) -> Result<Resumed, TrainError> {
        let checkpoints = self.folder.checkpoints()?;
        let mut skipped = Vec::new();
        for path in &checkpoints {
            match checkpoint::load(&mut machine.session, path, &self.identity) {
                Err(Refusal::Damaged(why)) => skipped.push(why),
                Err(Refusal::Unfit(error)) => return Err(error),
                Ok(position) => {
                    let mut damaged = checkpoints.iter().take(skipped.len());
                    damaged.try_for_each(|path| self.folder.set_aside(path))?;
                    if self.needs_best && position.best.is_some() && !position.finished {
                        self.load_best(machine, best, path)?;
                    }
                    self.log.cut(position.log_bytes)?;
                    // A checkpoint of the end has the weights that were settled on.
                    if position.finished && !self.folder.weights().exists() {
                        save_weights(machine, &self.folder.weights())?;
                    }
                    return Ok(Resumed { position: Some(position), skipped });
                }
            }
        }
        if let (Some(path), Some(why)) = (checkpoints.last(), skipped.last()) {
            return Err(TrainError::Checkpoint {
                path: path.clone(),
                problem: format!("no checkpoint of the folder is whole ({why})"),
                remedy: "delete the folder and start again",
            });
        }
        self.log.cut(0)?;
        Ok(Resumed { position: None, skipped })
    }

    /// Adds a line to the log; gives its length.
    pub(super) fn log(&mut self, report: &EpochReport) -> Result<u64, TrainError> {
        self.log.add(report)
    }

    /// Whether a checkpoint is due after a step.
    pub(super) fn is_due(&self, step: usize) -> bool {
        step.is_multiple_of(self.every)
    }

    /// Writes a checkpoint, after all that it says is there.
    pub(super) fn save(
        &mut self,
        machine: &mut Machine,
        best: &mut BestWeights,
        position: &Position,
    ) -> Result<(), TrainError> {
        self.log.sync()?;
        best.save(machine, &self.folder)?;
        if position.finished {
            save_weights(machine, &self.folder.weights())?;
            self.save_curves()?;
        }
        let path = self.folder.checkpoint(position.step);
        checkpoint::save(&machine.session, &path, &self.identity, position)?;
        self.folder.rotate(self.keep)
    }

    /// Writes the best weights alone; gives the file, which may then be newer than the newest checkpoint, as after a kill.
    pub(super) fn save_best(
        &self,
        machine: &mut Machine,
        best: &mut BestWeights,
    ) -> Result<PathBuf, TrainError> {
        best.save(machine, &self.folder)?;
        Ok(self.folder.best())
    }

    /// Writes the picture of the losses.
    fn save_curves(&self) -> Result<(), TrainError> {
        let (log, path) = (self.folder.log(), self.folder.curves());
        let picture = loss_curves(&log)?.svg();
        let failed = |source| TrainError::Write { path: path.clone(), source };
        whimbrel_engine::replace(&path, picture.as_bytes()).map_err(failed)
    }

    /// Loading the best weights overwrites those of the checkpoint, which are therefore loaded again.
    fn load_best(
        &self,
        machine: &mut Machine,
        best: &mut BestWeights,
        checkpoint: &Path,
    ) -> Result<(), TrainError> {
        best.load(machine, &self.folder)?;
        match checkpoint::load(&mut machine.session, checkpoint, &self.identity) {
            Ok(_) => Ok(()),
            Err(Refusal::Unfit(error)) => Err(error),
            Err(Refusal::Damaged(problem)) => Err(TrainError::Checkpoint {
                path: checkpoint.into(),
                problem,
                remedy: "it changed while it was read; resume once more",
            }),
        }
    }
}
