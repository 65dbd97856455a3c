//! The log of a run: a line of JSON for each epoch. It holds nothing that differs from run to run, such
//! as times of day.

use super::{Scores, TrainError};
use serde::Serialize;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How an epoch went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpochReport {
    /// The epoch, the first is 1.
    pub epoch: usize,
    /// Steps done.
    pub step: usize,
    /// The learning rate of its last step.
    pub lr: f64,
    /// The mean loss of its rows while they were learned from.
    pub loss: f64,
    /// The scores of the validation, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Scores>,
}

/// The log, open for more.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// Opens the log for this run alone; the operating system lets go of it when the process ends,
    /// however it ends.
    pub(super) fn open(path: &Path) -> Result<Log, TrainError> {
        let failed = |source| TrainError::Write { path: path.into(), source };
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(TrainError::InUse { path: path.into() }),
            // Some file systems have no locks; a run by itself does not need one.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Log { file, path: path.into() }),
        }
    }

    /// Keeps the first `bytes` bytes; what follows was written after the last checkpoint and will be
    /// written again.
    pub(super) fn cut(&mut self, bytes: u64) -> Result<(), TrainError> {
        let failed = |source| TrainError::File { path: self.path.clone(), source };
        let length = self.file.metadata().map_err(failed)?.len();
        if length < bytes {
            return Err(TrainError::Checkpoint {
                path: self.path.clone(),
                problem: format!("has {length} bytes, the checkpoint knows of {bytes}"),
                remedy: "restore it, or delete the folder and start again",
            });
        }
        self.file.set_len(bytes).map_err(failed)?;
        self.file.seek(SeekFrom::Start(bytes)).map_err(failed)?;
        Ok(())
    }

    /// Adds a line; gives its length.
    pub(super) fn add(&mut self, report: &EpochReport) -> Result<u64, TrainError> {
        let failed = |source| TrainError::Write { path: self.path.clone(), source };
        let mut line = serde_json::to_vec(report).map_err(|e| failed(e.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        Ok(line.len() as u64)
    }

    /// Waits until all lines are on the disk: a checkpoint may only know of such.
    pub(super) fn sync(&self) -> Result<(), TrainError> {
        let failed = |source| TrainError::Write { path: self.path.clone(), source };
        self.file.sync_data().map_err(failed)
    }
}
