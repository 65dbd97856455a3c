//! Where in a file something is, as messages name it.

use std::fmt;

/// Where in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The file as a whole.
    Whole,
    /// A line of text.
    Line(u64),
    /// A row of a file without lines.
    Row(u64),
}

/// A place in a file: `sales.csv:12, column "y"`, or `sales.parquet, row 11, column "y"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// Where in it.
    pub position: Position,
    /// The column's name in quotes, or its number where it has none.
    pub column: Option<String>,
}

impl Place {
    /// The file as a whole.
    pub fn file(file: &str) -> Place {
        Place { file: file.into(), position: Position::Whole, column: None }
    }

    /// A line of the file.
    pub fn line(file: &str, line: u64) -> Place {
        Place { position: Position::Line(line), ..Place::file(file) }
    }

    /// The place so many rows later, where the file has no lines: what is counted from the beginning of a
    /// part is so counted from that of the file.
    pub fn after_rows(self, rows: u64) -> Place {
        match self.position {
            Position::Row(row) => Place { position: Position::Row(rows + row), ..self },
            _ => self,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Position::Whole => Ok(()),
            Position::Line(line) => write!(f, "line {line}"),
            Position::Row(row) => write!(f, "row {row}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.file)?;
        match self.position {
            Position::Whole => {}
            Position::Line(line) => write!(f, ":{line}")?,
            Position::Row(row) => write!(f, ", row {row}")?,
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}
