//! The first record of a file, which names the columns.

use super::cursor::{Cursor, End};
use super::layout::column_name;
use crate::error::{DataError, Problem, shorten};
use crate::place::Place;

/// How files begin that hold no text before they are unpacked, and what they are.
const PACKED: [(&[u8], &str); 4] = [
    (b"PK\x03\x04", "a zip archive, perhaps a spreadsheet"),
    (b"BZh91AY&SY", "packed by bzip2"),
    (b"\xfd7zXZ\0", "packed by xz"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard"),
];

/// The names, and what comes before the first row.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    /// The line it stands on, from 1.
    pub(crate) line: u64,
    /// Bytes up to its end.
    pub(crate) bytes: usize,
    /// Lines up to its end.
    pub(crate) lines: u64,
}

impl Header {
    /// Reads the header at the beginning of `bytes`, which hold it whole, after so many lines.
    pub(crate) fn read(file: &str, bytes: &[u8], before: u64) -> Result<Header, DataError> {
        if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err(DataError::of_file(file, Problem::Utf16));
        }
        if let Some((_, format)) = PACKED.iter().find(|(start, _)| bytes.starts_with(start)) {
            return Err(DataError::of_file(file, Problem::Packed { format }));
        }
        let mut cursor = Cursor::new(bytes);
        if !cursor.find_record() {
            return Err(DataError::of_file(file, Problem::Empty));
        }
        let line = before + cursor.lines() + 1;
        let mut names: Vec<String> = Vec::new();
        loop {
            let column = names.len();
            let opened_on = before + cursor.lines() + 1;
            let (field, end) = cursor
                .field()
                .map_err(|problem| DataError { place: Place::line(file, opened_on), problem })?;
            let field = field.bytes();
            let no_text = |at: usize| {
                let column = Some(column_name(&[], column));
                let byte = field.get(at).copied().unwrap_or_default();
                let place = Place { column, ..Place::line(file, line) };
                DataError { place, problem: Problem::NotUtf8 { byte } }
            };
            let name = std::str::from_utf8(field).map_err(|error| no_text(error.valid_up_to()))?;
            // Characters of two or four bytes without a mark have zeros.
            name.find('\0').map_or(Ok(()), |at| Err(no_text(at)))?;
            names.push(name.trim().into());
            if end == End::Record {
                break;
            }
        }
        if matches!(&names[..], [only] if only.is_empty()) {
            return Err(DataError::of_file(file, Problem::Empty));
        }
        if let Some(name) = repeated(&names) {
            let problem = Problem::DuplicateColumn { name: shorten(name) };
            return Err(DataError { place: Place::line(file, line), problem });
        }
        Ok(Header { names, line, bytes: cursor.at(), lines: before + cursor.lines() })
    }
}

/// A name that stands twice.
fn repeated(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> =
        names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
