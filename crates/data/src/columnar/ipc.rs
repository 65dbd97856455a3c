//! Arrow IPC files, which is also what Feather files are; plain or packed by LZ4.
//!
//! Only for files one trusts: the crate that knows the format reserves whatever memory a damaged
//! file claims to need, and ends the program where there is not so much.

use super::{Tables, guarded, join, places, refused, tables, to_arrow};
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
    let open = |places| {
        let input = File::open(path.as_ref()).map_err(|error| DataError::of_file(&file, error))?;
        FileReader::try_new(BufReader::new(input), places).map_err(|error| refused(&file, error))
    };
    let reader = guarded(&file, || {
        let all = open(None)?;
        let Some(names) = names else { return Ok(all) };
        open(Some(places(&file, &all.schema(), names)?))
    })?;
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
