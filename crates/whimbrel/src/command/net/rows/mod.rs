//! Rows of files, as what a network learns from and predicts for.
//!
//! `format.rs` tells what a file is. Tables (`tables.rs`, `numbers.rs`) and arrays (`arrays.rs`) are read
//! whole where they are small; a large file is a source (`source.rs`, `array_source.rs`) that is read
//! again in every epoch. `settle.rs` settles what is missing in a row.

mod array_source;
mod arrays;
mod format;
mod numbers;
mod settle;
mod source;
mod tables;

use super::refusal::refused;
use crate::failure::Failure;
use array_source::ArraySource;
use format::Format;
use numbers::{Chunk, Numbers};
use settle::Rules;
use source::FileSource;
use std::error::Error;
use std::path::Path;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{Examples, Rows, Source, TrainError};

/// Why rows cannot be used: place, problem, remedy.
type Refusal = Box<dyn Error + Send + Sync>;

/// Rows of a file, some at a time.
type RowChunks = Box<dyn Iterator<Item = Result<Chunk, Refusal>>>;

/// The rows of a file, with the inputs and the target a network file names.
pub enum Data {
    Held(Examples),
    Streamed(Box<dyn Source>),
}

impl Data {
    /// Opens the data of a network, or other data like them; `targets` is the file of the targets, where
    /// it is one of its own.
    pub fn open(file: &NetworkFile, path: &Path, targets: Option<&Path>) -> Result<Data, Failure> {
        Data::read(file, path, targets).map_err(|error| refused(file, &*error))
    }

    fn read(file: &NetworkFile, path: &Path, targets: Option<&Path>) -> Result<Data, Refusal> {
        match (Format::of(path).is_array(), is_streamed(file, path)) {
            (true, true) => Ok(Data::Streamed(Box::new(ArraySource::new(file, path, targets)?))),
            (true, false) => {
                let chunk = arrays::read(file, path, targets)?;
                Ok(Data::Held(source::examples(path, chunk, Rules::of(file).classes)?))
            }
            (false, true) => Ok(Data::Streamed(Box::new(FileSource::new(file, path)?))),
            (false, false) => Ok(Data::Held(FileSource::new(file, path)?.read()?)),
        }
    }

    /// The rows, for a training.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            Data::Held(examples) => Rows::Held(examples),
            Data::Streamed(source) => Rows::Streamed(&**source),
        }
    }

    /// How many rows there are; a large file is read to tell.
    pub fn count(&self) -> Result<usize, TrainError> {
        match self {
            Data::Held(examples) => Ok(examples.rows()),
            Data::Streamed(source) => {
                source.open()?.try_fold(0, |sum, chunk| Ok(sum + chunk?.rows()))
            }
        }
    }
}

/// Whether a file is a table, whose columns have names.
pub fn is_table(path: &Path) -> bool {
    !Format::of(path).is_array()
}

/// The columns of a table that go in; none of arrays, which have no names.
pub fn columns(file: &NetworkFile, path: &Path) -> Result<Vec<String>, Failure> {
    match is_table(path) {
        true => source::inputs(file, path).map_err(|error| refused(file, &*error)),
        false => Ok(Vec::new()),
    }
}

/// Whether a file is read again in every epoch: as the network file says, or because it is large.
fn is_streamed(file: &NetworkFile, path: &Path) -> bool {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let large = bytes >= Format::of(path).large(path);
    !tables::is_standard(path) && file.data().stream.unwrap_or(large)
}

/// Inputs of a row: as many as the network file names, or as its data have.
pub fn width(file: &NetworkFile) -> Result<usize, Failure> {
    let data = file.data_file();
    match &file.data().inputs {
        Some(columns) if !Format::of(&data).is_array() => Ok(columns.len()),
        _ => Ok(Inputs::open(file, &data)?.features),
    }
}

/// The inputs of the rows of a file, some rows at a time.
pub struct Inputs {
    /// Inputs of a row.
    pub features: usize,
    chunks: RowChunks,
}

impl Inputs {
    /// Opens a file with the inputs a network file names.
    pub fn open(file: &NetworkFile, path: &Path) -> Result<Inputs, Failure> {
        Inputs::read(file, path).map_err(|error| refused(file, &*error))
    }

    fn read(file: &NetworkFile, path: &Path) -> Result<Inputs, Refusal> {
        if Format::of(path).is_array() {
            let (features, chunks) = arrays::read_inputs(file, path, is_streamed(file, path))?;
            return Ok(Inputs { features, chunks });
        }
        let columns = source::inputs(file, path)?;
        let rules = Rules::of(file).without_dropping();
        let chunks = Box::new(Numbers::open(path, &columns, [None, None], rules)?);
        Ok(Inputs { features: columns.len(), chunks })
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<f32>, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.chunks.next()?.map(|chunk| chunk.inputs))
    }
}
