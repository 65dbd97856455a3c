//! A file as a source of rows, which a training reads again in every epoch.

use super::numbers::{Chunk, Numbers};
use super::tables;
use std::error::Error;
use std::path::{Path, PathBuf};
use whimbrel::DataError;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::losses::Loss;
use whimbrel::nn::trainer::{Chunks, Examples, RowForm, Source, TargetForm, Targets, TrainError};

/// The rows of a file, with the inputs and the target a network file names.
#[derive(Clone, Debug)]
pub struct FileSource {
    path: PathBuf,
    inputs: Vec<String>,
    target: String,
    /// Whether the target is a class.
    classes: bool,
}

/// The columns that go in: those the network file names, or all but the target.
pub fn inputs(file: &NetworkFile, path: &Path) -> Result<Vec<String>, DataError> {
    if let Some(inputs) = &file.data().inputs {
        return Ok(inputs.clone());
    }
    let header = tables::header(path)?;
    Ok(header.into_iter().filter(|name| *name != file.data().target).collect())
}

impl FileSource {
    /// The rows of `path`, like the data of a network file.
    pub fn new(file: &NetworkFile, path: &Path) -> Result<FileSource, DataError> {
        Ok(FileSource {
            path: path.into(),
            inputs: inputs(file, path)?,
            target: file.data().target.clone(),
            classes: matches!(file.trainer().loss, Loss::CrossEntropy(_)),
        })
    }

    /// All rows.
    pub fn read(&self) -> Result<Examples, TrainError> {
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        for chunk in self.numbers()? {
            let chunk = chunk.map_err(refused)?;
            inputs.extend_from_slice(&chunk.inputs);
            targets.extend_from_slice(&chunk.targets);
        }
        self.examples(Chunk { inputs, targets }, 0)
    }

    fn numbers(&self) -> Result<Numbers, TrainError> {
        Numbers::open(&self.path, self.inputs.clone(), Some(self.target.clone())).map_err(refused)
    }

    /// Examples of rows that come after `before` rows.
    fn examples(&self, chunk: Chunk, before: usize) -> Result<Examples, TrainError> {
        let targets = match self.classes {
            true => Targets::Classes(self.class_numbers(&chunk.targets, before)?),
            false => Targets::Values { width: 1, values: chunk.targets },
        };
        let made = Examples::new(self.inputs.len(), chunk.inputs, targets);
        made.map_err(|error| refused(format!("{}: {error}", self.path.display())))
    }

    /// Numbers as classes.
    fn class_numbers(&self, numbers: &[f32], before: usize) -> Result<Vec<i32>, TrainError> {
        let class = |(row, &number): (usize, &f32)| {
            let fits = number.fract() == 0.0 && (0.0..1e6).contains(&number);
            fits.then_some(number as i32).ok_or_else(|| {
                refused(format!(
                    "{}, column \"{}\": row {} is {number}, which is no class; number the classes from 0",
                    self.path.display(),
                    self.target,
                    before + row + 1
                ))
            })
        };
        numbers.iter().enumerate().map(class).collect()
    }
}

impl Source for FileSource {
    fn form(&self) -> RowForm {
        let target = if self.classes { TargetForm::Class } else { TargetForm::Values { width: 1 } };
        RowForm { features: self.inputs.len(), target }
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        let (numbers, source) = (self.numbers()?, self.clone());
        let mut before = 0;
        Ok(Box::new(numbers.map(move |chunk| {
            let examples = source.examples(chunk.map_err(refused)?, before)?;
            before += examples.rows();
            Ok(examples)
        })))
    }
}

fn refused(error: impl Into<Box<dyn Error + Send + Sync>>) -> TrainError {
    TrainError::Source(error.into())
}
