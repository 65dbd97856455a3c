//! A scanner that follows the rules of C's `fscanf` as far as FANN's files need them.

/// Bytes, and how far they have been read.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Scanner<'a> {
        Scanner { bytes }
    }

    /// Bytes not yet read.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Passes over white space.
    pub fn space(&mut self) {
        let end = self.bytes.iter().position(|b| !b.is_ascii_whitespace());
        self.bytes = &self.bytes[end.unwrap_or(self.bytes.len())..];
    }

    /// Passes over `text`, in which a blank stands for any white space or none. Where it is not there, nothing is
    /// passed over.
    pub fn literal(&mut self, text: &str) -> Option<()> {
        let start = self.bytes;
        for byte in text.bytes() {
            if byte == b' ' {
                self.space();
                continue;
            }
            match self.bytes.split_first() {
                Some((first, rest)) if *first == byte => self.bytes = rest,
                _ => {
                    self.bytes = start;
                    return None;
                }
            }
        }
        Some(())
    }

    /// A whole number without sign.
    pub fn unsigned(&mut self) -> Option<u32> {
        let word = self.word(|byte| byte.is_ascii_digit() || byte == b'+')?;
        word.parse().ok()
    }

    /// A whole number.
    pub fn integer(&mut self) -> Option<i32> {
        let word = self.word(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'))?;
        word.parse().ok()
    }

    /// A number in decimal, `inf` or `nan`.
    pub fn float(&mut self) -> Option<&'a str> {
        let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        self.word(part)
    }

    /// White space, then the longest row of such bytes, which is not empty.
    fn word(&mut self, part: impl Fn(u8) -> bool) -> Option<&'a str> {
        self.space();
        let end = self.bytes.iter().position(|byte| !part(*byte)).unwrap_or(self.bytes.len());
        let (word, rest) = self.bytes.split_at(end);
        if word.is_empty() {
            return None;
        }
        self.bytes = rest;
        std::str::from_utf8(word).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_are_not_there_pass_over_nothing() {
        let mut scanner = Scanner::new(b"neurons  (x)=7");
        assert_eq!(scanner.literal("neurons (y)="), None);
        assert_eq!(scanner.literal("neurons (x)="), Some(()));
        assert_eq!(scanner.unsigned(), Some(7));
        assert_eq!(scanner.unsigned(), None);
    }

    #[test]
    fn negative_counts_are_none() {
        assert_eq!(Scanner::new(b"-3").unsigned(), None);
        assert_eq!(Scanner::new(b" -3").integer(), Some(-3));
        assert_eq!(Scanner::new(b"99999999999").unsigned(), None);
    }
}
