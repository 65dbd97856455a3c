//! Cuts the input into blocks that end where a record ends.
//!
//! A cut depends on the bytes before it and on nothing else. Quotes are followed exactly, so that a
//! line end within a quoted field is never taken for the end of a record.

use super::seek;
use crate::error::Problem;
use std::io::{ErrorKind, Read};

/// The longest record, in bytes: beyond it a quote has been left open.
pub(crate) const LONGEST: usize = 16 << 20;

/// Bytes of one block unless told otherwise: small enough to stay in cache between reading and
/// parsing, large enough that threads seldom meet.
pub(crate) const USUAL: usize = 256 << 10;

const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Whole records. The buffer is kept between blocks.
#[derive(Debug, Default)]
pub(crate) struct Block {
    buffer: Vec<u8>,
    length: usize,
}

impl Block {
    /// The bytes of the records.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    fn append(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.buffer[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    fn make_room(&mut self, bytes: usize) {
        if self.buffer.len() < self.length + bytes {
            self.buffer.resize(self.length + bytes, 0);
        }
    }

    /// Reads up to `bytes` more. Returns whether the input has ended.
    fn fill(&mut self, input: &mut dyn Read, bytes: usize) -> Result<bool, Problem> {
        self.make_room(bytes);
        let full = self.length + bytes;
        while self.length < full {
            match input.read(&mut self.buffer[self.length..full]) {
                Ok(0) => return Ok(true),
                Ok(more) => self.length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}

/// The input, block after block.
pub(crate) struct Blocks {
    input: Box<dyn Read + Send>,
    size: usize,
    /// Bytes read and not handed out: the beginning of a record.
    rest: Vec<u8>,
    ended: bool,
    /// Bytes handed out.
    passed: u64,
}

impl Blocks {
    /// `input` without its byte-order mark, in blocks of about `size` bytes.
    pub(crate) fn new(mut input: Box<dyn Read + Send>, size: usize) -> Result<Blocks, Problem> {
        let mut rest = Vec::new();
        (&mut input).take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut rest)?;
        if rest == BYTE_ORDER_MARK {
            rest.clear();
        }
        Ok(Blocks { input, size, rest, ended: false, passed: 0 })
    }

    /// Bytes of all records so far.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// Puts records back in front of those to come.
    pub(crate) fn put_back(&mut self, records: &[u8]) {
        self.passed -= records.len() as u64;
        self.rest = [records, &self.rest].concat();
    }

    /// Puts the next records into `block`. False after the last.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<bool, Problem> {
        let found = self.find_next(block)?;
        self.passed += block.length as u64;
        Ok(found)
    }

    fn find_next(&mut self, block: &mut Block) -> Result<bool, Problem> {
        block.length = 0;
        block.append(&self.rest);
        self.rest.clear();
        let mut more = self.size;
        while !self.ended {
            self.ended = block.fill(&mut *self.input, more)?;
            if self.ended {
                break;
            }
            if let Some(end) = last_record_end(block.bytes()) {
                self.rest.extend_from_slice(&block.bytes()[end..]);
                block.length = end;
                return Ok(true);
            }
            if block.length > LONGEST {
                return Err(Problem::TooLong { limit: LONGEST });
            }
            more = block.length;
        }
        Ok(block.length > 0)
    }
}

/// Where the last complete record ends. `bytes` begin with a record.
fn last_record_end(bytes: &[u8]) -> Option<usize> {
    let mut end = None;
    let mut outside = 0;
    loop {
        let quote = seek::first(bytes, b'"', outside);
        end = last_line_end(bytes, outside, quote).or(end);
        if quote == bytes.len() {
            return end;
        }
        let opens = quote == 0 || matches!(bytes[quote - 1], b',' | b'\n' | b'\r');
        outside = if opens { quoted_end(bytes, quote + 1) } else { quote + 1 };
        if outside > bytes.len() {
            return end;
        }
    }
}

/// Just behind the quote that closes a field whose text starts at `at`; beyond the end of the bytes
/// if none does.
fn quoted_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let quote = seek::first(bytes, b'"', at);
        if bytes.get(quote + 1) != Some(&b'"') {
            return quote + 1;
        }
        at = quote + 2;
    }
}

/// Just behind the last line end in `from..to`. A CR at the very end of the bytes is none: an LF may
/// belong to it.
fn last_line_end(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let ends = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1).is_some_and(|&next| next != b'\n'),
        _ => false,
    };
    (from..to).rev().find(ends).map(|at| at + 1)
}
