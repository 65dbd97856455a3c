//! Numbers of some columns of a file, in single precision, row by row.

use super::tables::{self, Tables};
use std::path::Path;
use whimbrel::data::{Table, Values};
use whimbrel::{DataError, Problem};

/// Rows of a file.
pub struct Chunk {
    /// Inputs, row by row.
    pub inputs: Vec<f32>,
    /// What should be predicted for each row; nothing where no target is asked for.
    pub targets: Vec<f32>,
}

/// The rows of a file, some at a time. Ends after an error; a file without rows is one.
pub struct Numbers {
    tables: Tables,
    file: String,
    inputs: Vec<String>,
    target: Option<String>,
    /// Rows so far.
    rows: u64,
    ended: bool,
}

impl Numbers {
    /// Begins to read a file at its first row.
    pub fn open(
        path: &Path,
        inputs: Vec<String>,
        target: Option<String>,
    ) -> Result<Numbers, DataError> {
        let wanted: Vec<String> = inputs.iter().chain(&target).cloned().collect();
        let (tables, file) = (tables::open(path, &wanted)?, path.display().to_string());
        Ok(Numbers { tables, file, inputs, target, rows: 0, ended: false })
    }

    /// The rows of a table.
    fn chunk(&mut self, table: &Table) -> Result<Chunk, DataError> {
        let mut inputs = vec![0.0; table.rows() * self.inputs.len()];
        for (place, name) in self.inputs.iter().enumerate() {
            fill(&mut inputs, self.inputs.len(), place, table, name)?;
        }
        let mut targets = Vec::new();
        if let Some(name) = &self.target {
            targets = vec![0.0; table.rows()];
            fill(&mut targets, 1, 0, table, name)?;
        }
        self.rows += table.rows() as u64;
        Ok(Chunk { inputs, targets })
    }
}

impl Iterator for Numbers {
    type Item = Result<Chunk, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let chunk = match self.tables.next() {
                // A block of blank lines.
                Some(Ok(table)) if table.rows() == 0 => continue,
                Some(table) => table.and_then(|table| self.chunk(&table)),
                None if self.rows == 0 => Err(DataError::of_file(&self.file, Problem::NoRows)),
                None => break,
            };
            self.ended = chunk.is_err();
            return Some(chunk);
        }
        self.ended = true;
        None
    }
}

/// Puts a column of a table at `place` of each row, of which each has `width` numbers.
fn fill(
    rows: &mut [f32],
    width: usize,
    place: usize,
    table: &Table,
    name: &str,
) -> Result<(), DataError> {
    let to = rows[place..].iter_mut().step_by(width);
    match table.column(name)?.values() {
        Values::Float(values) => to.zip(values).for_each(|(to, &x)| *to = x as f32),
        Values::Integer(values) => to.zip(values).for_each(|(to, &x)| *to = x as f32),
        Values::Time(_) | Values::Text(_) => {}
    }
    let beyond = rows[place..].iter().step_by(width).position(|x| !x.is_finite());
    match beyond {
        Some(row) => {
            let problem = Problem::NotFinite { text: "inf".into() };
            Err(DataError { place: table.place(row, name), problem })
        }
        None => Ok(()),
    }
}
