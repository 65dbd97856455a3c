//! Cuts bytes into records, however the bytes are chunked.
//!
//! The decoded fields of the record under way lie one after another in `text`, `ends` says where
//! each ends. The state is all there is between two chunks, so a record never depends on where a
//! chunk was cut.

/// The longest record, in bytes: beyond it a quote has been left open.
pub(crate) const LONGEST: usize = 16 << 20;

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Why bytes are not records, and the line to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TextAfterQuote { line: u64 },
    UnclosedQuote { line: u64 },
    TooLong { line: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// So many bytes of the byte-order mark have been seen at the start of the file.
    Start(usize),
    FieldStart,
    Plain,
    Quoted,
    /// After a quote in a quoted field: its end, or the first half of an escaped quote.
    QuoteSeen,
}

/// The record under way and what is known of the bytes behind it.
#[derive(Debug)]
pub(crate) struct Splitter {
    state: State,
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The line under way, from 1.
    line: u64,
    /// The line the record began on.
    record_line: u64,
    /// The line the last quote opened on.
    quote_line: u64,
    /// A CR ended the line before: an LF now belongs to it.
    after_cr: bool,
    /// The record is complete; the next byte begins another.
    done: bool,
}

impl Splitter {
    pub(crate) fn new() -> Splitter {
        Splitter {
            state: State::Start(0),
            text: Vec::new(),
            ends: Vec::new(),
            line: 1,
            record_line: 1,
            quote_line: 1,
            after_cr: false,
            done: false,
        }
    }

    /// Decoded bytes of the record.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Where each field ends in [`text`](Splitter::text).
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The line the record began on.
    pub(crate) fn record_line(&self) -> u64 {
        self.record_line
    }

    /// Takes bytes up to the end of a record. Returns how many it took and whether the record is
    /// complete; if not, all were taken.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(usize, bool), Fault> {
        if self.done {
            self.done = false;
            self.text.clear();
            self.ends.clear();
            self.state = State::FieldStart;
        }
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Plain {
                let plain = bytes[at..].iter().position(|b| matches!(b, b',' | b'\n' | b'\r'));
                let end = plain.map_or(bytes.len(), |n| at + n);
                self.append(&bytes[at..end])?;
                at = end;
                if at == bytes.len() {
                    break;
                }
            }
            let complete = self.take(bytes[at])?;
            at += 1;
            if complete {
                self.done = true;
                return Ok((at, true));
            }
        }
        Ok((at, false))
    }

    /// Ends the input. Returns whether a last record without a line end is complete.
    pub(crate) fn finish(&mut self) -> Result<bool, Fault> {
        if self.done {
            self.ends.clear();
            return Ok(false);
        }
        match self.state {
            State::Quoted => return Err(Fault::UnclosedQuote { line: self.quote_line }),
            State::Start(seen) => self.append(&BYTE_ORDER_MARK[..seen])?,
            _ => {}
        }
        let blank = self.ends.is_empty() && self.text.is_empty() && self.state != State::QuoteSeen;
        if blank {
            return Ok(false);
        }
        self.ends.push(self.text.len());
        self.done = true;
        Ok(true)
    }

    /// Takes one byte. Returns whether it completes a record.
    fn take(&mut self, byte: u8) -> Result<bool, Fault> {
        if let State::Start(seen) = self.state {
            if byte == BYTE_ORDER_MARK[seen] {
                let all = seen + 1 == BYTE_ORDER_MARK.len();
                self.state = if all { State::FieldStart } else { State::Start(seen + 1) };
                return Ok(false);
            }
            self.append(&BYTE_ORDER_MARK[..seen])?;
            self.state = if seen == 0 { State::FieldStart } else { State::Plain };
        }
        if std::mem::take(&mut self.after_cr) && byte == b'\n' && self.state == State::FieldStart {
            return Ok(false);
        }
        if self.state == State::FieldStart && self.ends.is_empty() {
            self.record_line = self.line;
        }
        match (self.state, byte) {
            (State::Quoted, b'"') => self.state = State::QuoteSeen,
            (State::Quoted, _) => {
                self.line += u64::from(byte == b'\n');
                self.append(&[byte])?;
            }
            (_, b',') => {
                self.ends.push(self.text.len());
                self.state = State::FieldStart;
                if self.ends.len() > LONGEST {
                    return Err(Fault::TooLong { line: self.record_line });
                }
            }
            (_, b'\n' | b'\r') => return Ok(self.end_line(byte)),
            (State::FieldStart, b'"') => {
                self.quote_line = self.line;
                self.state = State::Quoted;
            }
            (State::QuoteSeen, b'"') => {
                self.append(&[byte])?;
                self.state = State::Quoted;
            }
            (State::QuoteSeen, _) => return Err(Fault::TextAfterQuote { line: self.line }),
            _ => {
                self.append(&[byte])?;
                self.state = State::Plain;
            }
        }
        Ok(false)
    }

    /// Ends the line, and the record unless the line is blank.
    fn end_line(&mut self, byte: u8) -> bool {
        self.line += 1;
        self.after_cr = byte == b'\r';
        let blank = self.state == State::FieldStart && self.ends.is_empty();
        self.state = State::FieldStart;
        if !blank {
            self.ends.push(self.text.len());
        }
        !blank
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if self.text.len() + bytes.len() > LONGEST {
            return Err(Fault::TooLong { line: self.record_line });
        }
        self.text.extend_from_slice(bytes);
        Ok(())
    }
}
