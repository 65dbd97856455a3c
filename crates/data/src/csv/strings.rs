//! Collects the fields of one column of text.

use super::cursor::Field;
use crate::table::{NotText, Run, Text};

/// Fields, not yet known to be UTF-8, those alike after one another kept once.
#[derive(Debug)]
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
        let before = match self.runs[..] {
            [.., before, _] => before.bytes,
            _ => 0,
        };
        match self.runs.last_mut() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fields_of_any_length_are_those_that_were_put(
            picks in prop::collection::vec((0..8_usize, 1..4_usize), 0..20)
        ) {
            let long = "abcdefghijklmnop";
            let fields = ["", "a", "a\0", &long[..15], long, "abcdefghijklmnopq", "b", "\0"];
            let fields: Vec<&str> =
                picks.iter().flat_map(|&(pick, times)| vec![fields[pick]; times]).collect();
            let block = fields.concat();
            let (mut strings, mut start) = (Strings::new(Text::default()), 0);
            for field in &fields {
                let end = start + field.len();
                strings.push(Field::between(block.as_bytes(), start, end));
                start = end;
            }
            prop_assert_eq!(strings.finish(), Ok(fields.into_iter().collect()));
        }
    }
}
