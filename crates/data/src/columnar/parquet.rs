//! Parquet files, plain or packed by Snappy, gzip, LZ4 or Zstandard. Written ones are packed by Snappy.

use super::{Tables, guarded, names_of, places, refused, tables, to_arrow};
use crate::error::DataError;
use crate::table::Table;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use std::io::Write;

/// Rows of one table of a stream.
const ROWS: usize = 1 << 16;

/// The names of all columns of `input`, which errors call `file`.
pub(super) fn header(
    file: &str,
    input: impl ChunkReader + 'static,
) -> Result<Vec<String>, DataError> {
    guarded(file, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input);
        Ok(names_of(builder.map_err(|error| refused(file, error))?.schema()))
    })
}

/// The tables of `input`, which errors call `file`.
pub(super) fn stream(
    file: &str,
    input: impl ChunkReader + 'static,
    names: Option<&[&str]>,
) -> Result<Tables, DataError> {
    let batches = guarded(file, || {
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(input)
            .map_err(|error| refused(file, error))?;
        if let Some(names) = names {
            let places = places(file, builder.schema(), names)?;
            let mask = ProjectionMask::roots(builder.parquet_schema(), places);
            builder = builder.with_projection(mask);
        }
        builder.with_batch_size(ROWS).build().map_err(|error| refused(file, error))
    })?;
    Ok(tables(file, names, batches))
}

/// Writes a table.
pub(super) fn write(output: impl Write + Send, table: &Table) -> std::io::Result<()> {
    let batch = to_arrow::batch(table).map_err(std::io::Error::other)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(output, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
