//! Comma-separated text: RFC 4180 with the liberties files take in practice (a byte-order mark,
//! lines ending in LF, CRLF or CR, blank lines, blanks around header names and numbers, gzip).
//!
//! The way of the bytes: `blocks` cuts the input where a record ends; `parse` turns a block into
//! columns, field by field through `cursor` and `builder`; `work` lets the threads of a pool do that
//! for many blocks at once. Where blocks are cut depends on the bytes alone, so threads do not change
//! the result. [`read`] gives the whole file as one table, [`Stream`] table after table.

mod blocks;
mod builder;
mod cursor;
mod eight;
mod header;
mod infer;
mod layout;
mod number;
mod parse;
mod read;
mod regular;
mod request;
mod seek;
mod stream;
mod strings;
mod work;
mod writer;

pub(crate) use builder::is_missing;
pub use read::{header, header_bytes, read, read_bytes, read_on};
pub use request::{Options, Request};
pub use stream::Stream;
pub use writer::Writer;
