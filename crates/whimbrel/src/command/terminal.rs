//! Talking to who runs the binary: results on standard output, everything else on standard error.

use crate::failure::Failure;
use console::Term;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Letters in a line of a terminal that does not say.
const USUAL_WIDTH: usize = 80;

/// Says something on standard error; that it cannot be heard is no reason to stop.
pub fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Letters in a line of the terminal that results are printed on; none where they go elsewhere.
pub fn width() -> Option<usize> {
    let width = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    io::stdout().is_terminal().then_some(width.unwrap_or(USUAL_WIDTH))
}

/// Text whose lines are broken between words where they are longer than `width`.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut whole = String::new();
    for line in text.split_inclusive('\n') {
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            let letters = word.trim_end().chars().count();
            if used > 0 && used + letters > width {
                whole.truncate(whole.trim_end_matches(' ').len());
                whole.push('\n');
                used = 0;
            }
            whole += word;
            used += word.chars().count();
        }
    }
    whole
}

/// Says how many columns of a table are left out, and what has them; nothing where none are.
pub fn more_columns(left_out: usize, has_them: &str) -> String {
    match left_out {
        0 => String::new(),
        1 => format!("... and 1 more column: {has_them}\n"),
        more => format!("... and {more} more columns: {has_them}\n"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "one two  three\nabcdefghij k\n";
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(wrapped(text, 14), text);
        assert_eq!(wrapped(text, 13), "one two\nthree\nabcdefghij k\n");
        assert_eq!(wrapped(text, 5), "one\ntwo\nthree\nabcdefghij\nk\n");
    }

    #[test]
    fn columns_that_are_left_out_are_counted() {
        assert_eq!(more_columns(0, "a.csv"), "");
        assert_eq!(more_columns(1, "a.csv"), "... and 1 more column: a.csv\n");
        assert_eq!(more_columns(4, "a.csv"), "... and 4 more columns: a.csv\n");
    }
}
