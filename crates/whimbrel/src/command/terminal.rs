//! Talking to who runs the binary: results on standard output, everything else on standard error.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Says something on standard error; that it cannot be heard is no reason to stop.
pub fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Prints a result. A reader that has had enough (`| head`) ends it without an error.
pub fn print(result: impl Display) -> Result<(), Failure> {
    let mut printer = Printer::new();
    printer.print(result)?;
    printer.finish()
}

/// Prints a result piece by piece.
pub struct Printer {
    stdout: io::BufWriter<io::StdoutLock<'static>>,
}

impl Printer {
    pub fn new() -> Printer {
        Printer { stdout: io::BufWriter::new(io::stdout().lock()) }
    }

    /// Prints a piece; says whether there is anybody to read more.
    pub fn print(&mut self, piece: impl Display) -> Result<bool, Failure> {
        heard(write!(self.stdout, "{piece}"))
    }

    /// Prints what is left.
    pub fn finish(mut self) -> Result<(), Failure> {
        heard(self.stdout.flush()).map(|_| ())
    }
}

/// Whether somebody reads what is printed.
fn heard(printed: io::Result<()>) -> Result<bool, Failure> {
    match printed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::run(format!("standard output: cannot be written: {error}"))),
    }
}
