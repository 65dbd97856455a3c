//! Walks over the bytes of whole records, field by field.

use crate::error::Problem;

/// What ends a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A comma: the record goes on.
    Comma,
    /// A line end or the end of the bytes.
    Record,
}

/// The bytes of a field, its quotes decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    /// From the beginning of the field on. What follows it may be read, eight or sixteen bytes at
    /// once, and means nothing.
    open: &'a [u8],
    length: usize,
}

impl<'a> Field<'a> {
    /// A field of its own.
    #[cfg(test)]
    pub(crate) fn new(bytes: &'a [u8]) -> Field<'a> {
        Field { open: bytes, length: bytes.len() }
    }

    /// The field between two places of a block.
    #[inline]
    pub(crate) fn between(block: &'a [u8], start: usize, end: usize) -> Field<'a> {
        Field { open: &block[start..], length: end - start }
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.open[..self.length]
    }

    /// Its length and `N` bytes of which it is the beginning, if it is no longer than that.
    #[inline]
    pub(crate) fn chunk<const N: usize>(self) -> Option<(usize, &'a [u8; N])> {
        let chunk = self.open.first_chunk::<N>()?;
        (self.length <= N).then_some((self.length, chunk))
    }

    /// Its length and its bytes as one number, if it is short and not among the last of its block.
    #[inline]
    pub(crate) fn number(self) -> Option<(usize, u128)> {
        let (length, chunk) = self.chunk::<16>()?;
        let behind = 8 * (16 - length as u32);
        Some((length, u128::from_le_bytes(*chunk).unbounded_shl(behind)))
    }

    /// The field without its first byte, if that is `byte`.
    #[inline]
    pub(crate) fn strip(self, byte: u8) -> (bool, Field<'a>) {
        let found = self.length > 0 && self.open[0] == byte;
        let skip = usize::from(found);
        (found, Field { open: &self.open[skip..], length: self.length - skip })
    }
}

/// A place in the bytes between two fields.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Lines before the place.
    lines: u64,
    /// The last field whose quotes had to be decoded.
    decoded: Vec<u8>,
}

impl<'a> Cursor<'a> {
    /// At the beginning of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, lines: 0, decoded: Vec::new() }
    }

    /// Bytes before the place.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Lines before the place.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Passes blank lines. False at the end of the bytes.
    pub(crate) fn find_record(&mut self) -> bool {
        while let Some(b'\n' | b'\r') = self.bytes.get(self.at) {
            self.pass_end(self.at);
        }
        self.at < self.bytes.len()
    }

    /// The next field, its quotes decoded, and what ends it.
    #[inline]
    pub(crate) fn field(&mut self) -> Result<(Field<'_>, End), Problem> {
        let start = self.at;
        if self.bytes.get(start) == Some(&b'"') {
            return self.quoted();
        }
        let end = next_separator(self.bytes, start);
        let ended_by = self.pass_end(end);
        Ok((Field::between(self.bytes, start, end), ended_by))
    }

    /// Passes what ends a field at `at`.
    #[inline]
    fn pass_end(&mut self, at: usize) -> End {
        let length = match self.bytes.get(at) {
            Some(b',') => {
                self.at = at + 1;
                return End::Comma;
            }
            Some(b'\r') if self.bytes.get(at + 1) == Some(&b'\n') => 2,
            Some(_) => 1,
            None => 0,
        };
        self.lines += u64::from(length > 0);
        self.at = at + length;
        End::Record
    }

    /// A field that begins with a quote.
    fn quoted(&mut self) -> Result<(Field<'_>, End), Problem> {
        let mut start = self.at + 1;
        let mut inner_lines = 0;
        self.decoded.clear();
        loop {
            let text = &self.bytes[start..];
            let length =
                text.iter().position(|&byte| byte == b'"').ok_or(Problem::UnclosedQuote)?;
            let text = &text[..length];
            inner_lines += text.iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.decoded.extend_from_slice(text);
            let after = start + length + 1;
            if self.bytes.get(after) == Some(&b'"') {
                self.decoded.push(b'"');
                start = after + 1;
                continue;
            }
            self.lines += inner_lines;
            if !matches!(self.bytes.get(after), None | Some(b',' | b'\n' | b'\r')) {
                return Err(Problem::TextAfterQuote);
            }
            let ended_by = self.pass_end(after);
            let field = Field { open: &self.decoded, length: self.decoded.len() };
            return Ok((field, ended_by));
        }
    }
}

/// The first comma or line end from `at` on, or the end of the bytes.
///
/// Eight bytes at a time: subtracting a number from every byte borrows into the top bit of those that
/// are smaller. Commas are made zero first and sought as bytes below 1; line ends are sought as bytes
/// below 14, and looked at again. A borrow may also mark a byte above a found one, so only the lowest
/// mark is used.
#[inline]
fn next_separator(bytes: &[u8], mut at: usize) -> usize {
    const fn repeat(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let commas = word ^ repeat(b',');
        let commas = commas.wrapping_sub(repeat(1)) & !commas;
        let small = word.wrapping_sub(repeat(b'\r' + 1)) & !word;
        let found = (commas | small) & repeat(0x80);
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        if matches!(bytes[at], b',' | b'\n' | b'\r') {
            return at;
        }
        at += 1;
    }
    let rest = bytes[at..].iter().position(|byte| matches!(byte, b',' | b'\n' | b'\r'));
    rest.map_or(bytes.len(), |n| at + n)
}
