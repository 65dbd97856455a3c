//! `.npz`: named NumPy arrays in one zip file, packed or not.

use super::{Array, ArrayProblem, npy};
use crate::error::{DataError, Problem};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;
use zip::ZipArchive;

/// Reads all arrays of a file with their names, in the order of the file.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>, DataError> {
    let name = path.as_ref().display().to_string();
    let file = File::open(path).map_err(|error| DataError::of_file(&name, error))?;
    read_archive(&name, BufReader::new(file))
}

/// Reads all arrays from memory; errors call the file `name`.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Vec<(String, Array)>, DataError> {
    read_archive(name, Cursor::new(bytes))
}

fn read_archive(name: &str, input: impl Read + Seek) -> Result<Vec<(String, Array)>, DataError> {
    let not_npz = |_| {
        let remedy = "save it with numpy.savez";
        DataError::of_file(name, ArrayProblem::NotThis { format: "a NumPy archive", remedy })
    };
    let mut archive = ZipArchive::new(input).map_err(not_npz)?;
    let mut arrays = Vec::new();
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(not_npz)?;
        let array = entry.name().map_err(not_npz)?.trim_end_matches(".npy").to_string();
        let size = entry.size();
        let mut bytes = Vec::new();
        // The declared size bounds what is read, and is not trusted for an allocation.
        let read = entry.take(size.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| DataError::of_file(name, Problem::Io(error)))?;
        let parsed = npy::from_bytes(&format!("{name}, array \"{array}\""), &bytes)?;
        arrays.push((array, parsed));
    }
    Ok(arrays)
}
