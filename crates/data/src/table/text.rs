//! A column of strings, each kept once for all rows after another that have it: series follow one
//! another in a file, and so do most classes of things. Strings that all differ take eight bytes more.

use std::collections::TryReserveError;
use std::ops::Range;

/// Strings, one for each row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The strings of the runs, one after another.
    joined: String,
    runs: Vec<Run>,
}

/// Rows after another that have the same string. No two runs after another have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// The row behind the last.
    pub(crate) rows: usize,
    /// Where the string ends.
    pub(crate) bytes: usize,
}

/// A field that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText {
    /// Its row.
    pub(crate) row: usize,
    /// The first byte that does not belong.
    pub(crate) byte: u8,
}

impl Text {
    /// Strings whose bytes lie one after another, each up to the end of its run, those of neighbours
    /// different. Each must be UTF-8: two that are not can be, joined.
    pub(crate) fn from_runs(joined: Vec<u8>, runs: Vec<Run>) -> Result<Text, NotText> {
        if !joined.is_ascii() {
            let mut before = Run::default();
            for &run in &runs {
                if let Err(error) = std::str::from_utf8(&joined[before.bytes..run.bytes]) {
                    let byte = joined[before.bytes + error.valid_up_to()];
                    return Err(NotText { row: before.rows, byte });
                }
                before = run;
            }
        }
        match String::from_utf8(joined) {
            Ok(joined) => Ok(Text { joined, runs }),
            // Only bytes behind the last run have not been looked at.
            Err(error) => Err(NotText {
                row: runs.last().map_or(0, |run| run.rows),
                byte: error.as_bytes()[error.utf8_error().valid_up_to()],
            }),
        }
    }

    /// What it was made from.
    pub(crate) fn into_runs(self) -> (Vec<u8>, Vec<Run>) {
        (self.joined.into_bytes(), self.runs)
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.rows)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// A string; none beyond the last. Looks for it: [`iter`](Text::iter) does not.
    pub fn get(&self, row: usize) -> Option<&str> {
        let run = self.runs.partition_point(|run| run.rows <= row);
        (run < self.runs.len()).then(|| self.run(run).0)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.runs().flat_map(|(string, rows)| std::iter::repeat_n(string, rows.len()))
    }

    /// Strings that differ from the one before, and the rows that have them.
    pub fn runs(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        (0..self.runs.len()).map(|run| self.run(run))
    }

    fn run(&self, run: usize) -> (&str, Range<usize>) {
        let before = run.checked_sub(1).map_or(Run::default(), |before| self.runs[before]);
        let Run { rows, bytes } = self.runs[run];
        (&self.joined[before.bytes..bytes], before.rows..rows)
    }

    /// Number of runs, and bytes of all their strings.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.runs.len(), self.joined.len())
    }

    /// The same two, each with what there is room for.
    pub(crate) fn room(&self) -> [(usize, usize); 2] {
        let (runs, bytes) = self.size();
        [(runs, self.runs.capacity()), (bytes, self.joined.capacity())]
    }

    /// Makes room for so many runs whose strings have so many bytes.
    pub(crate) fn try_reserve(&mut self, runs: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.joined.try_reserve(bytes)?;
        self.runs.try_reserve(runs)
    }

    /// Appends the strings of another column.
    pub(crate) fn append(&mut self, other: &Text) {
        let Some((first, rows)) = other.runs().next() else { return };
        let behind = self.len();
        self.push(first, rows.len());
        // The first string is now the last, whether it was there already or not.
        let before = self.joined.len() - first.len();
        self.joined.push_str(&other.joined[first.len()..]);
        let moved = |run: &Run| Run { rows: behind + run.rows, bytes: before + run.bytes };
        self.runs.extend(other.runs[1..].iter().map(moved));
    }

    /// Appends a string so many times.
    fn push(&mut self, string: &str, times: usize) {
        let rows = self.len() + times;
        match self.runs.len().checked_sub(1) {
            Some(last) if self.run(last).0 == string => self.runs[last].rows = rows,
            _ => {
                self.joined.push_str(string);
                self.runs.push(Run { rows, bytes: self.joined.len() });
            }
        }
    }
}

impl<'a> FromIterator<&'a str> for Text {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Text {
        let mut text = Text::default();
        strings.into_iter().for_each(|string| text.push(string, 1));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_come_back_however_they_were_joined(
            strings in prop::collection::vec("[ab\u{e4}]{0,2}", 0..40), cut in 0..40_usize
        ) {
            let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
            let whole: Text = strings.iter().copied().collect();
            prop_assert_eq!(whole.len(), strings.len());
            prop_assert!(whole.iter().eq(strings.iter().copied()));
            for row in 0..=strings.len() {
                prop_assert_eq!(whole.get(row), strings.get(row).copied());
            }
            let (head, tail) = strings.split_at(cut.min(strings.len()));
            let mut joined: Text = head.iter().copied().collect();
            joined.append(&tail.iter().copied().collect());
            prop_assert_eq!(&joined, &whole);
            let (bytes, runs) = joined.into_runs();
            prop_assert_eq!(Text::from_runs(bytes, runs), Ok(whole));
        }
    }

    #[test]
    fn halves_of_a_character_are_no_strings() {
        let runs = [Run { rows: 2, bytes: 1 }, Run { rows: 3, bytes: 2 }];
        let bad = Text::from_runs("\u{e4}".into(), runs.into());
        assert_eq!(bad, Err(NotText { row: 0, byte: 0xc3 }));
    }
}
