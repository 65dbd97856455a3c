//! Writing a file so that others see all of it or none: under a name of its own in the same folder, then renamed.
//! Devices and pipes are written to as they are.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes `contents` the file at `path`; a link to a file stays one. On failure what was there stays, and nothing is
/// left over.
///
/// # Errors
/// What the system says.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Nothing is cut off by opening: a file that may not be written is found out here.
    let mut there = match File::options().write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return write_new(path, contents, None);
        }
        opened => opened?,
    };
    let kind = there.metadata()?;
    if !kind.is_file() {
        return there.write_all(contents);
    }
    // Standard output may be a file, which must stay the same one.
    if path.starts_with("/dev") {
        return fs::write(path, contents);
    }
    // Some systems keep a file from being replaced while it is open.
    drop(there);
    write_new(&fs::canonicalize(path)?, contents, Some(kind.permissions()))
}

/// Writes a file beside `path` and renames it.
fn write_new(path: &Path, contents: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let (temporary, file) = create_beside(path)?;
    let written = fill(file, contents, permissions).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the first failure is what the caller needs to hear of.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes all bytes, and waits until they are on the disk: before that no name may lead to them.
fn fill(mut file: File, contents: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    file.write_all(contents)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// A new file in the folder of `path`: a rename within a folder never copies.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".whimbrel-fann-{process}-{number}.tmp"));
        match File::create_new(&temporary) {
            // Left by a process that had this number and was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (temporary, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        let name = format!("whimbrel-fann-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_else_is_left() {
        let folder = folder("replaced");
        let path = folder.join("a.net");
        for text in ["one", "two, longer"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(&folder), ["a.net"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let folder = folder("kept");
        let inside = folder.join("a.net");
        fs::create_dir(&inside).unwrap();
        assert!(replace(&inside, b"text").is_err(), "a folder has this name");
        assert!(replace(&folder.join("none/a.net"), b"text").is_err(), "the folder is missing");
        assert_eq!(names(&folder), ["a.net"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_the_permissions_of_its_file_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("link");
        let (file, link) = (folder.join("a.net"), folder.join("b.net"));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        symlink("a.net", &link).unwrap();
        replace(&link, b"two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("a.net"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_as_it_is() {
        replace(Path::new("/dev/null"), b"text").unwrap();
        let error = replace(Path::new("/dev/full"), b"text").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert!(Path::new("/dev/full").exists());
    }
}
