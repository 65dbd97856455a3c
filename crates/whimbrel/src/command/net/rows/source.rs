//! A file of tables as a source of rows, which a training reads again in every epoch.

use super::Refusal;
use super::numbers::{Chunk, Numbers};
use super::settle::Rules;
use super::tables;
use std::path::{Path, PathBuf};
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::losses::Loss;
use whimbrel::nn::trainer::{Chunks, Examples, RowForm, Source, TargetForm, Targets, TrainError};

/// The rows of a file, with the inputs and the target a network file names.
#[derive(Clone, Debug)]
pub struct FileSource {
    path: PathBuf,
    inputs: Vec<String>,
    target: String,
    weight: Option<String>,
    /// Whether the target is a class.
    classes: bool,
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

/// Whether the targets of a network are classes.
pub fn has_classes(file: &NetworkFile) -> bool {
    matches!(file.trainer().loss, Loss::CrossEntropy(_))
}

impl FileSource {
    /// The rows of `path`, like the data of a network file.
    pub fn new(file: &NetworkFile, path: &Path) -> Result<FileSource, Refusal> {
        let remedy = "name the column to predict: target under [data] of the network file";
        let lacking = || format!("{}: is a table; {remedy}", path.display());
        Ok(FileSource {
            path: path.into(),
            inputs: inputs(file, path)?,
            target: file.data().target.clone().ok_or_else(lacking)?,
            weight: file.data().weight.clone(),
            classes: has_classes(file),
            rules: Rules::of(file),
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
        examples(&self.path, whole, self.classes, 0)
    }

    fn numbers(&self) -> Result<Numbers, Refusal> {
        let others = [Some(&self.target), self.weight.as_ref()];
        Numbers::open(&self.path, &self.inputs, others, self.rules)
    }
}

impl Source for FileSource {
    fn form(&self) -> RowForm {
        let target = if self.classes { TargetForm::Class } else { TargetForm::Values { width: 1 } };
        RowForm { features: self.inputs.len(), target, weighted: self.weight.is_some() }
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        let (path, classes) = (self.path.clone(), self.classes);
        let mut before = 0;
        let next = move |chunk: Result<Chunk, Refusal>| {
            let examples = examples(&path, chunk?, classes, before)?;
            before += examples.rows();
            Ok(examples)
        };
        let chunks = self.numbers().map_err(TrainError::Source)?.map(next);
        Ok(Box::new(chunks.map(|chunk| chunk.map_err(TrainError::Source))))
    }
}

/// Examples of rows that come after `before` rows of a file.
pub fn examples(
    path: &Path,
    chunk: Chunk,
    classes: bool,
    before: usize,
) -> Result<Examples, Refusal> {
    let targets = match classes {
        true => Targets::Classes(class_numbers(path, &chunk, before)?),
        false => Targets::Values { width: chunk.width, values: chunk.targets },
    };
    let made = Examples::with_missing(chunk.features, chunk.inputs, targets);
    let made = match chunk.weights.is_empty() {
        true => made,
        false => made.and_then(|made| made.weighted(chunk.weights)),
    };
    made.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Targets as classes.
fn class_numbers(path: &Path, chunk: &Chunk, before: usize) -> Result<Vec<i32>, Refusal> {
    let file = path.display();
    if chunk.width != 1 {
        let problem = format!("has {} targets in a row", chunk.width);
        return Err(format!("{file}: {problem}; give the number of the class alone").into());
    }
    let class = |(row, &number): (usize, &f32)| {
        let fits = number.fract() == 0.0 && (0.0..1e6).contains(&number);
        fits.then_some(number as i32).ok_or_else(|| {
            let row = before + row + 1;
            let remedy = "number the classes from 0";
            format!("{file}: the target of row {row} is {number}, which is no class; {remedy}")
                .into()
        })
    };
    chunk.targets.iter().enumerate().map(class).collect()
}
