//! The folder of a run: `checkpoint-<step>.safetensors`, `best.safetensors`, `log.jsonl`, and in the end
//! `weights.safetensors` and `loss.svg`.

use super::TrainError;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a run.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder where there is none.
    pub(super) fn open(path: &Path) -> Result<Folder, TrainError> {
        let failed = |source| TrainError::Write { path: path.into(), source };
        fs::create_dir_all(path).map_err(failed)?;
        Ok(Folder { path: path.into() })
    }

    /// Removes what a killed run left half written.
    pub(super) fn clear(&self) -> Result<(), TrainError> {
        let half_written = |name: &str| name.starts_with(".whimbrel-") && name.ends_with(".tmp");
        for name in self.names()?.iter().filter(|name| half_written(name)) {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(|source| TrainError::File { path, source })?;
        }
        Ok(())
    }

    /// Whether a run has been here.
    pub(super) fn is_occupied(&self) -> Result<bool, TrainError> {
        let named = [self.log(), self.best(), self.weights()];
        Ok(!self.checkpoints()?.is_empty() || named.iter().any(|path| path.exists()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join("log.jsonl")
    }

    pub(super) fn best(&self) -> PathBuf {
        self.path.join("best.safetensors")
    }

    pub(super) fn weights(&self) -> PathBuf {
        self.path.join("weights.safetensors")
    }

    pub(super) fn curves(&self) -> PathBuf {
        self.path.join("loss.svg")
    }

    pub(super) fn checkpoint(&self, step: usize) -> PathBuf {
        self.path.join(format!("checkpoint-{step:012}.safetensors"))
    }

    /// All checkpoints, newest first.
    pub(super) fn checkpoints(&self) -> Result<Vec<PathBuf>, TrainError> {
        let mut steps: Vec<usize> = self.names()?.iter().filter_map(|name| step_of(name)).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        Ok(steps.into_iter().map(|step| self.checkpoint(step)).collect())
    }

    /// Removes all but the newest `keep` checkpoints.
    pub(super) fn rotate(&self, keep: usize) -> Result<(), TrainError> {
        for path in self.checkpoints()?.into_iter().skip(keep) {
            fs::remove_file(&path).map_err(|source| TrainError::File { path, source })?;
        }
        Ok(())
    }

    /// Puts a checkpoint that cannot be used out of the way: as the newest it would outlive good ones.
    pub(super) fn set_aside(&self, path: &Path) -> Result<(), TrainError> {
        let failed = |source| TrainError::File { path: path.into(), source };
        fs::rename(path, path.with_extension("damaged")).map_err(failed)
    }

    fn names(&self) -> Result<Vec<String>, TrainError> {
        let failed = |source| TrainError::File { path: self.path.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            names.extend(entry.map_err(failed)?.file_name().into_string());
        }
        Ok(names)
    }
}

/// The step of a checkpoint by its name.
fn step_of(name: &str) -> Option<usize> {
    name.strip_prefix("checkpoint-")?.strip_suffix(".safetensors")?.parse().ok()
}
