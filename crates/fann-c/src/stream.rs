//! The C library's streams: FANN prints to the program's standard output and reads and writes through its
//! `FILE`s, so that what it prints comes in order with what the program prints.

use libc::FILE;

use crate::edge::Name;

unsafe extern "C" {
    static stdout: *mut FILE;
}

/// Prints to the program's standard output.
pub(crate) fn print(text: &str) {
    // SAFETY: `stdout` is set by the C library before anything of this one runs.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

/// Writes all bytes to a file; false where they did not all get there.
pub(crate) fn write(file: *mut FILE, bytes: &[u8]) -> bool {
    // SAFETY: an open stream of the program, and a slice.
    unsafe {
        libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), file) == bytes.len()
            && libc::fflush(file) == 0
    }
}

/// Reads from a stream with a function that takes away what it has read from the front of bytes. The stream then
/// stands behind it, where it can be set back: the end of a pipe stays the end.
pub(crate) fn read_front<R>(file: *mut FILE, read: impl FnOnce(&mut &[u8]) -> R) -> R {
    let bytes = read_all(file);
    let mut rest = &bytes[..];
    let result = read(&mut rest);
    if !rest.is_empty() {
        // SAFETY: an open stream of the program; setting back fails on pipes, and harms nothing.
        unsafe { libc::fseek(file, -(rest.len() as libc::c_long), libc::SEEK_CUR) };
    }
    result
}

/// The rest of a stream.
fn read_all(file: *mut FILE) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut block = [0u8; 1 << 14];
    loop {
        // SAFETY: an open stream of the program, and room for a block.
        let count = unsafe { libc::fread(block.as_mut_ptr().cast(), 1, block.len(), file) };
        bytes.extend_from_slice(&block[..count.min(block.len())]);
        if count < block.len() {
            return bytes;
        }
    }
}

/// An open file, closed when it is done with.
pub(crate) struct File(pub *mut FILE);

impl File {
    /// Opens a file for reading.
    pub(crate) fn open(name: Name) -> Option<File> {
        // SAFETY: two strings that end with a zero.
        let file = unsafe { libc::fopen(name.0, c"r".as_ptr()) };
        (!file.is_null()).then(|| File(file))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: opened by `open` and closed only here.
        unsafe { libc::fclose(self.0) };
    }
}
