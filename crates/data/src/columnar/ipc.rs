//! Arrow IPC files, which is also what Feather files are; plain or packed by LZ4.

use super::{Tables, join, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

/// Reads the columns `names` of a file, or all.
pub fn read(path: impl AsRef<Path>, names: Option<&[&str]>) -> Result<Table, DataError> {
    let name = path.as_ref().display().to_string();
    join(&name, stream(path, names)?)
}

/// Reads a file table by table, for files larger than memory.
pub fn stream(path: impl AsRef<Path>, names: Option<&[&str]>) -> Result<Tables, DataError> {
    let file = path.as_ref().display().to_string();
    let open = || File::open(path.as_ref()).map(BufReader::new);
    let input = open().map_err(|error| DataError::of_file(&file, error))?;
    let mut reader = FileReader::try_new(input, None).map_err(|error| refused(&file, error))?;
    if let Some(names) = names {
        let places = places(&file, &reader.schema(), names)?;
        let input = open().map_err(|error| DataError::of_file(&file, error))?;
        reader = FileReader::try_new(input, Some(places)).map_err(|error| refused(&file, error))?;
    }
    Ok(tables(&file, names, reader))
}

/// Writes a table.
pub fn write(output: impl Write, table: &Table) -> std::io::Result<()> {
    let batch = to_arrow::batch(table).map_err(std::io::Error::other)?;
    let written = FileWriter::try_new_buffered(output, &batch.schema()).and_then(|mut writer| {
        writer.write(&batch)?;
        writer.finish()
    });
    written.map_err(std::io::Error::other)
}
