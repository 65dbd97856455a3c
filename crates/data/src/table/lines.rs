//! The line each row of a table came from.
//!
//! Mostly row after row stands on line after line. Only where that breaks (blank lines, line ends
//! within quotes) an entry is kept.

/// Lines of the rows of a table; none for tables that did not come from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Rows, ascending, and their lines; rows in between follow line by line.
    breaks: Vec<(usize, u64)>,
}

impl Lines {
    /// Adds `row`, which comes after all rows so far, on `line`.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, line: u64) {
        let expected = self.breaks.last().map(|&(first, on)| on + (row - first) as u64);
        if expected != Some(line) {
            self.breaks.push((row, line));
        }
    }

    /// The line of a row.
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        let after = self.breaks.partition_point(|&(first, _)| first <= row);
        let (first, line) = self.breaks[after.checked_sub(1)?];
        Some(line + (row - first) as u64)
    }

    /// Adds the lines of a table that follows after `rows` rows.
    pub(crate) fn append(&mut self, rows: usize, other: &Lines) {
        for &(row, line) in &other.breaks {
            self.push(rows + row, line);
        }
    }

    /// Counts all lines from `first` instead of 0.
    pub(crate) fn start_at(&mut self, first: u64) {
        self.breaks.iter_mut().for_each(|(_, line)| *line += first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_between_breaks_follow_line_by_line() {
        let mut lines = Lines::default();
        for (row, line) in [(0, 2), (1, 3), (2, 7), (3, 8)] {
            lines.push(row, line);
        }
        assert_eq!(lines.breaks, [(0, 2), (2, 7)]);
        let mut all = lines.clone();
        lines.start_at(7);
        all.append(4, &lines);
        let found: Vec<_> = (0..8).map(|row| all.get(row)).collect();
        assert_eq!(found, [2, 3, 7, 8, 9, 10, 14, 15].map(Some));
        assert_eq!(all.breaks, [(0, 2), (2, 7), (6, 14)]);
        assert_eq!(Lines::default().get(3), None);
    }
}
