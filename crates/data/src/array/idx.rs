//! IDX, the format of the MNIST family: one array, plain or packed by gzip.
//!
//! Two zero bytes, a type, the number of axes, their sizes as 32-bit numbers, then the elements; all
//! numbers with their highest byte first. Integers of 8 and 16 bits with a sign become 32-bit ones.

use super::elements::{ByteOrder, decode};
use super::layout::{Layout, Number, header_bytes};
use super::{Array, ArrayProblem};
use crate::error::{DataError, Problem};
use crate::source::Source;
use std::io::Read;
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

/// Opens a file: what its header says, and its elements.
pub(super) fn open(path: &Path) -> Result<(Layout, Box<dyn Read + Send>), Problem> {
    let mut input = Source::File(path.into()).open()?;
    Ok((read_header(&mut input)?, input))
}

fn read_source(name: &str, source: &Source) -> Result<Array, DataError> {
    let whole = || -> Result<Array, Problem> {
        let (mut input, mut bytes) = (source.open()?, Vec::new());
        let layout = read_header(&mut input)?;
        input.read_to_end(&mut bytes)?;
        let elements = layout.whole(&bytes)?;
        Ok(Array { shape: layout.shape, elements })
    };
    whole().map_err(|problem| DataError::of_file(name, problem))
}

fn read_header(input: &mut dyn Read) -> Result<Layout, Problem> {
    let mut start = Vec::new();
    input.take(4).read_to_end(&mut start)?;
    let &[0, 0, kind, axes] = &start[..] else {
        let (format, remedy) = ("an IDX file", "the first two bytes must be 0");
        return Err(ArrayProblem::NotThis { format, remedy }.into());
    };
    let sizes = header_bytes(input, 4 * usize::from(axes))?;
    let sizes = decode(&sizes, ByteOrder::Big, u32::from_le_bytes);
    let number = match kind {
        8 => Number::U8,
        9 => Number::I8,
        11 => Number::I16,
        12 => Number::I32,
        13 => Number::F32,
        14 => Number::F64,
        _ => {
            let found = kind.to_string();
            return Err(ArrayProblem::ElementType { found, known: KNOWN }.into());
        }
    };
    let shape = sizes.into_iter().map(|size| size as usize).collect();
    Ok(Layout { shape, number, order: ByteOrder::Big, fortran: false })
}
