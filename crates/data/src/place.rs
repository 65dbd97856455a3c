//! Where in a file something is, as messages name it.

use std::fmt;

/// A place in a file: `sales.csv:12, column "y"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// Line, counted from 1; none where the file as a whole is meant.
    pub line: Option<u64>,
    /// The column's name in quotes, or its number where it has none.
    pub column: Option<String>,
}

impl Place {
    /// The file as a whole.
    pub fn file(file: &str) -> Place {
        Place { file: file.into(), line: None, column: None }
    }

    /// A line of the file.
    pub fn line(file: &str, line: u64) -> Place {
        Place { line: Some(line), ..Place::file(file) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}
