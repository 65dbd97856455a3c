//! Collects the fields of one column of text.

use super::cursor::Field;
use crate::table::{NotText, Run, Text};

/// Fields, not yet known to be UTF-8, those alike after one another kept once.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    joined: Vec<u8>,
    runs: Vec<Run>,
    /// The last field as a number, if it is short.
    latest: Option<(usize, u128)>,
}

impl Strings {
    /// Empty, in the memory of `old`.
    pub(crate) fn new(old: Text) -> Strings {
        let (mut joined, mut runs) = old.into_runs();
        joined.clear();
        runs.clear();
        Strings { joined, runs, latest: None }
    }

    /// Appends a field.
    #[inline]
    pub(crate) fn push(&mut self, field: Field) {
        let short = field.number();
        match self.runs.last_mut() {
            Some(run) if short.is_some() && short == self.latest => run.rows += 1,
            _ => self.push_any(field),
        }
        self.latest = short;
    }

    #[inline(never)]
    fn push_any(&mut self, field: Field) {
        let last = self.runs.len().wrapping_sub(1);
        let before = self.runs.get(last.wrapping_sub(1)).map_or(0, |run| run.bytes);
        match self.runs.get_mut(last) {
            Some(run) if &self.joined[before..] == field.bytes() => run.rows += 1,
            run => {
                let rows = run.map_or(0, |run| run.rows) + 1;
                self.joined.extend_from_slice(field.bytes());
                self.runs.push(Run { rows, bytes: self.joined.len() });
            }
        }
    }

    /// The finished column.
    pub(crate) fn finish(self) -> Result<Text, NotText> {
        Text::from_runs(self.joined, self.runs)
    }
}
