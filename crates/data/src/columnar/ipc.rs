//! Arrow IPC files, which is also what Feather files are; plain or packed by LZ4 or Zstandard.
//!
//! Only for files one trusts: the crate that knows the format reserves whatever memory a damaged
//! file claims to need, and ends the program where there is not so much.

use super::{Tables, guarded, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use std::io::{Read, Seek, Write};

/// The tables of `input`, which errors call `file`.
pub(super) fn stream(
    file: &str,
    mut input: impl Read + Seek + Send + 'static,
    names: Option<&[&str]>,
) -> Result<Tables, DataError> {
    let reader = guarded(file, || {
        let refuse = |error| refused(file, error);
        let places = match names {
            Some(names) => {
                let all = FileReader::try_new(&mut input, None).map_err(refuse)?;
                Some(places(file, &all.schema(), names)?)
            }
            None => None,
        };
        FileReader::try_new(input, places).map_err(refuse)
    })?;
    Ok(tables(file, names, reader))
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
