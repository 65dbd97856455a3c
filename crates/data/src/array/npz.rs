//! `.npz`: named NumPy arrays in one zip file, packed or not.

use super::layout::Layout;
use super::npy_header::read_header;
use super::{Array, ArrayProblem, npy};
use crate::error::{DataError, Problem};
use flate2::bufread::DeflateDecoder;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

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

/// Opens an array of a file: what its header says, and its elements.
pub(super) fn open(path: &Path, array: &str) -> Result<(Layout, Box<dyn Read + Send>), Problem> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?)).map_err(not_npz)?;
    let name = [format!("{array}.npy"), array.into()];
    let number = name.iter().find_map(|name| archive.index_for_name(name));
    let Some(number) = number else {
        let names = archive.file_names().flatten();
        let found = names.map(|name| name.trim_end_matches(".npy").to_string()).collect();
        return Err(ArrayProblem::NoArray { found }.into());
    };
    let entry = archive.by_index(number).map_err(not_npz)?;
    let start = entry.data_start().unwrap_or(0);
    let (packed, method) = (entry.compressed_size(), entry.compression());
    // The archive lends its file only while it is there itself: the entry is read from one of its own.
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let file = BufReader::new(file.take(packed));
    let mut input: Box<dyn Read + Send> = match method {
        CompressionMethod::Stored => Box::new(file),
        CompressionMethod::Deflated => Box::new(DeflateDecoder::new(file)),
        _ => return Err(not_npz(())),
    };
    Ok((read_header(&mut input)?, input))
}

fn not_npz<E>(_: E) -> Problem {
    let (format, remedy) = ("a NumPy archive", "save it with numpy.savez");
    ArrayProblem::NotThis { format, remedy }.into()
}

fn read_archive(name: &str, input: impl Read + Seek) -> Result<Vec<(String, Array)>, DataError> {
    let damaged = |error| DataError::of_file(name, not_npz(error));
    let mut archive = ZipArchive::new(input).map_err(damaged)?;
    let mut arrays = Vec::new();
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(damaged)?;
        let array = entry.name().map_err(damaged)?.trim_end_matches(".npy").to_string();
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
