//! The first record of a file, which names the columns.

use super::cursor::{Cursor, End};
use super::layout::column_name;
use crate::error::{DataError, Problem, shorten};
use crate::place::Place;

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
            let name = std::str::from_utf8(field).map_err(|error| {
                let column = Some(column_name(&[], column));
                let byte = field.get(error.valid_up_to()).copied().unwrap_or_default();
                let place = Place { column, ..Place::line(file, line) };
                DataError { place, problem: Problem::NotUtf8 { byte } }
            })?;
            names.push(name.trim().into());
            if end == End::Record {
                break;
            }
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
