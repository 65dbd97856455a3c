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
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    match write!(stdout, "{result}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::run(format!("standard output: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
