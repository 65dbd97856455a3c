//! Model: a network with the weights of a training or of a file, to predict with.

use super::examples::gather;
use super::graphs::predicting;
use super::inputs::write_inputs;
use super::machine::Machine;
use super::weights::metadata;
use super::{TrainError, Trainer};
use std::path::Path;
use whimbrel_engine::{Options, Session, Slot};

/// Rows predicted in one run.
const ROWS: usize = 256;

/// A network that has learned.
pub struct Model {
    session: Session,
    x: Slot,
    prediction: Slot,
    features: usize,
    /// What the inputs are called, if that is known.
    input_names: Vec<String>,
}

impl Model {
    /// The network of a training for rows of `features` inputs, with the weights of a file.
    pub fn load(trainer: &Trainer, features: usize, weights: &Path) -> Result<Model, TrainError> {
        let mut model = Model::new(trainer, features)?;
        model.session.load(weights, |_| true)?;
        Ok(model)
    }

    /// The same with the weights of a training as they are.
    pub(super) fn of(
        trainer: &Trainer,
        features: usize,
        machine: &Machine,
    ) -> Result<Model, TrainError> {
        let mut model = Model::new(trainer, features)?;
        for name in &machine.weights {
            model.session.write_state(name, &machine.session.read_state(name)?)?;
        }
        Ok(model)
    }

    /// With first weights.
    fn new(trainer: &Trainer, features: usize) -> Result<Model, TrainError> {
        let graph = predicting(trainer, features, ROWS)?;
        let options = Options { threads: trainer.threads, ..Options::default() };
        let session = Session::with_options(&[graph], &options)?;
        let (x, prediction) = (session.input(0, "x")?, session.output(0, "prediction")?);
        Ok(Model { session, x, prediction, features, input_names: trainer.input_names.clone() })
    }

    /// Writes the weights to a safetensors file, whole or not at all; [`load`](Model::load) reads it.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        Ok(self.session.save(path, |_| true, metadata(&self.input_names))?)
    }

    /// The session, with the weights.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Numbers predicted for each row.
    pub fn outputs(&self) -> usize {
        self.session.ty(self.prediction).numel() / ROWS
    }

    /// Predicts for rows of inputs, row by row; gives the predictions row by row. Where the inputs are
    /// indices, they are whole numbers; where they may be missing, NaN.
    pub fn predict(&mut self, inputs: &[f32]) -> Result<Vec<f32>, TrainError> {
        let (mut batch, mut indices) = (Vec::new(), Vec::new());
        let mut predictions = Vec::new();
        for rows in inputs.chunks(ROWS * self.features.max(1)) {
            let count = rows.len() / self.features.max(1);
            // What stands beyond the last row does not reach the others: the last one, repeated.
            let index: Vec<u32> =
                (0..ROWS).map(|item| item.min(count.saturating_sub(1)) as u32).collect();
            gather(rows, self.features, &index, &mut batch);
            write_inputs(&mut self.session, self.x, &batch, &mut indices)?;
            self.session.run_graph(0)?;
            let output = self.session.read_slot(self.prediction);
            for item in 0..count {
                predictions.extend(output.iter().skip(item).step_by(ROWS));
            }
        }
        Ok(predictions)
    }
}
