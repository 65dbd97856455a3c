//! Reads CSV record by record; columns are found by name once, fields by column then.

use super::error::shorten;
use super::split::{Fault, LONGEST, Splitter};
use super::{CsvError, Place, Problem};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

/// A column of one reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(usize);

/// A CSV file being read. Its first record names the columns.
#[derive(Debug)]
pub struct Reader<R> {
    file: String,
    input: R,
    splitter: Splitter,
    header: Vec<String>,
    header_line: u64,
}

/// One row. All its fields are valid UTF-8, and there are as many as columns.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    file: &'a str,
    header: &'a [String],
    line: u64,
    text: &'a str,
    ends: &'a [usize],
}

impl Reader<BufReader<File>> {
    /// Opens a file and reads its header.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CsvError> {
        let name = path.as_ref().display().to_string();
        match File::open(path.as_ref()) {
            Ok(file) => Reader::new(&name, BufReader::with_capacity(1 << 16, file)),
            Err(error) => {
                let place = Place { file: name, line: None, column: None };
                Err(CsvError { place, problem: Problem::Io(error) })
            }
        }
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the header from `input`; errors call it `file`.
    pub fn new(file: &str, input: R) -> Result<Reader<R>, CsvError> {
        let mut reader = Reader {
            file: file.into(),
            input,
            splitter: Splitter::new(),
            header: Vec::new(),
            header_line: 1,
        };
        if !reader.advance()? {
            return Err(reader.error(None, None, Problem::Empty));
        }
        reader.header_line = reader.splitter.record_line();
        if matches!(reader.splitter.text(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Err(reader.error(None, None, Problem::Utf16));
        }
        let record = reader.record()?;
        let fields = (0..record.ends.len()).map(|i| record.text(Column(i)).trim().to_string());
        let header: Vec<String> = fields.collect();
        let mut names: Vec<&String> = header.iter().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let problem = Problem::DuplicateColumn { name: shorten(pair[0]) };
            return Err(reader.error(Some(reader.header_line), None, problem));
        }
        reader.header = header;
        Ok(reader)
    }

    /// The file's name in errors.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Names of the columns, without blanks around them.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Result<Column, CsvError> {
        let found = self.header.iter().position(|known| known == name && !name.is_empty());
        found.map(Column).ok_or_else(|| {
            let problem = Problem::MissingColumn { name: name.into(), found: self.header.clone() };
            self.error(Some(self.header_line), None, problem)
        })
    }

    /// The next row; none after the last.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, CsvError> {
        if !self.advance()? {
            return Ok(None);
        }
        let (fields, columns) = (self.splitter.ends().len(), self.header.len());
        if fields != columns {
            let problem = Problem::Ragged { fields, columns };
            return Err(self.error(Some(self.splitter.record_line()), None, problem));
        }
        self.record().map(Some)
    }

    /// Reads up to the end of the next record; false at the end of the input.
    fn advance(&mut self) -> Result<bool, CsvError> {
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(None, None, Problem::Io(error))),
            };
            if bytes.is_empty() {
                return self.splitter.finish().map_err(|fault| self.fault(fault));
            }
            match self.splitter.feed(bytes) {
                Err(fault) => return Err(self.fault(fault)),
                Ok((taken, complete)) => {
                    self.input.consume(taken);
                    if complete {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// The record just read, its text checked.
    fn record(&self) -> Result<Record<'_>, CsvError> {
        let (bytes, ends) = (self.splitter.text(), self.splitter.ends());
        let line = self.splitter.record_line();
        let invalid = |at: usize| {
            let column = ends.partition_point(|&end| end <= at);
            let problem = Problem::NotUtf8 { byte: bytes.get(at).copied().unwrap_or(0) };
            self.error(Some(line), Some(column), problem)
        };
        let text = std::str::from_utf8(bytes).map_err(|error| invalid(error.valid_up_to()))?;
        // Two fields invalid by themselves may be valid joined.
        if let Some(&end) = ends.iter().find(|&&end| !text.is_char_boundary(end)) {
            return Err(invalid(text.floor_char_boundary(end)));
        }
        Ok(Record { file: &self.file, header: &self.header, line, text, ends })
    }

    fn fault(&self, fault: Fault) -> CsvError {
        let (line, problem) = match fault {
            Fault::TextAfterQuote { line } => (line, Problem::TextAfterQuote),
            Fault::UnclosedQuote { line } => (line, Problem::UnclosedQuote),
            Fault::TooLong { line } => (line, Problem::TooLong { limit: LONGEST }),
        };
        self.error(Some(line), None, problem)
    }

    fn error(&self, line: Option<u64>, column: Option<usize>, problem: Problem) -> CsvError {
        let column = column.map(|column| column_name(&self.header, column));
        CsvError { place: Place { file: self.file.clone(), line, column }, problem }
    }
}

impl<'a> Record<'a> {
    /// The line it begins on, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// A field as it is written, quotes removed.
    pub fn text(&self, column: Column) -> &'a str {
        let start = column.0.checked_sub(1).and_then(|before| self.ends.get(before));
        let range = start.copied().unwrap_or(0)..self.ends.get(column.0).copied().unwrap_or(0);
        self.text.get(range).unwrap_or("")
    }

    /// A field as a finite number; blanks around it are allowed.
    pub fn number(&self, column: Column) -> Result<f64, CsvError> {
        let text = self.text(column).trim();
        if text.is_empty() {
            return Err(self.error(column, Problem::EmptyField));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.error(column, Problem::NotFinite { text: shorten(text) })),
            Err(_) => Err(self.error(column, Problem::NotANumber { text: shorten(text) })),
        }
    }

    /// The place of a field, for errors of those who read it.
    pub fn place(&self, column: Column) -> Place {
        let column = Some(column_name(self.header, column.0));
        Place { file: self.file.into(), line: Some(self.line), column }
    }

    /// An error about a field.
    pub fn error(&self, column: Column, problem: Problem) -> CsvError {
        CsvError { place: self.place(column), problem }
    }
}

/// How errors call a column.
fn column_name(header: &[String], column: usize) -> String {
    match header.get(column).filter(|name| !name.is_empty()) {
        Some(name) => format!("\"{}\"", shorten(name)),
        None => (column + 1).to_string(),
    }
}
