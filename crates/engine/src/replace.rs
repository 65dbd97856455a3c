//! Writing a file so that others see all of it or none: under a name of its own beside the
//! destination, then renamed over it. No other file is touched.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes `contents` the file at `path`. On failure what was there stays, and nothing is left over.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_with(path, |temporary| fs::write(temporary, contents))
}

/// Makes what `write` writes into the file it is given the file at `path`, under the same terms.
pub fn replace_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let temporary = create_beside(path)?;
    let written = write(&temporary).and_then(|()| Ok(publish(&temporary, path)?));
    if written.is_err() {
        // Best effort: the first failure is what the caller needs to hear of.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Whether [`replace`] could write at `path`, told before there is anything to write. Folders that are not there
/// count as writable where the folder they would lie in is.
pub fn expect_replaceable(path: &Path) -> io::Result<()> {
    // A name that is too long, for one, is known by more than that nothing is there.
    path.symlink_metadata().map(|_| ()).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let is_missing =
        |path: &&Path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err();
    let folder = path.ancestors().skip(1).find(|path| !is_missing(path));
    let temporary = create_beside(&folder.unwrap_or(Path::new("")).join("any"))?;
    fs::remove_file(temporary)
}

/// Gives a file its name, which may only point to bytes that have reached the disk.
fn publish(temporary: &Path, path: &Path) -> io::Result<()> {
    // Opened for writing, without which some systems do not flush.
    File::options().write(true).open(temporary)?.sync_all()?;
    fs::rename(temporary, path)?;
    sync_folder(path)
}

/// Waits until the new name is on the disk: without it a power failure could bring the old one back.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match File::open(parent.unwrap_or(Path::new(".")))?.sync_all() {
        // The file system keeps its folders by other means.
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// A folder cannot be opened here; the system writes names in its own time.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A new file in the folder of `path`: a rename within a folder never copies.
fn create_beside(path: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".whimbrel-{process}-{number}.tmp"));
        match File::create_new(&temporary) {
            // Left by a process that had this number and was killed.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|_| temporary),
        }
    }
}
