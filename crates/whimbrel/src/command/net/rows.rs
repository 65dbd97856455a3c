//! Rows of a CSV file as what a network learns from and predicts for.

use crate::failure::Failure;
use std::path::Path;
use whimbrel::DataError;
use whimbrel::csv::{self, Options, Request, Stream};
use whimbrel::data::Kind;
use whimbrel::nn::file::NetworkFile;
use whimbrel::nn::losses::Loss;
use whimbrel::nn::trainer::{Examples, Targets};

/// Numbers of some columns of a CSV file, row by row.
struct Table {
    width: usize,
    numbers: Vec<f32>,
}

/// The rows of a CSV file, with the inputs and the target a network file names.
pub fn examples(file: &NetworkFile, path: &Path) -> Result<Examples, Failure> {
    let target = &file.data().target;
    let table = read(path, |header| {
        let mut columns = inputs(file, header);
        columns.push(target.clone());
        columns
    })
    .map_err(Failure::input)?;
    let features = table.width - 1;
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    for row in table.numbers.chunks_exact(table.width) {
        inputs.extend_from_slice(&row[..features]);
        targets.push(row[features]);
    }
    let targets = match file.trainer().loss {
        Loss::CrossEntropy(_) => Targets::Classes(classes(path, target, &targets)?),
        _ => Targets::Values { width: 1, values: targets },
    };
    Examples::new(features, inputs, targets)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// The inputs of each row of a CSV file, row by row, and how many a row has.
pub fn features(file: &NetworkFile, path: &Path) -> Result<(usize, Vec<f32>), Failure> {
    let table = read(path, |header| inputs(file, header)).map_err(Failure::input)?;
    Ok((table.width, table.numbers))
}

/// Inputs of a row: as many as the file names, or as its data have.
pub fn width(file: &NetworkFile) -> Result<usize, Failure> {
    match &file.data().inputs {
        Some(named) => Ok(named.len()),
        None => {
            let data = Stream::open(file.data_file(), &Options::default());
            Ok(inputs(file, data.map_err(Failure::input)?.header()).len())
        }
    }
}

/// The columns that go in: those the file names, or all but the target.
fn inputs(file: &NetworkFile, header: &[String]) -> Vec<String> {
    let others = || header.iter().filter(|name| **name != file.data().target).cloned().collect();
    file.data().inputs.clone().unwrap_or_else(others)
}

/// Reads the columns that `choose` takes from the header.
fn read(path: &Path, choose: impl FnOnce(&[String]) -> Vec<String>) -> Result<Table, DataError> {
    let names = choose(Stream::open(path, &Options::default())?.header());
    let number = |name: &String| Request::of(name, Kind::Float).required();
    let table = csv::read(path, &Options::columns(names.iter().map(number)))?;
    let columns = names.iter().map(|name| Ok(table.column(name)?.to_floats().unwrap_or_default()));
    let columns = columns.collect::<Result<Vec<_>, DataError>>()?;
    let rows = 0..table.rows();
    let numbers = rows.flat_map(|row| columns.iter().map(move |column| column[row] as f32));
    Ok(Table { width: names.len(), numbers: numbers.collect() })
}

/// Numbers as classes.
fn classes(path: &Path, column: &str, numbers: &[f32]) -> Result<Vec<i32>, Failure> {
    let numbered = numbers.iter().enumerate();
    let class = |(row, &number): (usize, &f32)| match number.fract() == 0.0
        && (0.0..1e6).contains(&number)
    {
        true => Ok(number as i32),
        false => Err(Failure::input(format!(
            "{}, column \"{column}\": row {} is {number}, which is no class; number the classes from 0",
            path.display(),
            row + 1
        ))),
    };
    numbered.map(class).collect()
}
