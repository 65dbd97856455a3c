//! Where the bytes come from: a file or memory, plain or compressed by gzip.
//!
//! What is wrong with compressed bytes is told from what the operating system refuses.

use flate2::read::MultiGzDecoder;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// The two bytes every gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes by which a file is told to be packed, text or neither.
const START: usize = 256;

/// Something that can be read from its beginning; but for standard input more than once.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Memory(Arc<[u8]>),
    Standard,
}

impl Source {
    /// What errors call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Memory(_) => "memory".into(),
            Source::Standard => "standard input".into(),
        }
    }

    /// Its bytes, packed as they are; none where only reading tells.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Source::File(path) => path.metadata().ok().map(|found| found.len()),
            Source::Memory(bytes) => Some(bytes.len() as u64),
            Source::Standard => None,
        }
    }

    /// The bytes from the beginning, unpacked if they are packed, whatever the file is called.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Source::File(path) => unpacked(File::open(path)?, false),
            Source::Memory(bytes) => unpacked(Cursor::new(bytes.clone()), false),
            Source::Standard => unpacked(io::stdin(), false),
        }
    }

    /// The same of what should be text. Some programs unpack a file and leave its name, so that one called `.gz` may
    /// be plain; but if it is neither packed nor text, it is damaged.
    pub(crate) fn open_text(&self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Source::File(path) if path.extension().is_some_and(is_gz) => {
                unpacked(File::open(path)?, true)
            }
            _ => self.open(),
        }
    }
}

fn is_gz(ending: &OsStr) -> bool {
    ending.eq_ignore_ascii_case("gz")
}

/// `input`, read through gzip if it begins like a gzip file; one that is `called` so is packed, or text.
fn unpacked(
    mut input: impl Read + Send + 'static,
    called: bool,
) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::with_capacity(START);
    (&mut input).take(START as u64).read_to_end(&mut start)?;
    if start.starts_with(&GZIP) {
        let buffered = BufReader::with_capacity(1 << 16, Cursor::new(start).chain(input));
        return Ok(Box::new(Unpacked(MultiGzDecoder::new(buffered))));
    }
    if called && GZIP.starts_with(&start) {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    if called && !is_text(&start) {
        return Err(Damaged("it does not begin as gzip does").into());
    }
    Ok(Box::new(Cursor::new(start).chain(input)))
}

/// Whether bytes, which may end within a character, can be the start of a text in UTF-8, or in UTF-16 with its mark.
fn is_text(start: &[u8]) -> bool {
    let utf8 = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || utf8 && !start.iter().any(control)
}

/// Compressed bytes that are not what they were, and what tells.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Damaged(&'static str);

impl From<Damaged> for io::Error {
    fn from(damaged: Damaged) -> io::Error {
        io::Error::new(ErrorKind::InvalidData, damaged)
    }
}

/// What gzip unpacks. Errors of what it reads from pass through.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.0.read(to).map_err(|error| match (error.raw_os_error(), error.kind()) {
            (None, ErrorKind::InvalidInput | ErrorKind::InvalidData) => {
                let message = error.to_string();
                let reason = match message {
                    _ if message.contains("checksum") => "its checksum does not fit",
                    _ if message.contains("header") => "its header is none of gzip",
                    _ => "it cannot be unpacked",
                };
                Damaged(reason).into()
            }
            _ => error,
        })
    }
}
