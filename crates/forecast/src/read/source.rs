//! Where tables come from: CSV, Parquet or Arrow, in a file or in memory.

use crate::ForecastError;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;
use whimbrel_data::csv::{self, Options, Request};
use whimbrel_data::{Columnar, DataError, Kind, Problem, Table};

/// A file, or bytes with the name errors call them by.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    File(&'a Path),
    Memory(&'a str, &'a [u8]),
}

impl Source<'_> {
    /// What errors call it.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Source::File(path) => Cow::Owned(path.display().to_string()),
            Source::Memory(name, _) => Cow::Borrowed(name),
        }
    }

    /// What a series without a name is called: the file's name without its endings.
    pub(super) fn stem(&self) -> String {
        let name = match self {
            Source::File(path) => path.file_name().unwrap_or_default().to_string_lossy(),
            Source::Memory(name, _) => Cow::Borrowed(*name),
        };
        let end = name.find('.').filter(|&at| at > 0).unwrap_or(name.len());
        name[..end].into()
    }

    /// The names of all columns.
    pub(crate) fn header(&self) -> Result<Vec<String>, ForecastError> {
        match self.columnar() {
            Some(format) => Ok(match self {
                Source::File(path) => format.header(path),
                Source::Memory(name, bytes) => format.header_bytes(name, bytes),
            }?),
            None => Ok(self.csv(|path| csv::header(path), csv::header_bytes)?),
        }
    }

    /// The columns asked for. Columnar files give what they hold, whatever kind is asked for.
    pub(crate) fn table(&self, requests: &[Request]) -> Result<Table, ForecastError> {
        let options = Options::columns(requests.iter().cloned());
        match self.columnar() {
            Some(format) => {
                let names: Vec<&str> = requests.iter().map(Request::name).collect();
                Ok(match self {
                    Source::File(path) => format.read(path, Some(&names)),
                    Source::Memory(name, bytes) => format.read_bytes(name, bytes, Some(&names)),
                }?)
            }
            None => Ok(self.csv(
                |path| csv::read(path, &options),
                |name, bytes| csv::read_bytes(name, bytes, &options),
            )?),
        }
    }

    /// Reads CSV; two-byte text is brought to UTF-8 first.
    fn csv<T>(
        &self,
        file: impl Fn(&Path) -> Result<T, DataError>,
        memory: impl Fn(&str, &[u8]) -> Result<T, DataError>,
    ) -> Result<T, DataError> {
        let read = match self {
            Source::File(path) => file(path),
            Source::Memory(name, bytes) => memory(name, bytes),
        };
        let Err(DataError { place, problem: Problem::Utf16 }) = read else { return read };
        let raw = match self {
            Source::File(path) => {
                std::fs::read(path).map_err(|error| DataError::of_file(&self.name(), error))?
            }
            Source::Memory(_, bytes) => bytes.to_vec(),
        };
        match from_utf16(&raw) {
            Ok(text) => memory(&self.name(), text.as_bytes()),
            Err(problem) => Err(DataError { place, problem }),
        }
    }

    /// The columnar format it is in; none for text.
    fn columnar(&self) -> Option<Columnar> {
        let mut start = Vec::new();
        match self {
            Source::File(path) => {
                // Who reads the file in earnest reports what is wrong with it.
                let file = File::open(path).and_then(|file| file.take(8).read_to_end(&mut start));
                file.ok()?;
            }
            Source::Memory(_, bytes) => start.extend(bytes.iter().take(8)),
        }
        Columnar::of_start(&start)
    }
}

/// A request for numbers, which may be missing.
pub(super) fn numbers(name: &str) -> Request {
    Request::of(name, Kind::Float)
}

/// Two-byte text with a mark at its beginning.
fn from_utf16(bytes: &[u8]) -> Result<String, Problem> {
    const HIGH: RangeInclusive<u16> = 0xd800..=0xdbff;
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Err(Problem::Utf16),
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let (mut text, mut byte) = (String::with_capacity(pairs.len()), 2);
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        match character {
            Ok(character) => {
                text.push(character);
                byte += 2 * character.len_utf16();
            }
            // The first half of a character, and nothing whole behind it.
            Err(half) if HIGH.contains(&half.unpaired_surrogate()) && byte + 4 > bytes.len() => {
                return Err(Problem::Utf16Cut { byte });
            }
            Err(_) => return Err(Problem::Utf16Damaged { byte }),
        }
    }
    if rest.is_empty() { Ok(text) } else { Err(Problem::Utf16Cut { byte }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_byte_text_is_read_in_both_orders() {
        let text = "unique_id,ds,y\nzoë 🐦,1,2\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(from_utf16(&[&[0xff, 0xfe], &little[..]].concat()).unwrap(), text);
        assert_eq!(from_utf16(&[&[0xfe, 0xff], &big[..]].concat()).unwrap(), text);
        assert!(matches!(from_utf16(b"plain"), Err(Problem::Utf16)));
    }

    #[test]
    fn halves_of_characters_are_told_with_their_byte() {
        for (bytes, at) in
            [(&b"\xff\xfea\0b"[..], 4), (b"\xff\xfea\0\x3d\xd8", 4), (b"\xfe\xff\0", 2)]
        {
            let cut = from_utf16(bytes);
            assert!(matches!(cut, Err(Problem::Utf16Cut { byte }) if byte == at), "{cut:?}");
        }
        for (bytes, at) in [(&b"\xff\xfea\0\x00\xdcb"[..], 4), (b"\xfe\xff\xd8\0\0a", 2)] {
            let damaged = from_utf16(bytes);
            let told = matches!(damaged, Err(Problem::Utf16Damaged { byte }) if byte == at);
            assert!(told, "{damaged:?}");
        }
    }

    #[test]
    fn a_series_without_a_name_has_the_name_of_its_file() {
        for (path, stem) in [("a/sales.csv", "sales"), ("sales.csv.gz", "sales"), (".x", ".x")] {
            assert_eq!(Source::File(Path::new(path)).stem(), stem);
        }
        assert_eq!(Source::Memory("standard input", b"").stem(), "standard input");
    }
}
