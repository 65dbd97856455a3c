//! Reads a file table by table, for files larger than memory.
//!
//! A thread of its own reads ahead: it parses a few blocks on the global pool, or alone while the
//! pool is busy, and waits when a few tables have not been taken yet. That bounds the memory.

use super::read::open;
use super::request::Options;
use super::work::{Failure, Work};
use crate::error::{DataError, Problem};
use crate::source::Source;
use crate::table::Table;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use whimbrel_threads::Pool;

/// Tables that may be ready and not taken.
const AHEAD: usize = 4;

/// The rows of a file in order, as tables of some thousand rows. Ends after an error.
#[derive(Debug)]
pub struct Stream {
    header: Vec<String>,
    tables: Receiver<Result<Table, DataError>>,
}

impl Stream {
    /// Opens a CSV file, packed by gzip or not, and begins to read.
    ///
    /// What a column holds is told from the first table unless it is given; a later field of another
    /// kind is an error.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Stream, DataError> {
        Stream::of(&Source::File(path.as_ref().into()), options)
    }

    /// The same of the bytes that come through standard input; they come once.
    pub fn standard_input(options: &Options) -> Result<Stream, DataError> {
        Stream::of(&Source::Standard, options)
    }

    fn of(source: &Source, options: &Options) -> Result<Stream, DataError> {
        let name = source.name();
        let work = open(&name, source, options)?;
        let header = work.layout.header().to_vec();
        let (sender, tables) = sync_channel(AHEAD);
        let read = move || read_ahead(work, &sender);
        let thread = std::thread::Builder::new().name("csv".into()).spawn(read);
        thread.map_err(|error| DataError::of_file(&name, Problem::Io(error)))?;
        Ok(Stream { header, tables })
    }

    /// Names of all columns of the file.
    pub fn header(&self) -> &[String] {
        &self.header
    }
}

impl Iterator for Stream {
    type Item = Result<Table, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.tables.recv().ok()
    }
}

/// Sends tables until the last, an error, or until nobody takes them any more.
fn read_ahead(mut work: Work, tables: &SyncSender<Result<Table, DataError>>) {
    let pool = Pool::global();
    loop {
        match work.next_tables(pool, pool.size()) {
            Ok(ready) if ready.is_empty() => return,
            Ok(ready) => {
                for table in ready {
                    if tables.send(Ok(table)).is_err() {
                        return;
                    }
                }
            }
            Err(failure) => {
                // An error that nobody takes concerns nobody.
                let _ = tables.send(Err(without_way_back(failure)));
                return;
            }
        }
    }
}

/// The error for somebody who cannot read the file again with a wider guess.
fn without_way_back(failure: Failure) -> DataError {
    let Failure { mut error, narrow } = failure;
    error.problem = match (error.problem, narrow) {
        (
            Problem::NotAnInteger { text }
            | Problem::NotANumber { text }
            | Problem::NotFinite { text }
            | Problem::NotATime { text },
            Some(narrow),
        ) => Problem::Surprise { text, kind: narrow.kind },
        (problem, _) => problem,
    };
    error
}
