//! The best weights so far, to which early stopping goes back.

use super::TrainError;
use super::folder::Folder;
use super::machine::Machine;
use super::weights::save_weights;
use whimbrel_engine::{EngineError, WeightsProblem};

/// Weights of the best epoch.
#[derive(Debug, Default)]
pub(super) struct BestWeights {
    weights: Vec<(String, Vec<f32>)>,
    /// Whether the file has others.
    unsaved: bool,
}

impl BestWeights {
    /// Takes the weights that evaluations use.
    pub(super) fn take(&mut self, machine: &Machine) -> Result<(), TrainError> {
        self.weights = read(machine, |name| machine.evaluated(name))?;
        self.unsaved = true;
        Ok(())
    }

    /// Whether any were taken.
    pub(super) fn is_kept(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Gives the weights back, if any were taken.
    pub(super) fn restore(&self, machine: &mut Machine) -> Result<(), TrainError> {
        for (name, weight) in &self.weights {
            machine.session.write_state(name, weight)?;
        }
        Ok(())
    }

    /// Brings the file up to date. A checkpoint comes after it: then the file is never older than what
    /// a checkpoint knows of. It may be newer, if the run is killed between the two; then the resumed
    /// run finds the same better weights again before it needs them.
    pub(super) fn save(
        &mut self,
        machine: &mut Machine,
        folder: &Folder,
    ) -> Result<(), TrainError> {
        if !self.unsaved {
            return Ok(());
        }
        let weights = read(machine, |name| machine.session.read_state(name))?;
        let now = BestWeights { weights, unsaved: false };
        self.restore(machine)?;
        let saved = save_weights(machine, &folder.best());
        now.restore(machine)?;
        self.unsaved = false;
        saved
    }

    /// Takes the weights of the file; a run that goes back to them in its end cannot do without it.
    pub(super) fn load(
        &mut self,
        machine: &mut Machine,
        folder: &Folder,
    ) -> Result<(), TrainError> {
        let names = machine.weights.clone();
        let loaded =
            machine.session.load(&folder.best(), |name| names.iter().any(|known| known == name));
        loaded.map_err(|error| TrainError::Checkpoint {
            path: folder.best(),
            problem: match error {
                EngineError::Weights { problem: WeightsProblem::File(error), .. } => {
                    format!("the best weights so far cannot be read: {error}")
                }
                EngineError::Weights { problem, .. } => problem.to_string(),
                error => error.to_string(),
            },
            remedy: "restore it, or delete the folder and start again",
        })?;
        self.weights = read(machine, |name| machine.session.read_state(name))?;
        self.unsaved = false;
        Ok(())
    }
}

/// All weights, each read by `one`.
fn read(
    machine: &Machine,
    one: impl Fn(&str) -> Result<Vec<f32>, EngineError>,
) -> Result<Vec<(String, Vec<f32>)>, TrainError> {
    let names = machine.weights.iter();
    names.map(|name| Ok((name.clone(), one(name)?))).collect()
}
