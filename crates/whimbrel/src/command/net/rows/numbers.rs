//! Numbers of some columns of a file of tables, in single precision, row by row.

use super::Refusal;
use super::settle::{Field, Rules, all_dropped, settle};
use super::tables;
use std::path::Path;
use whimbrel::data::{Kind, Place, Position, Table, Tables, Values};
use whimbrel::nn::file::Missing;
use whimbrel::{DataError, Problem};

/// Rows of a file.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Inputs of a row.
    pub features: usize,
    /// Targets of a row.
    pub width: usize,
    /// Inputs, row by row.
    pub inputs: Vec<f32>,
    /// What should be predicted, row by row.
    pub targets: Vec<f32>,
    /// How much each row counts; empty where they all count alike.
    pub weights: Vec<f32>,
}

impl Chunk {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.inputs.len() / self.features.max(1)
    }
}

/// The rows of a file, some at a time. Ends after an error; a file without rows is one.
pub struct Numbers {
    tables: Tables,
    file: String,
    inputs: Vec<String>,
    target: Option<String>,
    weight: Option<String>,
    rules: Rules,
    /// Rows so far, and those of them that were not dropped.
    rows: usize,
    kept: usize,
    ended: bool,
}

impl Numbers {
    /// Begins to read a file at its first row.
    pub fn open(
        path: &Path,
        inputs: &[String],
        [target, weight]: [Option<&String>; 2],
        rules: Rules,
    ) -> Result<Numbers, Refusal> {
        let wanted: Vec<String> = inputs.iter().chain(target).chain(weight).cloned().collect();
        let required = match rules.missing {
            Missing::Error => &wanted[..],
            Missing::Zero | Missing::Mean => &wanted[inputs.len()..],
            Missing::Drop => &[],
        };
        let tables = tables::open(path, &wanted, required)?;
        let (file, inputs) = (path.display().to_string(), inputs.to_vec());
        let (target, weight) = (target.cloned(), weight.cloned());
        Ok(Numbers { tables, file, inputs, target, weight, rules, rows: 0, kept: 0, ended: false })
    }

    /// The rows of a table.
    fn chunk(&mut self, table: &Table) -> Result<Chunk, Refusal> {
        let rows = table.rows();
        let (features, width) = (self.inputs.len(), usize::from(self.target.is_some()));
        let (mut inputs, mut targets) = (vec![0.0; rows * features], vec![0.0; rows * width]);
        for (place, name) in self.inputs.iter().enumerate() {
            fill(&mut inputs[place..], features, table, name)?;
        }
        if let Some(name) = &self.target {
            fill(&mut targets, width, table, name)?;
        }
        let mut weights = vec![0.0; if self.weight.is_some() { rows } else { 0 }];
        if let Some(name) = &self.weight {
            fill(&mut weights, 1, table, name)?;
        }
        let mut chunk = Chunk { features, width, inputs, targets, weights };
        settle(&mut chunk, self.rules, |row, field| {
            let name = match field {
                Field::Input(column) => &self.inputs[column],
                Field::Target => self.target.as_ref().unwrap_or(&self.file),
                Field::Weight => self.weight.as_ref().unwrap_or(&self.file),
            };
            // The table may be a part of the file.
            table.place(row, name).after_rows(self.rows as u64).to_string()
        })?;
        self.rows += rows;
        self.kept += chunk.rows();
        Ok(chunk)
    }
}

impl Iterator for Numbers {
    type Item = Result<Chunk, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let chunk = match self.tables.next() {
                Some(Ok(table)) => self.chunk(&table),
                Some(Err(error)) => Err(error.into()),
                None if self.rows == 0 => {
                    Err(DataError::of_file(&self.file, Problem::NoRows).into())
                }
                None if self.kept == 0 => Err(all_dropped(&self.file)),
                None => break,
            };
            self.ended = chunk.is_err();
            match chunk {
                // Blank lines, or nothing but rows that were dropped.
                Ok(chunk) if chunk.rows() == 0 => {}
                chunk => return Some(chunk),
            }
        }
        self.ended = true;
        None
    }
}

/// Puts a column of a table at the beginning of each row, of which each has `width` numbers; NaN where
/// there is none.
fn fill(rows: &mut [f32], width: usize, table: &Table, name: &str) -> Result<(), Refusal> {
    let column = table.column(name)?;
    let to = rows.iter_mut().step_by(width);
    match column.values() {
        Values::Float(values) => to.zip(values).for_each(|(to, &x)| *to = x as f32),
        Values::Integer(values) => to.zip(values).for_each(|(to, &x)| *to = x as f32),
        Values::Time(_) | Values::Text(_) => {
            let place = Place { position: Position::Whole, ..table.place(0, name) };
            let kind = if column.kind() == Kind::Text { "text" } else { "times" };
            return Err(format!("{place}: holds {kind}; give a column of numbers").into());
        }
    }
    column.missing().iter().for_each(|&row| rows[row * width] = f32::NAN);
    Ok(())
}
