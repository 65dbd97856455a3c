//! A column of strings in two allocations.

/// Strings one after another, and where each ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    joined: String,
    ends: Vec<usize>,
}

/// A field that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText {
    /// Its number.
    pub(crate) row: usize,
    /// The first byte that does not belong.
    pub(crate) byte: u8,
}

impl Text {
    /// Strings from fields that lie one after another and end at `ends`, which rise to the end of
    /// the bytes. Each field must be UTF-8: two that are not can be, joined.
    pub(crate) fn from_fields(joined: Vec<u8>, ends: Vec<usize>) -> Result<Text, NotText> {
        if !joined.is_ascii() {
            let mut start = 0;
            for (row, &end) in ends.iter().enumerate() {
                if let Err(error) = std::str::from_utf8(&joined[start..end]) {
                    return Err(NotText { row, byte: joined[start + error.valid_up_to()] });
                }
                start = end;
            }
        }
        match String::from_utf8(joined) {
            Ok(joined) => Ok(Text { joined, ends }),
            // Only bytes behind the last end have not been looked at.
            Err(error) => Err(NotText { row: ends.len(), byte: error.as_bytes()[0] }),
        }
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A string; none beyond the last.
    pub fn get(&self, row: usize) -> Option<&str> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.joined.get(start..end)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.joined[start..end])
    }

    /// Appends the strings of another column.
    pub(crate) fn append(&mut self, other: &Text) {
        let before = self.joined.len();
        self.joined.push_str(&other.joined);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

impl<'a> FromIterator<&'a str> for Text {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Text {
        let mut text = Text::default();
        for string in strings {
            text.joined.push_str(string);
            text.ends.push(text.joined.len());
        }
        text
    }
}
