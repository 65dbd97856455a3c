//! Arrays of NumPy and IDX files as rows: the first axis counts the rows, the others are what a row has.

use super::Refusal;
use super::format::Format;
use super::numbers::Chunk;
use super::settle::{Field, Rules, settle};
use std::path::Path;
use whimbrel::data::Array;
use whimbrel::data::array::{idx, npy, npz};
use whimbrel::nn::file::{Data, NetworkFile};

/// The array that goes in where a file has several and none is named.
const INPUTS: &str = "x";

/// Inputs and targets of the files of a network, or of others like them.
pub fn read(file: &NetworkFile, path: &Path, targets: Option<&Path>) -> Result<Chunk, Refusal> {
    let data = file.data();
    let mut chunk = inputs(data, path)?;
    let (target_path, name) = match (targets, &data.target) {
        (Some(targets), _) => (targets, None),
        (None, target) => (path, target.as_deref()),
    };
    if Format::of(target_path) != Format::Npz && targets.is_none() {
        let remedy = "name the file of the targets: target_file under [data] of the network file";
        return Err(format!("{}: holds one array; {remedy}", path.display()).into());
    }
    let (rows, width, targets) = rows_of(target_path, &load(target_path, name)?)?;
    if rows != chunk.rows() {
        return Err(format!(
            "{}: has {rows} targets for {} rows of inputs; give as many",
            target_path.display(),
            chunk.rows()
        )
        .into());
    }
    (chunk.width, chunk.targets) = (width, targets);
    settle(&mut chunk, Rules::of(file), |row, field| match field {
        Field::Input(column) => {
            format!("{}, row {}, column {}", path.display(), row + 1, column + 1)
        }
        Field::Target => format!("{}, row {}", target_path.display(), row + 1),
    })?;
    Ok(chunk)
}

/// Inputs without targets.
pub fn read_inputs(file: &NetworkFile, path: &Path) -> Result<Chunk, Refusal> {
    let mut chunk = inputs(file.data(), path)?;
    settle(&mut chunk, Rules::of(file).without_dropping(), |row, field| {
        let column = if let Field::Input(column) = field { column + 1 } else { 0 };
        format!("{}, row {}, column {column}", path.display(), row + 1)
    })?;
    Ok(chunk)
}

fn inputs(data: &Data, path: &Path) -> Result<Chunk, Refusal> {
    let name = match data.inputs.as_deref() {
        None => None,
        Some([name]) => Some(name.as_str()),
        Some(_) => {
            let problem = "inputs must name one array, whose rows are the inputs";
            return Err(format!("{}: {problem}", path.display()).into());
        }
    };
    let (_, features, inputs) = rows_of(path, &load(path, name.or(Some(INPUTS)))?)?;
    Ok(Chunk { features, width: 0, inputs, targets: Vec::new() })
}

/// The array of a file, of several the one called `name`.
fn load(path: &Path, name: Option<&str>) -> Result<Array, Refusal> {
    match Format::of(path) {
        Format::Npz => {
            let arrays = npz::read(path)?;
            let known: Vec<String> = arrays.iter().map(|(known, _)| known.clone()).collect();
            let found = arrays.into_iter().find(|(known, _)| Some(known.as_str()) == name);
            found.map(|(_, array)| array).ok_or_else(|| {
                let (file, name) = (path.display(), name.unwrap_or("target"));
                let known = known.join(", ");
                format!("{file}: there is no array \"{name}\"; it holds {known}").into()
            })
        }
        Format::Idx => Ok(idx::read(path)?),
        _ => Ok(npy::read(path)?),
    }
}

/// Rows, numbers of a row, and the numbers row by row.
fn rows_of(path: &Path, array: &Array) -> Result<(usize, usize, Vec<f32>), Refusal> {
    let shape = array.shape();
    let (rows, width) = (shape.first().copied().unwrap_or(0), shape.iter().skip(1).product());
    if rows == 0 || width == 0 {
        let problem = "has no rows; its first axis counts them";
        return Err(format!("{}: {problem}", path.display()).into());
    }
    Ok((rows, width, array.elements().to_f32()))
}
