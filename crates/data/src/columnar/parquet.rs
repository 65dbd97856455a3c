//! Parquet files, plain or packed by Snappy, gzip or LZ4. Written ones are packed by Snappy.

use super::{Tables, guarded, join, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Rows of one table of a stream.
const ROWS: usize = 1 << 16;

/// Reads the columns `names` of a file, or all.
pub fn read(path: impl AsRef<Path>, names: Option<&[&str]>) -> Result<Table, DataError> {
    let name = path.as_ref().display().to_string();
    join(&name, stream(path, names)?)
}

/// Reads a file table by table, for files larger than memory.
pub fn stream(path: impl AsRef<Path>, names: Option<&[&str]>) -> Result<Tables, DataError> {
    let file = path.as_ref().display().to_string();
    let input = File::open(path).map_err(|error| DataError::of_file(&file, error))?;
    let batches = guarded(&file, || {
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(input)
            .map_err(|error| refused(&file, error))?;
        if let Some(names) = names {
            let places = places(&file, builder.schema(), names)?;
            let mask = ProjectionMask::roots(builder.parquet_schema(), places);
            builder = builder.with_projection(mask);
        }
        builder.with_batch_size(ROWS).build().map_err(|error| refused(&file, error))
    })?;
    Ok(tables(&file, names, batches))
}

/// Writes a table.
pub fn write(output: impl Write + Send, table: &Table) -> std::io::Result<()> {
    let batch = to_arrow::batch(table).map_err(std::io::Error::other)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(output, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
