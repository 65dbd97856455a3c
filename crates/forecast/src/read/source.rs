//! Where tables come from: CSV, Parquet or Arrow, in a file or in memory.

use crate::ForecastError;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
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
    pub(super) fn name(&self) -> Cow<'_, str> {
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
            Some(text) => memory(&self.name(), text.as_bytes()),
            None => Err(DataError { place, problem: Problem::Utf16 }),
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

/// Two-byte text with a mark at its beginning; none where it is damaged.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let text = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)));
    rest.is_empty().then(|| text.collect::<Result<String, _>>().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_byte_text_is_read_in_both_orders() {
        let text = "unique_id,ds,y\nzoë 🐦,1,2\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(from_utf16(&[&[0xff, 0xfe], &little[..]].concat()).as_deref(), Some(text));
        assert_eq!(from_utf16(&[&[0xfe, 0xff], &big[..]].concat()).as_deref(), Some(text));
        assert_eq!(from_utf16(&[0xff, 0xfe, 0x41]), None);
        assert_eq!(from_utf16(&[0xff, 0xfe, 0x00, 0xd8]), None);
        assert_eq!(from_utf16(b"plain"), None);
    }

    #[test]
    fn a_series_without_a_name_has_the_name_of_its_file() {
        for (path, stem) in [("a/sales.csv", "sales"), ("sales.csv.gz", "sales"), (".x", ".x")] {
            assert_eq!(Source::File(Path::new(path)).stem(), stem);
        }
        assert_eq!(Source::Memory("standard input", b"").stem(), "standard input");
    }
}
