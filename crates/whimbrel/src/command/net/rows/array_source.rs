//! Files of arrays as a source of rows, which a training reads again in every epoch.

use super::Refusal;
use super::arrays::{Place, expect_alike, rows_at_a_time};
use super::numbers::Chunk;
use super::settle::{Field, Rules, all_dropped, settle};
use super::source::examples;
use std::path::Path;
use whimbrel::data::Array;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{Chunks, Examples, RowForm, Source, TargetForm, TrainError};

/// The rows of files of arrays, with what should be predicted for them.
#[derive(Clone, Debug)]
pub struct ArraySource {
    inputs: Place,
    targets: Place,
    rules: Rules,
    features: usize,
    width: usize,
}

impl ArraySource {
    /// The rows of `path`, like the data of a network file.
    pub fn new(
        file: &NetworkFile,
        path: &Path,
        targets: Option<&Path>,
    ) -> Result<ArraySource, Refusal> {
        let (inputs, targets) =
            (Place::of_inputs(file, path)?, Place::of_targets(file, path, targets)?);
        let [rows, features] = inputs.sizes(inputs.stream(1)?.shape())?;
        let [count, width] = targets.sizes(targets.stream(1)?.shape())?;
        expect_alike(&targets, count, rows)?;
        Ok(ArraySource { inputs, targets, rules: Rules::learning(file, features), features, width })
    }

    /// Rows that come after `before` others; none if they are all dropped.
    fn examples(
        &self,
        inputs: &Array,
        targets: &Array,
        before: usize,
    ) -> Result<Option<Examples>, Refusal> {
        let (features, width) = (self.features, self.width);
        let (inputs, targets) = (inputs.elements().to_f32(), targets.elements().to_f32());
        let mut chunk = Chunk { features, width, inputs, targets, ..Chunk::default() };
        settle(&mut chunk, self.rules, |row, field| self.place(before + row, field))?;
        match chunk.rows() {
            0 => Ok(None),
            _ => Ok(Some(examples(&self.inputs.path, chunk, self.rules.classes)?)),
        }
    }

    fn place(&self, row: usize, field: Field) -> String {
        match field {
            Field::Input(column) => self.inputs.number(row, column),
            Field::Target | Field::Weight => self.targets.row(row),
        }
    }
}

impl Source for ArraySource {
    fn form(&self) -> RowForm {
        let width = self.width;
        let target =
            if self.rules.classes { TargetForm::Class } else { TargetForm::Values { width } };
        RowForm { features: self.features, target, weighted: false }
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        let rows = rows_at_a_time(self.features);
        let inputs = self.inputs.stream(rows).map_err(TrainError::Source)?;
        let targets = self.targets.stream(rows).map_err(TrainError::Source)?;
        let (source, mut before) = (self.clone(), 0);
        let chunks = inputs.zip(targets).map(move |(inputs, targets)| {
            let (inputs, targets) = (inputs?, targets?);
            let first = before;
            before += inputs.shape()[0];
            source.examples(&inputs, &targets, first)
        });
        let mut chunks =
            chunks.filter_map(|chunk: Result<_, Refusal>| chunk.transpose()).peekable();
        if chunks.peek().is_none() {
            return Err(TrainError::Source(all_dropped(&self.inputs.path.display().to_string())));
        }
        Ok(Box::new(chunks.map(|chunk| chunk.map_err(TrainError::Source))))
    }
}
