//! `.npy`: one NumPy array.
//!
//! Elements f32, f64, i32, i64, u8 and bool, either byte order, C and Fortran order. Nothing is
//! allocated for a shape before the bytes for it are there.

use super::layout::Layout;
use super::npy_header::{MAGIC, read_header};
use super::{Array, Elements};
use crate::error::{DataError, Problem};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use whimbrel_tensor::Mapped;

/// NumPy reads faster where the elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Reads a file, from where it lies.
pub fn read(path: impl AsRef<Path>) -> Result<Array, DataError> {
    let name = path.as_ref().display().to_string();
    let bytes = Mapped::open(path.as_ref()).map_err(|error| DataError::of_file(&name, error))?;
    from_bytes(&name, &bytes)
}

/// Reads an array from memory; errors call it `name`.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Array, DataError> {
    parse(bytes).map_err(|problem| DataError::of_file(name, problem))
}

/// Opens a file: what its header says, and its elements.
pub(super) fn open(path: &Path) -> Result<(Layout, Box<dyn Read + Send>), Problem> {
    let mut file = File::open(path)?;
    Ok((read_header(&mut file)?, Box::new(file)))
}

fn parse(mut bytes: &[u8]) -> Result<Array, Problem> {
    let layout = read_header(&mut bytes)?;
    let elements = layout.whole(bytes)?;
    Ok(Array { shape: layout.shape, elements })
}

/// Writes an array so that NumPy reads it.
pub fn write(mut output: impl Write, array: &Array) -> io::Result<()> {
    let descr = match array.elements() {
        Elements::F32(_) => "<f4",
        Elements::F64(_) => "<f8",
        Elements::I32(_) => "<i4",
        Elements::I64(_) => "<i8",
        Elements::U8(_) => "|u1",
        Elements::Bool(_) => "|b1",
    };
    let sizes: String = array.shape().iter().map(|size| format!("{size}, ")).collect();
    let mut header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}",
        sizes.trim_end()
    );
    // Magic, version and a length of two bytes come before, a line end after.
    let before = MAGIC.len() + 4;
    let whole = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.extend(std::iter::repeat_n(' ', whole - before - header.len() - 1));
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(io::Error::other)?;
    output.write_all(MAGIC)?;
    output.write_all(&[1, 0])?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(header.as_bytes())?;
    output.write_all(&array.elements().to_bytes())
}
