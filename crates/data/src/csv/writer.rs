//! Writes CSV that [`Reader`](super::Reader) reads back to the same fields.

use std::io::{self, Write};

/// CSV being written, lines ending in LF.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Writes to `output`, which should be buffered.
    pub fn new(output: W) -> Writer<W> {
        Writer { output }
    }

    /// Writes one row; fields are quoted where they must be.
    pub fn record<'a>(&mut self, fields: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let mut first = true;
        for field in fields {
            if !first {
                self.output.write_all(b",")?;
            }
            // A row of one empty field would be a blank line, and a leading byte-order mark is lost.
            let odd = first && (field.is_empty() || field.starts_with('\u{feff}'));
            if odd || field.contains([',', '"', '\n', '\r']) {
                write!(self.output, "\"{}\"", field.replace('"', "\"\""))?;
            } else {
                self.output.write_all(field.as_bytes())?;
            }
            first = false;
        }
        self.output.write_all(b"\n")
    }

    /// Passes on what is buffered and gives the output back.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}
