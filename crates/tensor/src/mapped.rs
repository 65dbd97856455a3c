//! Files as memory: read where they lie, and no more of them than is looked at.
//!
//! What replaces a file by renaming another over it, as everything here does that writes one, leaves
//! the mapped one as it was. A program that writes into it, or cuts it short, while it is read may
//! change what is seen, or end the process.

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file.
pub struct Mapped(Bytes);

enum Bytes {
    Mapped(Mmap),
    /// Of what cannot be mapped: pipes, devices, files of no bytes.
    Read(Vec<u8>),
}

impl Mapped {
    /// Maps a file, or reads it where that cannot be.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let mut file = File::open(path)?;
        let found = file.metadata()?;
        if found.is_file() && found.len() > 0 {
            // SAFETY: read only. Nobody here writes into a file that lies there; what another program does to it
            // meanwhile is its user's to avoid, as with every mapped file, and is said at the head of this one.
            if let Ok(mapped) = unsafe { Mmap::map(&file) } {
                return Ok(Mapped(Bytes::Mapped(mapped)));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Mapped(Bytes::Read(bytes)))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Mapped(bytes) => bytes,
            Bytes::Read(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_bytes_and_empty_ones_none() {
        let path = std::env::temp_dir().join(format!("whimbrel-mapped-{}", std::process::id()));
        for bytes in [&b""[..], b"one", &[7; 100_000]] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(&*Mapped::open(&path).unwrap(), bytes);
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(Mapped::open(&path).err().unwrap().kind(), io::ErrorKind::NotFound);
        assert!(Mapped::open(&std::env::temp_dir()).is_err());
    }

    #[test]
    fn a_file_that_is_replaced_stays_as_it_was() {
        let path = std::env::temp_dir().join(format!("whimbrel-replaced-{}", std::process::id()));
        let beside = path.with_extension("new");
        std::fs::write(&path, "before").unwrap();
        let mapped = Mapped::open(&path).unwrap();
        std::fs::write(&beside, "after it").unwrap();
        std::fs::rename(&beside, &path).unwrap();
        assert_eq!(&*mapped, b"before");
        std::fs::remove_file(&path).unwrap();
    }
}
