//! A file of tables as a source of rows, which a training reads again in every epoch.

use super::Refusal;
use super::numbers::{Chunk, Numbers};
use super::settle::Rules;
use super::tables;
use std::path::{Path, PathBuf};
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{Chunks, Examples, RowForm, Source, TargetForm, Targets, TrainError};

/// The rows of a file, with the inputs and the target a network file names.
#[derive(Clone, Debug)]
pub struct FileSource {
    path: PathBuf,
    inputs: Vec<String>,
    target: String,
    weight: Option<String>,
    rules: Rules,
}

/// The columns that go in: those the network file names, or all but target and weight.
pub fn inputs(file: &NetworkFile, path: &Path) -> Result<Vec<String>, Refusal> {
    if let Some(inputs) = &file.data().inputs {
        return Ok(inputs.clone());
    }
    let header = tables::header(path)?;
    let others = [&file.data().target, &file.data().weight];
    let goes_in = |name: &String| !others.contains(&&Some(name.clone()));
    Ok(header.into_iter().filter(goes_in).collect())
}

impl FileSource {
    /// The rows of `path`, like the data of a network file.
    pub fn new(file: &NetworkFile, path: &Path) -> Result<FileSource, Refusal> {
        let remedy = "name the column to predict: target under [data] of the network file";
        let lacking = || format!("{}: is a table; {remedy}", path.display());
        let inputs = inputs(file, path)?;
        let rules = Rules::learning(file, inputs.len());
        Ok(FileSource {
            path: path.into(),
            inputs,
            target: file.data().target.clone().ok_or_else(lacking)?,
            weight: file.data().weight.clone(),
            rules,
        })
    }

    /// All rows.
    pub fn read(&self) -> Result<Examples, Refusal> {
        let mut whole = Chunk { features: self.inputs.len(), width: 1, ..Chunk::default() };
        for chunk in self.numbers()? {
            let chunk = chunk?;
            whole.inputs.extend_from_slice(&chunk.inputs);
            whole.targets.extend_from_slice(&chunk.targets);
            whole.weights.extend_from_slice(&chunk.weights);
        }
        examples(&self.path, whole, self.rules.classes)
    }

    fn numbers(&self) -> Result<Numbers, Refusal> {
        let others = [Some(&self.target), self.weight.as_ref()];
        Numbers::open(&self.path, &self.inputs, others, self.rules)
    }
}

impl Source for FileSource {
    fn form(&self) -> RowForm {
        let target =
            if self.rules.classes { TargetForm::Class } else { TargetForm::Values { width: 1 } };
        RowForm { features: self.inputs.len(), target, weighted: self.weight.is_some() }
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        let (path, classes) = (self.path.clone(), self.rules.classes);
        let next = move |chunk: Result<Chunk, Refusal>| examples(&path, chunk?, classes);
        let chunks = self.numbers().map_err(TrainError::Source)?.map(next);
        Ok(Box::new(chunks.map(|chunk| chunk.map_err(TrainError::Source))))
    }
}

/// Examples of rows of a file.
pub fn examples(path: &Path, chunk: Chunk, classes: bool) -> Result<Examples, Refusal> {
    let targets = match classes {
        true => Targets::Classes(class_numbers(path, &chunk)?),
        false => Targets::Values { width: chunk.width, values: chunk.targets },
    };
    let made = Examples::with_missing(chunk.features, chunk.inputs, targets);
    let made = match chunk.weights.is_empty() {
        true => made,
        false => made.and_then(|made| made.weighted(chunk.weights)),
    };
    made.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Targets as classes, which `settle` has seen to be such.
fn class_numbers(path: &Path, chunk: &Chunk) -> Result<Vec<i32>, Refusal> {
    if chunk.width != 1 {
        let problem = format!("has {} targets in a row", chunk.width);
        let remedy = "give the number of the class alone";
        return Err(format!("{}: {problem}; {remedy}", path.display()).into());
    }
    Ok(chunk.targets.iter().map(|&class| class as i32).collect())
}
