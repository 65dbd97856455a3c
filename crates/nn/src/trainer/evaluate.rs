//! Evaluating a network that has learned.

use super::machine::Machine;
use super::split::Split;
use super::{Examples, Scores, TrainError, Trainer};
use std::path::Path;

impl Trainer {
    /// The scores of `examples` with the weights of a file.
    pub fn evaluate(&self, examples: &Examples, weights: &Path) -> Result<Scores, TrainError> {
        let rows: Vec<u32> = (0..examples.rows() as u32).collect();
        let split = Split { learn: Vec::new(), validate: rows };
        let mut machine = Machine::new(self, examples, &split)?;
        machine.session.load(weights, |_| true)?;
        machine.evaluate(examples, &split.validate)
    }
}
