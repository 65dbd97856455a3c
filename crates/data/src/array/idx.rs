//! IDX, the format of the MNIST family: one array, plain or packed by gzip.
//!
//! Two zero bytes, a type, the number of axes, their sizes as 32-bit numbers, then the elements; all
//! numbers with their highest byte first. Integers of 8 and 16 bits with a sign become 32-bit ones.

use super::elements::{ByteOrder, decode};
use super::{Array, ArrayProblem, Elements, count};
use crate::error::{DataError, Problem};
use crate::source::Source;
use std::path::Path;

const KNOWN: &str = "8 (u8), 9 (i8), 11 (i16), 12 (i32), 13 (f32), 14 (f64)";

/// Reads a file.
pub fn read(path: impl AsRef<Path>) -> Result<Array, DataError> {
    let source = Source::File(path.as_ref().into());
    read_source(&source.name(), &source)
}

/// Reads an array from memory; errors call it `name`.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Array, DataError> {
    read_source(name, &Source::Memory(bytes.into()))
}

fn read_source(name: &str, source: &Source) -> Result<Array, DataError> {
    let mut bytes = Vec::new();
    let read = source.open().and_then(|mut input| input.read_to_end(&mut bytes));
    read.map_err(|error| DataError::of_file(name, Problem::Io(error)))?;
    parse(&bytes).map_err(|problem| DataError::of_file(name, problem))
}

fn parse(bytes: &[u8]) -> Result<Array, ArrayProblem> {
    let &[0, 0, kind, axes, ref rest @ ..] = bytes else {
        let remedy = "the first two bytes must be 0";
        return Err(ArrayProblem::NotThis { format: "an IDX file", remedy });
    };
    let cut = ArrayProblem::Header { reason: "it is cut off" };
    let (sizes, data) = rest.split_at_checked(4 * usize::from(axes)).ok_or(cut)?;
    let sizes = decode(sizes, ByteOrder::Big, u32::from_le_bytes);
    let shape: Vec<usize> = sizes.into_iter().map(|size| size as usize).collect();
    let size = match kind {
        8 | 9 => 1,
        11 => 2,
        12 | 13 => 4,
        14 => 8,
        _ => return Err(ArrayProblem::ElementType { found: kind.to_string(), known: KNOWN }),
    };
    if count(&shape).and_then(|count| count.checked_mul(size)) != Some(data.len()) {
        return Err(ArrayProblem::Size { shape, bytes: data.len() });
    }
    let big = ByteOrder::Big;
    let elements = match kind {
        8 => Elements::U8(data.to_vec()),
        9 => Elements::I32(data.iter().map(|&byte| i32::from(byte as i8)).collect()),
        11 => Elements::I32(decode(data, big, |number| i32::from(i16::from_le_bytes(number)))),
        12 => Elements::I32(decode(data, big, i32::from_le_bytes)),
        13 => Elements::F32(decode(data, big, f32::from_le_bytes)),
        _ => Elements::F64(decode(data, big, f64::from_le_bytes)),
    };
    Ok(Array { shape, elements })
}
