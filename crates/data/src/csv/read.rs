//! Reads a whole file into one table.

use super::blocks::{Block, Blocks, USUAL};
use super::cursor::Cursor;
use super::header::Header;
use super::infer::infer;
use super::layout::Layout;
use super::request::Options;
use super::work::Work;
use crate::error::{DataError, Problem};
use crate::source::Source;
use crate::table::Table;
use std::path::Path;
use std::sync::Arc;
use whimbrel_threads::Pool;

/// Blocks parsed before their columns are joined to those so far: few enough that their memory is
/// used again while it is in cache, enough to keep many threads busy.
const AT_ONCE: usize = 32;

/// Reads a CSV file, packed by gzip or not, on the global pool. A file without rows is an error.
pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Table, DataError> {
    read_on(path, options, Pool::global())
}

/// Reads a CSV file on the threads of `pool`, whose number does not change the result.
pub fn read_on(path: impl AsRef<Path>, options: &Options, pool: &Pool) -> Result<Table, DataError> {
    let source = Source::File(path.as_ref().into());
    read_source(&source.name(), &source, options, pool)
}

/// Reads CSV from memory; errors call it `name`.
pub fn read_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Table, DataError> {
    read_source(name, &Source::Memory(bytes.into()), options, Pool::global())
}

/// The names of all columns of a CSV file.
pub fn header(path: impl AsRef<Path>) -> Result<Vec<String>, DataError> {
    let source = Source::File(path.as_ref().into());
    header_of(&source.name(), &source)
}

/// The names of all columns of CSV in memory; errors call it `name`.
pub fn header_bytes(name: &str, bytes: &[u8]) -> Result<Vec<String>, DataError> {
    header_of(name, &Source::Memory(bytes.into()))
}

fn header_of(name: &str, source: &Source) -> Result<Vec<String>, DataError> {
    let work = open(name, source, &Options::columns([]))?;
    Ok(work.layout.header().to_vec())
}

fn read_source(
    name: &str,
    source: &Source,
    options: &Options,
    pool: &Pool,
) -> Result<Table, DataError> {
    let mut work = open(name, source, options)?;
    let mut whole: Option<Table> = None;
    loop {
        match work.next_tables(pool, AT_ONCE) {
            Ok(tables) if tables.is_empty() => {
                let whole = whole.filter(|table| table.rows() > 0);
                return whole.ok_or_else(|| DataError::of_file(name, Problem::NoRows));
            }
            Ok(mut tables) => {
                let share = share_read(source, &work);
                let whole = whole.get_or_insert_with(|| tables.remove(0));
                whole.append(&tables, share, pool);
                work.take_back(tables);
            }
            // A guess was too narrow: read again with the wider one. Guesses widen only so often.
            Err(failure) => {
                let Some(narrow) = failure.narrow else { return Err(failure.error) };
                work = open(name, source, options)?;
                work.layout = narrow.wider;
                whole = None;
            }
        }
    }
}

/// The share of the file that has been parsed; 1 or more of one that is packed or a pipe, whose end nothing
/// tells.
fn share_read(source: &Source, work: &Work) -> f64 {
    source.length().map_or(1.0, |all| work.passed() as f64 / all as f64)
}

/// Opens a file and finds its columns.
pub(crate) fn open(name: &str, source: &Source, options: &Options) -> Result<Work, DataError> {
    let of_file = |problem| DataError::of_file(name, problem);
    let size = options.block_bytes.unwrap_or(USUAL);
    let input = source.open_text().map_err(|error| of_file(error.into()))?;
    let mut blocks = Blocks::new(input, size).map_err(of_file)?;
    let (mut first, mut blank_lines) = (Block::default(), 0);
    while blocks.next(&mut first).map_err(of_file)? {
        let mut cursor = Cursor::new(first.bytes());
        if cursor.find_record() {
            break;
        }
        blank_lines += cursor.lines();
    }
    let header = Header::read(name, first.bytes(), blank_lines)?;
    let mut layout = Layout::new(Arc::from(name), header.names, header.line, options)?;
    let rows = &first.bytes()[header.bytes..];
    infer(&mut layout, rows);
    blocks.put_back(rows);
    Ok(Work::new(layout, blocks, header.lines))
}
