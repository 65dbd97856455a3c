//! Where the bytes come from: a file or memory, plain or compressed by gzip.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// The two bytes every gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

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

    /// The bytes from the beginning, unpacked if they are packed, whatever the file is called.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Source::File(path) => unpacked(File::open(path)?),
            Source::Memory(bytes) => unpacked(Cursor::new(bytes.clone())),
            Source::Standard => unpacked(io::stdin()),
        }
    }
}

/// `input`, read through gzip if it begins like a gzip file.
fn unpacked(mut input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::with_capacity(GZIP.len());
    (&mut input).take(GZIP.len() as u64).read_to_end(&mut start)?;
    let packed = start == GZIP;
    let whole = Cursor::new(start).chain(input);
    if packed {
        let buffered = BufReader::with_capacity(1 << 16, whole);
        return Ok(Box::new(MultiGzDecoder::new(buffered)));
    }
    Ok(Box::new(whole))
}
