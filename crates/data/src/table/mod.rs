//! What every reader of tables gives: columns of equal length, found by name.

mod column;
mod lines;
mod text;

pub use column::{Column, Values};
pub(crate) use lines::Lines;
pub use text::Text;
pub(crate) use text::{NotText, Run};

use crate::error::{DataError, Problem, shorten};
use crate::place::{Place, Position};
use std::sync::{Arc, Mutex, PoisonError};
use whimbrel_threads::Pool;

/// Columns of equal length. It knows where it came from, so that those who use it can name the place
/// of what they cannot use.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    file: Arc<str>,
    columns: Vec<(String, Column)>,
    lines: Lines,
}

impl Table {
    /// A table of columns that are equally long, from `file`.
    pub(crate) fn new(file: Arc<str>, columns: Vec<(String, Column)>, lines: Lines) -> Table {
        debug_assert!(columns.iter().all(|(_, column)| column.rows() == columns[0].1.rows()));
        Table { file, columns, lines }
    }

    /// A table of columns that are equally long, to be written.
    pub fn of(columns: Vec<(String, Column)>) -> Table {
        Table::new("".into(), columns, Lines::default())
    }

    /// The file it was read from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.rows())
    }

    /// The columns with their names, in the order asked for.
    pub fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// The columns alone.
    pub(crate) fn into_columns(self) -> Vec<Column> {
        self.columns.into_iter().map(|(_, column)| column).collect()
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Result<&Column, DataError> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        found.map(|(_, column)| column).ok_or_else(|| {
            let found = self.columns.iter().map(|(name, _)| name.clone()).collect();
            let problem = Problem::MissingColumn { name: name.into(), found };
            DataError { place: Place::file(&self.file), problem }
        })
    }

    /// The line a row began on, counted from 1; none if the file has no lines.
    pub fn line(&self, row: usize) -> Option<u64> {
        self.lines.get(row)
    }

    /// Where a row began: its line, or its number in this table where the file has no lines.
    pub fn position(&self, row: usize) -> Position {
        self.line(row).map_or(Position::Row(row as u64 + 1), Position::Line)
    }

    /// The place of a field, for errors of those who use it: by its line, or by its row in this table where
    /// the file has no lines.
    pub fn place(&self, row: usize, column: &str) -> Place {
        let column = Some(format!("\"{}\"", shorten(column)));
        Place { file: self.file.to_string(), position: self.position(row), column }
    }

    /// Appends the rows of tables with the same columns, each column on a thread of its own. With them
    /// the table will have this share of all rows: room for the rest saves moving columns as they grow.
    pub(crate) fn append(&mut self, more: &[Table], share: f64, pool: &Pool) {
        let mut rows = self.rows();
        for table in more {
            self.lines.append(rows, &table.lines);
            rows += table.rows();
        }
        let columns: Vec<_> = self.columns.iter_mut().map(|(_, all)| Mutex::new(all)).collect();
        pool.pieces(columns.len(), |i| {
            let mut all = columns[i].lock().unwrap_or_else(PoisonError::into_inner);
            let more = more.iter().map(|table| &table.columns[i].1);
            all.reserve(more.clone(), share);
            more.for_each(|column| all.append(column));
        });
    }
}
