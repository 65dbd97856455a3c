//! Rows of text in columns, for the terminal.

use std::fmt;

/// Rows of cells under titles. Columns are as wide as their widest cell and two blanks apart; the first is
/// set left, the others right.
///
/// ```
/// let mut table = whimbrel_chart::Table::new(["model", "MASE"]);
/// table.row(["Naive", "2.47"]);
/// assert_eq!(table.to_string(), "model  MASE\nNaive  2.47\n");
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    left: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<Cell: Into<String>>(titles: impl IntoIterator<Item = Cell>) -> Table {
        let mut table = Table { left: vec![0], rows: Vec::new() };
        table.row(titles);
        table
    }

    /// Sets these columns left and all others right.
    pub fn left(self, columns: impl IntoIterator<Item = usize>) -> Table {
        Table { left: columns.into_iter().collect(), ..self }
    }

    /// Adds a row; cells it lacks are empty.
    pub fn row<Cell: Into<String>>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        widths
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                line += &match self.left.contains(&column) {
                    true => format!("{gap}{cell:<width$}"),
                    false => format!("{gap}{cell:>width$}"),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_their_cells() {
        let mut table = Table::new(["", "größe", "unit"]).left([0, 2]);
        table.row(["a", "1", "km"]);
        table.row(["long name", "1000000", ""]);
        table.row(["short"]);
        let expected =
            "             größe  unit\na                1  km\nlong name  1000000\nshort\n";
        assert_eq!(table.to_string(), expected);
    }
}
