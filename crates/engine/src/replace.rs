//! Writing a file so that others see all of it or none: under a name of its own beside the
//! destination, then renamed over it. No other file is touched.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes `contents` the file at `path`. On failure what was there stays, and nothing is left over.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let (mut file, temporary) = create_beside(path)?;
    let written = file
        .write_all(contents)
        // The name may only point to bytes that have reached the disk.
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the first failure is what the caller needs to hear of.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the folder of `path`: a rename within a folder never copies.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".whimbrel-{process}-{number}.tmp"));
        match File::create_new(&temporary) {
            // Left by a process that had this number and was killed.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (file, temporary)),
        }
    }
}
