//! Comma-separated text: RFC 4180 with the liberties files take in practice (a byte-order mark,
//! lines ending in LF, CRLF or CR, blank lines, blanks around header names).
//!
//! `split` cuts bytes into records and knows nothing of files; [`Reader`] adds the file, the header
//! and the errors.

mod error;
mod reader;
mod split;
mod writer;

pub use error::{CsvError, Place, Problem};
pub use reader::{Column, Reader, Record};
pub use writer::Writer;
