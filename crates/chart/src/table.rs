//! Rows of text in columns, for the terminal.

use std::fmt;

/// What lies between two columns.
const GAP: &str = "  ";

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

    /// The table at most so wide: columns are left out by `groups`, the first of them first, as many as must be.
    /// Also says how many columns were.
    pub fn within(&self, width: usize, groups: &[Vec<usize>]) -> (Table, usize) {
        let widths = self.widths();
        let mut out: Vec<usize> = Vec::new();
        for group in groups {
            let kept = widths.iter().enumerate().filter(|(column, _)| !out.contains(column));
            if kept.map(|(_, own)| own + GAP.len()).sum::<usize>()
                <= width.saturating_add(GAP.len())
            {
                break;
            }
            out.extend(group);
        }
        let kept = |row: &Vec<String>| {
            let cells = row.iter().enumerate().filter(|(column, _)| !out.contains(column));
            cells.map(|(_, cell)| cell.clone()).collect()
        };
        let before = |column: usize| column - out.iter().filter(|&&other| other < column).count();
        let left = self.left.iter().copied().filter(|column| !out.contains(column));
        let table =
            Table { left: left.map(before).collect(), rows: self.rows.iter().map(kept).collect() };
        (table, out.len())
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
                let gap = if column == 0 { "" } else { GAP };
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

    #[test]
    fn a_table_is_as_narrow_as_its_groups_allow() {
        let mut table = Table::new(["id", "low", "mean", "high", "unit"]).left([0, 4]);
        table.row(["a", "1", "2", "3", "km"]);
        let groups = [vec![1, 3], vec![4]];
        let at = |width| {
            let (table, left_out) = table.within(width, &groups);
            (table.to_string(), left_out)
        };
        assert_eq!(at(25), (table.to_string(), 0));
        assert_eq!(at(usize::MAX), at(25));
        assert_eq!(at(24), ("id  mean  unit\na      2  km\n".into(), 2));
        assert_eq!(at(14).1, 2);
        assert_eq!(at(13), ("id  mean\na      2\n".into(), 3));
        assert_eq!(at(0).1, 3);
    }
}
