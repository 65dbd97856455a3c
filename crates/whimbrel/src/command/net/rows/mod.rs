//! Rows of files, as what a network learns from and predicts for.
//!
//! `tables.rs` opens a file as tables, `numbers.rs` makes numbers of their columns, `source.rs` lets a
//! training read them again and again. A small file is read whole; a large one is streamed.

mod numbers;
mod source;
mod tables;

use crate::failure::Failure;
use numbers::Numbers;
use source::FileSource;
use std::path::Path;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::trainer::{Examples, Rows, Source, TrainError};

/// Bytes from which on a file is streamed unless the network file says otherwise.
const LARGE: u64 = 128 << 20;

/// The rows of a file, with the inputs and the target a network file names.
pub enum Data {
    Held(Examples),
    Streamed(FileSource),
}

impl Data {
    /// Opens the data of a network, or other data like them.
    pub fn open(file: &NetworkFile, path: &Path) -> Result<Data, Failure> {
        let source = FileSource::new(file, path).map_err(Failure::input)?;
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        match file.data().stream.unwrap_or(bytes >= LARGE) {
            true => Ok(Data::Streamed(source)),
            false => Ok(Data::Held(source.read().map_err(Failure::input)?)),
        }
    }

    /// The rows, for a training.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            Data::Held(examples) => Rows::Held(examples),
            Data::Streamed(source) => Rows::Streamed(source),
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

/// Inputs of a row: as many as the network file names, or as its data have.
pub fn width(file: &NetworkFile) -> Result<usize, Failure> {
    Ok(source::inputs(file, &file.data_file()).map_err(Failure::input)?.len())
}

/// The inputs of the rows of a file, some rows at a time.
pub struct Inputs {
    /// Inputs of a row.
    pub features: usize,
    numbers: Numbers,
}

impl Inputs {
    /// Opens a file with the inputs a network file names.
    pub fn open(file: &NetworkFile, path: &Path) -> Result<Inputs, Failure> {
        let columns = source::inputs(file, path).map_err(Failure::input)?;
        let features = columns.len();
        let numbers = Numbers::open(path, columns, None).map_err(Failure::input)?;
        Ok(Inputs { features, numbers })
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<f32>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let chunk = self.numbers.next()?;
        Some(chunk.map(|chunk| chunk.inputs).map_err(Failure::input))
    }
}
