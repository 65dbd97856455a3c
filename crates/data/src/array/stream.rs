//! Reads a file of one array some rows at a time, for files larger than memory.
//!
//! A thread of its own reads ahead, and waits when a few arrays have not been taken yet. That bounds the
//! memory.

use super::layout::Layout;
use super::{Array, ArrayProblem, idx, npy, npz};
use crate::error::{DataError, Problem};
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Arrays that may be ready and not taken.
const AHEAD: usize = 4;

/// The rows of an array in order, some at a time: arrays of the same shape but for the first axis. Ends
/// after an error.
#[derive(Debug)]
pub struct Stream {
    shape: Vec<usize>,
    arrays: Receiver<Result<Array, DataError>>,
}

/// What is left of a file.
struct Rest {
    name: String,
    input: Box<dyn Read + Send>,
    layout: Layout,
    /// Rows that were read.
    rows: usize,
}

impl Stream {
    /// Opens a `.npy` file to read `rows` rows at a time.
    pub fn npy(path: &Path, rows: usize) -> Result<Stream, DataError> {
        Stream::start(path.display().to_string(), npy::open(path), rows)
    }

    /// Opens an array of a `.npz` file.
    pub fn npz(path: &Path, array: &str, rows: usize) -> Result<Stream, DataError> {
        let name = format!("{}, array \"{array}\"", path.display());
        Stream::start(name, npz::open(path, array), rows)
    }

    /// Opens an IDX file, packed by gzip or not.
    pub fn idx(path: &Path, rows: usize) -> Result<Stream, DataError> {
        Stream::start(path.display().to_string(), idx::open(path), rows)
    }

    /// The shape of the whole array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn start(
        name: String,
        opened: Result<(Layout, Box<dyn Read + Send>), Problem>,
        rows: usize,
    ) -> Result<Stream, DataError> {
        let refuse = |problem| DataError::of_file(&name, problem);
        let (layout, input) = opened.map_err(refuse)?;
        let several = layout.shape.iter().filter(|&&size| size != 1).count() > 1;
        if layout.fortran && several {
            return Err(refuse(ArrayProblem::Order.into()));
        }
        let shape = layout.shape.clone();
        if layout.bytes(&shape).is_none() || shape.is_empty() {
            return Err(refuse(layout.wrong_size(0).into()));
        }
        let (sender, arrays) = sync_channel(AHEAD);
        let mut rest = Rest { name: name.clone(), input, layout, rows: 0 };
        let read = move || rest.read_ahead(rows.max(1), &sender);
        let thread = std::thread::Builder::new().name("array".into()).spawn(read);
        thread.map_err(|error| DataError::of_file(&name, error))?;
        Ok(Stream { shape, arrays })
    }
}

impl Iterator for Stream {
    type Item = Result<Array, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.arrays.recv().ok()
    }
}

impl Rest {
    /// Sends arrays until the last, an error, or until nobody takes them any more.
    fn read_ahead(&mut self, rows: usize, arrays: &SyncSender<Result<Array, DataError>>) {
        while let Some(array) = self.next(rows).transpose() {
            let array = array.map_err(|problem| DataError::of_file(&self.name, problem));
            let last = array.is_err();
            if arrays.send(array).is_err() || last {
                return;
            }
        }
    }

    /// The next rows; none after the last.
    fn next(&mut self, rows: usize) -> Result<Option<Array>, Problem> {
        let (all, row) = match self.layout.shape.split_first() {
            Some((&all, row)) => (all, row),
            None => return Ok(None),
        };
        let row_bytes = self.layout.bytes(row).unwrap_or(usize::MAX);
        // Rows without bytes are none.
        let count = if row_bytes == 0 { 0 } else { rows.min(all - self.rows) };
        // Past the last row nothing may follow.
        let wanted = if count == 0 { 1 } else { count.saturating_mul(row_bytes) };
        let mut bytes = Vec::new();
        // The declared size bounds what is read, and is not trusted for an allocation.
        (&mut self.input).take(wanted as u64).read_to_end(&mut bytes)?;
        if bytes.len() != count * row_bytes {
            let read = (self.rows * row_bytes).saturating_add(bytes.len());
            return Err(self.layout.wrong_size(read).into());
        }
        if count == 0 {
            return Ok(None);
        }
        self.rows += count;
        let shape = [&[count], row].concat();
        Ok(Array::new(shape, self.layout.elements(&bytes)))
    }
}
