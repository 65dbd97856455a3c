//! Arrow IPC files, which is also what Feather files are; plain or packed by LZ4 or Zstandard.

use super::declared::sizes_can_be;
use super::{Tables, guarded, names_of, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use std::io::{Read, Seek, Write};

/// The names of all columns of `input`, which errors call `file`.
pub(super) fn header(file: &str, input: impl Read + Seek) -> Result<Vec<String>, DataError> {
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
fn open<R: Read + Seek>(
    file: &str,
    mut input: R,
    places: Option<Vec<usize>>,
) -> Result<FileReader<R>, DataError> {
    if !sizes_can_be(&mut input) {
        return Err(refused(
            file,
            "it is damaged, or another kind of file: its parts cannot have the sizes it says",
        ));
    }
    FileReader::try_new(input, places).map_err(|error| refused(file, error))
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
