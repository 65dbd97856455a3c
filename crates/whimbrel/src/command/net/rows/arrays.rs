//! Arrays of NumPy and IDX files as rows: the first axis counts the rows, the others are what a row has.

use super::format::Format;
use super::numbers::Chunk;
use super::settle::{Field, Rules, all_dropped, settle};
use super::{Refusal, RowChunks};
use std::path::{Path, PathBuf};
use whimbrel::data::Array;
use whimbrel::data::array::{Stream, idx, npy, npz};
use whimbrel::nn::file::{FileError, NetworkFile};

/// The array that goes in where a file has several and none is named.
const INPUTS: &str = "x";

/// Numbers of the inputs that are read at a time, where not all are.
const AT_A_TIME: usize = 1 << 18;

/// Rows of so many inputs that are read at a time.
pub fn rows_at_a_time(features: usize) -> usize {
    (AT_A_TIME / features.max(1)).max(1)
}

/// An array of a file.
#[derive(Clone, Debug)]
pub struct Place {
    pub path: PathBuf,
    /// Its name, where the file has several.
    name: String,
}

impl Place {
    /// The array of the inputs a network file names.
    pub fn of_inputs(file: &NetworkFile, path: &Path) -> Result<Place, Refusal> {
        if file.data().weight.is_some() {
            let remedy = "remove weight under [data] of the network file, or give a table";
            return Err(
                format!("{}: holds arrays without weights; {remedy}", path.display()).into()
            );
        }
        let name = match file.data().inputs.as_deref() {
            None => INPUTS,
            Some([name]) => name,
            Some(names) => {
                let problem = format!("inputs names {} arrays", names.len());
                let problem = format!("{problem}; name the one whose rows are the inputs");
                let line = file.line("data.inputs");
                return Err(Box::new(FileError { file: file.path().into(), line, problem }));
            }
        };
        Ok(Place { path: path.into(), name: name.into() })
    }

    /// The array of the targets: of a file of its own, or named in that of the inputs.
    pub fn of_targets(
        file: &NetworkFile,
        path: &Path,
        targets: Option<&Path>,
    ) -> Result<Place, Refusal> {
        let target = file.data().target.as_deref();
        match (targets, target) {
            (Some(targets), _) => Ok(Place { path: targets.into(), name: "target".into() }),
            (None, Some(target)) if Format::of(path) == Format::Npz => {
                Ok(Place { path: path.into(), name: target.into() })
            }
            _ => {
                let remedy = "name the file of the targets: --targets, or target_file under [data] of the network file";
                Err(format!("{}: holds one array; {remedy}", path.display()).into())
            }
        }
    }

    /// All of it.
    fn read(&self) -> Result<Array, Refusal> {
        match Format::of(&self.path) {
            Format::Npz => {
                let arrays = npz::read(&self.path)?;
                let known: Vec<String> = arrays.iter().map(|(known, _)| known.clone()).collect();
                let found = arrays.into_iter().find(|(known, _)| *known == self.name);
                found.map(|(_, array)| array).ok_or_else(|| {
                    let (file, name, known) = (self.path.display(), &self.name, known.join(", "));
                    format!("{file}: there is no array \"{name}\"; it holds {known}").into()
                })
            }
            Format::Idx => Ok(idx::read(&self.path)?),
            _ => Ok(npy::read(&self.path)?),
        }
    }

    /// Some rows of it at a time.
    pub fn stream(&self, rows: usize) -> Result<Stream, Refusal> {
        Ok(match Format::of(&self.path) {
            Format::Npz => Stream::npz(&self.path, &self.name, rows)?,
            Format::Idx => Stream::idx(&self.path, rows)?,
            _ => Stream::npy(&self.path, rows)?,
        })
    }

    /// What messages call a row of it, counted from 0.
    pub fn row(&self, row: usize) -> String {
        format!("{}, row {}", self.path.display(), row + 1)
    }

    /// What messages call a number of it, by its row and column counted from 0.
    pub fn number(&self, row: usize, column: usize) -> String {
        format!("{}, row {}, column {}", self.path.display(), row + 1, column + 1)
    }

    /// How many rows an array of this shape has, and how many numbers a row.
    pub fn sizes(&self, shape: &[usize]) -> Result<[usize; 2], Refusal> {
        let (rows, width) = (shape.first().copied().unwrap_or(0), shape.iter().skip(1).product());
        match rows == 0 || width == 0 {
            true => {
                let problem = "has no rows; its first axis counts them";
                Err(format!("{}: {problem}", self.path.display()).into())
            }
            false => Ok([rows, width]),
        }
    }
}

/// All rows of files of arrays, like the data of a network file.
pub fn read(file: &NetworkFile, path: &Path, targets: Option<&Path>) -> Result<Chunk, Refusal> {
    let (inputs, targets) =
        (Place::of_inputs(file, path)?, Place::of_targets(file, path, targets)?);
    let (x, y) = (inputs.read()?, targets.read()?);
    let ([rows, features], [count, width]) = (inputs.sizes(x.shape())?, targets.sizes(y.shape())?);
    expect_alike(&targets, count, rows)?;
    let (x, y) = (x.elements().to_f32(), y.elements().to_f32());
    let mut chunk = Chunk { features, width, inputs: x, targets: y, ..Chunk::default() };
    settle(&mut chunk, Rules::learning(file, features), |row, field| match field {
        Field::Input(column) => inputs.number(row, column),
        Field::Target | Field::Weight => targets.row(row),
    })?;
    match chunk.rows() {
        0 => Err(all_dropped(&path.display().to_string())),
        _ => Ok(chunk),
    }
}

/// Rows without targets, and how many inputs one has; a large file is read some rows at a time.
pub fn read_inputs(
    file: &NetworkFile,
    path: &Path,
    stream: bool,
) -> Result<(usize, RowChunks), Refusal> {
    let (inputs, rules) = (Place::of_inputs(file, path)?, Rules::of(file).without_dropping());
    if !stream {
        let array = inputs.read()?;
        let [_, features] = inputs.sizes(array.shape())?;
        let chunk = inputs_of(&inputs, rules, features, &array, 0)?;
        return Ok((features, Box::new(std::iter::once(Ok(chunk)))));
    }
    let [_, features] = inputs.sizes(inputs.stream(1)?.shape())?;
    let mut before = 0;
    let chunks = inputs.stream(rows_at_a_time(features))?.map(move |array| {
        let array = array?;
        let first = before;
        before += array.shape()[0];
        inputs_of(&inputs, rules, features, &array, first)
    });
    Ok((features, Box::new(chunks)))
}

/// Rows without targets that come after `before` others.
fn inputs_of(
    place: &Place,
    rules: Rules,
    features: usize,
    array: &Array,
    before: usize,
) -> Result<Chunk, Refusal> {
    let inputs = array.elements().to_f32();
    let mut chunk = Chunk { features, inputs, ..Chunk::default() };
    settle(&mut chunk, rules, |row, field| {
        let column = if let Field::Input(column) = field { column } else { 0 };
        place.number(before + row, column)
    })?;
    Ok(chunk)
}

/// Refuses targets that are more or fewer than the rows.
pub fn expect_alike(targets: &Place, count: usize, rows: usize) -> Result<(), Refusal> {
    match count == rows {
        true => Ok(()),
        false => {
            let file = targets.path.display();
            let problem = format!("has {count} targets for {rows} rows of inputs; give as many");
            Err(format!("{file}: {problem}").into())
        }
    }
}
