//! Arrow IPC files, which is also what Feather files are, and streams; plain or packed by LZ4 or Zstandard.
//!
//! A stream is what a file has between its marks: message after message. Which of both it is, the first
//! bytes tell.

use super::declared::{check_file, check_stream};
use super::{Tables, guarded, names_of, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use std::io::{Read, Seek, SeekFrom, Write};

/// What every message of a stream begins with.
pub(super) const MESSAGE: [u8; 4] = [0xff; 4];

/// The names of all columns of `input`, which errors call `file`.
pub(super) fn header(file: &str, input: impl Read + Seek + Send) -> Result<Vec<String>, DataError> {
    guarded(file, || Ok(names_of(&open(file, input, None)?.schema())))
}

/// The tables of `input`, which errors call `file`.
pub(super) fn stream(
    file: &str,
    mut input: impl Read + Seek + Send + 'static,
    names: Option<&[&str]>,
) -> Result<Tables, DataError> {
    let reader = guarded(file, || {
        let places = match names {
            Some(names) => Some(places(file, &open(file, &mut input, None)?.schema(), names)?),
            None => None,
        };
        open(file, input, places)
    })?;
    Ok(tables(file, names, reader))
}

/// A reader of some columns, or of all.
fn open<'a, R: Read + Seek + Send + 'a>(
    file: &str,
    mut input: R,
    places: Option<Vec<usize>>,
) -> Result<Box<dyn RecordBatchReader + Send + 'a>, DataError> {
    let is_stream = begins_as_stream(&mut input);
    let checked = if is_stream { check_stream(&mut input) } else { check_file(&mut input) };
    checked.map_err(|problem| refused(file, problem))?;
    input.seek(SeekFrom::Start(0)).map_err(|error| DataError::of_file(file, error))?;
    let reader: Result<Box<dyn RecordBatchReader + Send + 'a>, _> = match is_stream {
        true => StreamReader::try_new(input, places).map(|reader| Box::new(reader) as _),
        false => FileReader::try_new(input, places).map(|reader| Box::new(reader) as _),
    };
    reader.map_err(|error| refused(file, error))
}

fn begins_as_stream(input: &mut (impl Read + Seek)) -> bool {
    let mut start = [0; 4];
    let read = input.seek(SeekFrom::Start(0)).and_then(|_| input.read_exact(&mut start));
    read.is_ok() && start == MESSAGE
}

/// Writes a table.
pub(super) fn write(output: impl Write, table: &Table) -> std::io::Result<()> {
    let batch = to_arrow::batch(table).map_err(std::io::Error::other)?;
    let written = FileWriter::try_new_buffered(output, &batch.schema()).and_then(|mut writer| {
        writer.write(&batch)?;
        writer.finish()
    });
    written.map_err(std::io::Error::other)
}
