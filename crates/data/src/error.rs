//! What can be wrong with a file, where, and what to do about it.

use crate::array::ArrayProblem;
use crate::kind::Kind;
use crate::place::Place;
use crate::source::Damaged;

/// A file that cannot be read, or a field that is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct DataError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

impl DataError {
    /// An error about a file as a whole.
    pub fn of_file(file: &str, problem: impl Into<Problem>) -> DataError {
        DataError { place: Place::file(file), problem: problem.into() }
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        let damaged = error.get_ref().and_then(|inner| inner.downcast_ref::<Damaged>());
        match damaged {
            Some(damaged) => Problem::Damaged { reason: damaged.to_string() },
            None if error.kind() == std::io::ErrorKind::UnexpectedEof => Problem::CutShort,
            None => Problem::Io(error),
        }
    }
}

/// What is wrong, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The operating system refuses the file.
    #[error("cannot be read: {0}")]
    Io(std::io::Error),
    /// A packed file ends before what is packed in it.
    #[error("its compressed data are cut short; copy it again, or pack it again")]
    CutShort,
    /// What is packed cannot be unpacked, or is not what was packed.
    #[error("its compressed data are damaged: {reason}; copy it again, or pack it again")]
    Damaged {
        /// What tells.
        reason: String,
    },
    /// A file of arrays is damaged or of another kind.
    #[error(transparent)]
    Array(#[from] ArrayProblem),
    /// A columnar file is damaged or of another kind.
    #[error(
        "cannot be read as a table: {reason}; write it again, plain or packed by Snappy, gzip, LZ4 or \
         Zstandard"
    )]
    Columnar {
        /// What the reader of the format says.
        reason: String,
    },
    /// A column of a columnar file has a type that is not read.
    #[error("holds {found}; convert it to numbers, text or times")]
    ColumnType {
        /// The type.
        found: String,
    },
    /// There is no header.
    #[error("is empty; the first line must name the columns")]
    Empty,
    /// There is a header and nothing else.
    #[error("has a header but no rows")]
    NoRows,
    /// The text is in two-byte units.
    #[error("is UTF-16 text; save it as UTF-8")]
    Utf16,
    /// Two-byte text ends within a character.
    #[error("is UTF-16 text that is cut short within the character at byte {byte}; copy it again")]
    Utf16Cut {
        /// Where the character begins, counted from 0.
        byte: usize,
    },
    /// Two-byte text has half a character.
    #[error(
        "is UTF-16 text that is damaged at byte {byte}, where half a character stands alone; copy it \
         again, or save it as UTF-8"
    )]
    Utf16Damaged {
        /// Where it is, counted from 0.
        byte: usize,
    },
    /// The file is packed in a way that is not read.
    #[error("is {format}; unpack it, and save it as CSV, as it is or packed by gzip")]
    Packed {
        /// What it is.
        format: &'static str,
    },
    /// The text is in another encoding, or is no text.
    #[error("is not UTF-8 text (byte 0x{byte:02x}); save the file as CSV in UTF-8")]
    NotUtf8 {
        /// The first byte that does not belong.
        byte: u8,
    },
    /// A column is named twice.
    #[error("two columns are called \"{name}\"; rename one of them")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A column is asked for twice.
    #[error("column \"{name}\" is asked for twice; ask once")]
    AskedTwice {
        /// The name.
        name: String,
    },
    /// A column is asked for that the file does not have.
    #[error(
        "there is no column \"{name}\"; the header names {}{}",
        list(found),
        advice(name, found)
    )]
    MissingColumn {
        /// The name asked for.
        name: String,
        /// The names there are.
        found: Vec<String>,
    },
    /// A row is shorter or longer than the header.
    #[error(
        "has {fields} field{}, the header names {columns}; complete the row, and quote fields that contain a comma",
        if *fields == 1 { "" } else { "s" }
    )]
    Ragged {
        /// Fields of the row.
        fields: usize,
        /// Columns of the header.
        columns: usize,
    },
    /// A quoted field goes on after its closing quote.
    #[error("text follows a closing quote; write a quote inside a quoted field twice")]
    TextAfterQuote,
    /// A quoted field has no end.
    #[error("a quote opens here and is never closed")]
    UnclosedQuote,
    /// A row exceeds any sensible length.
    #[error("a row longer than {limit} bytes starts here; is a quote left open?")]
    TooLong {
        /// The longest row allowed.
        limit: usize,
    },
    /// A field that must hold something holds nothing.
    #[error("is empty; fill it in, or remove the row")]
    EmptyField,
    /// A field that must hold something says that there is no value.
    #[error("\"{text}\" stands for no value; fill it in, or remove the row")]
    NoValue {
        /// The field, shortened.
        text: String,
    },
    /// A field is not a number.
    #[error("\"{text}\" is not a number; write it like 1234.5{}", or_nothing(text))]
    NotANumber {
        /// The field, shortened.
        text: String,
    },
    /// A field is not a whole number of 64 bits.
    #[error("\"{text}\" is not a whole number; write it like 1234")]
    NotAnInteger {
        /// The field, shortened.
        text: String,
    },
    /// A field is NaN or infinite.
    #[error("\"{text}\" is not a finite number; fill it in, or remove the row")]
    NotFinite {
        /// The field, shortened.
        text: String,
    },
    /// A field is a number too large to compute with.
    #[error("\"{text}\" is beyond {most:e}; divide the whole column by the same number")]
    TooLarge {
        /// The field, shortened.
        text: String,
        /// The largest number there may be.
        most: f32,
    },
    /// A field is not a time.
    #[error("\"{text}\" is not a time; write it like 2024-01-31 or 2024-01-31 13:00:00")]
    NotATime {
        /// The field, shortened.
        text: String,
    },
    /// A streamed column turns out to hold something else than its first rows.
    #[error("\"{text}\" is not {kind}, as the first rows are; say what the column holds")]
    Surprise {
        /// The field, shortened.
        text: String,
        /// What the first rows hold.
        kind: Kind,
    },
}

/// The other remedy for a field that probably means that there is no value, such as `?` or `#N/A`.
fn or_nothing(text: &str) -> &'static str {
    const WORDS: [&str; 7] = ["", "na", "nan", "nil", "null", "missing", "unknown"];
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    match WORDS.iter().any(|word| letters.eq_ignore_ascii_case(word)) {
        true => ", or leave the field empty where there is no value",
        false => "",
    }
}

/// Names in quotes, at most ten of them.
fn list(names: &[String]) -> String {
    const MOST: usize = 10;
    let mut text: Vec<_> = names.iter().take(MOST).map(|n| format!("\"{}\"", shorten(n))).collect();
    if names.len() > MOST {
        text.push(format!("{} more", names.len() - MOST));
    }
    text.join(", ")
}

/// What probably happened to the column `name`.
fn advice(name: &str, found: &[String]) -> String {
    if let Some(near) = found.iter().find(|f| f.eq_ignore_ascii_case(name)) {
        return format!("; did you mean \"{near}\"?");
    }
    match found {
        [only] if only.contains(';') => "; separate the columns by commas, not semicolons".into(),
        [only] if only.contains('\t') => "; separate the columns by commas, not tabs".into(),
        _ => String::new(),
    }
}

/// A field as an error shows it: at most 40 characters, control characters escaped.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text.chars().take(MOST).flat_map(escape).collect();
    if text.chars().nth(MOST).is_some() {
        short.push_str("...");
    }
    short
}

fn escape(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}
