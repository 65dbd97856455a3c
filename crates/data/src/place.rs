//! Where in a file something is, as messages name it.

use std::fmt;

/// A place in a file: `sales.csv:12, column "y"`, or `sales.parquet, row 11, column "y"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// Line, counted from 1; none where the file as a whole is meant, or has no lines.
    pub line: Option<u64>,
    /// Row, counted from 1, of a file without lines.
    pub row: Option<u64>,
    /// The column's name in quotes, or its number where it has none.
    pub column: Option<String>,
}

impl Place {
    /// The file as a whole.
    pub fn file(file: &str) -> Place {
        Place { file: file.into(), line: None, row: None, column: None }
    }

    /// A line of the file.
    pub fn line(file: &str, line: u64) -> Place {
        Place { line: Some(line), ..Place::file(file) }
    }

    /// Its line, or its row where the file has no lines.
    pub fn number(&self) -> Option<u64> {
        self.line.or(self.row)
    }

    /// What the file counts by: lines or rows.
    pub fn unit(&self) -> &'static str {
        if self.row.is_some() { "row" } else { "line" }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}
