//! A network file and its data, ready for the trainer.

use super::{SUITE, failed};
use crate::error::{Error, Result};
use std::path::Path;
use whimbrel_data::csv;
use whimbrel_nn::file::NetworkFile;
use whimbrel_nn::metrics::MetricName;
use whimbrel_nn::trainer::{Examples, Length, Run, Start, Targets, TrainError, Trainer};

/// A network file of `examples/` with its rows.
pub struct Network {
    trainer: Trainer,
    examples: Examples,
}

impl Network {
    /// Reads the file of this name and the data it names.
    pub fn read(name: &str) -> Result<Network> {
        let fail = |what: String| Error::Suite { suite: SUITE, what };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let file = NetworkFile::read(&folder.join(name).with_extension("toml"))
            .map_err(|error| fail(error.to_string()))?;
        let table = csv::read(file.data_file(), &csv::Options::default())
            .map_err(|error| fail(error.to_string()))?;
        let (mut columns, mut classes) = (Vec::new(), Vec::new());
        for (name, column) in table.columns() {
            let numbers = column.to_floats().unwrap_or_default();
            match file.data().target.as_ref() == Some(name) {
                true => classes = numbers.iter().map(|&class| class as i32).collect(),
                false => columns.push(numbers),
            }
        }
        let rows = 0..table.rows();
        let inputs = rows.flat_map(|row| columns.iter().map(move |column| column[row] as f32));
        let inputs = inputs.collect();
        let examples = Examples::new(columns.len(), inputs, Targets::Classes(classes));
        let trainer = Trainer { checkpoints: None, ..file.trainer() };
        Ok(Network { trainer, examples: examples.map_err(failed)? })
    }

    /// The training, without an end.
    pub fn endless(&self, threads: usize) -> Trainer {
        Trainer { length: Length::Epochs(usize::MAX), threads, ..self.trainer.clone() }
    }

    /// A training under way.
    pub fn start<'a>(&'a self, trainer: &'a Trainer) -> Result<Epochs<'a>> {
        Ok(Epochs(trainer.start(&self.examples, Start::Fresh).map_err(failed)?))
    }

    /// The share of right classes of the validation after the whole training, in percent.
    pub fn accuracy(&self, seed: u64) -> Result<f64> {
        let trainer = Trainer { seed, ..self.trainer.clone() };
        let mut run = trainer.start(&self.examples, Start::Fresh).map_err(failed)?;
        let mut accuracy = None;
        while let Some(progress) = run.advance().map_err(failed)? {
            accuracy = progress
                .epoch
                .and_then(|epoch| epoch.validation?.get(MetricName::Accuracy))
                .or(accuracy);
        }
        let lacking = || Error::Suite { suite: SUITE, what: "there was no validation".into() };
        Ok(100.0 * accuracy.ok_or_else(lacking)?)
    }
}

/// A training that goes forward epoch by epoch.
pub struct Epochs<'a>(Run<'a>);

impl Epochs<'_> {
    /// Rows an epoch learns from.
    pub fn rows(&self) -> usize {
        self.0.epoch_rows()
    }

    /// One epoch.
    pub fn epoch(&mut self) -> std::result::Result<(), TrainError> {
        while let Some(progress) = self.0.advance()? {
            if progress.epoch.is_some() {
                break;
            }
        }
        Ok(())
    }
}
