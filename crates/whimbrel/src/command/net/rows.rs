//! Rows of a CSV file as what a network learns from and predicts for.

use crate::failure::Failure;
use std::path::Path;
use whimbrel::csv::{CsvError, Place, Problem, Reader};
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

/// The columns that go in: those the file names, or all but the target.
fn inputs(file: &NetworkFile, header: &[String]) -> Vec<String> {
    let others = || header.iter().filter(|name| **name != file.data().target).cloned().collect();
    file.data().inputs.clone().unwrap_or_else(others)
}

/// Reads the columns that `choose` takes from the header.
fn read(path: &Path, choose: impl FnOnce(&[String]) -> Vec<String>) -> Result<Table, CsvError> {
    let mut reader = Reader::open(path)?;
    let names = choose(reader.header());
    let columns = names.iter().map(|name| reader.column(name)).collect::<Result<Vec<_>, _>>()?;
    let mut numbers = Vec::new();
    while let Some(record) = reader.next_record()? {
        for &column in &columns {
            let number = record.number(column)? as f32;
            if !number.is_finite() {
                let text = record.text(column).trim().chars().take(40).collect();
                return Err(record.error(column, Problem::NotFinite { text }));
            }
            numbers.push(number);
        }
    }
    if numbers.is_empty() {
        let place = Place { file: reader.file().into(), line: None, column: None };
        return Err(CsvError { place, problem: Problem::NoRows });
    }
    Ok(Table { width: columns.len(), numbers })
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
