//! `.npy`: one NumPy array.
//!
//! Elements f32, f64, i32, i64, u8 and bool, either byte order, C and Fortran order. Nothing is
//! allocated for a shape before the bytes for it are there.

use super::elements::decode;
use super::npy_header::{Header, MAGIC};
use super::{Array, ArrayProblem, Elements, count};
use crate::error::DataError;
use std::io::{self, Write};
use std::path::Path;

pub(super) const KNOWN: &str = "f4, f8, i4, i8, u1, b1 with NumPy's astype";

/// NumPy reads faster where the elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Reads a file.
pub fn read(path: impl AsRef<Path>) -> Result<Array, DataError> {
    let name = path.as_ref().display().to_string();
    let bytes = std::fs::read(path).map_err(|error| DataError::of_file(&name, error))?;
    from_bytes(&name, &bytes)
}

/// Reads an array from memory; errors call it `name`.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Array, DataError> {
    parse(bytes).map_err(|problem| DataError::of_file(name, problem))
}

fn parse(bytes: &[u8]) -> Result<Array, ArrayProblem> {
    let (header, data) = Header::read(bytes)?;
    let Header { order, element, fortran, shape } = header;
    let size = match element.as_str() {
        "f8" | "i8" => 8,
        "f4" | "i4" => 4,
        "u1" | "b1" => 1,
        _ => {
            let found = element.chars().take(40).filter(|c| !c.is_control()).collect();
            return Err(ArrayProblem::ElementType { found, known: KNOWN });
        }
    };
    if count(&shape).and_then(|count| count.checked_mul(size)) != Some(data.len()) {
        return Err(ArrayProblem::Size { shape, bytes: data.len() });
    }
    let elements = match element.as_str() {
        "f4" => Elements::F32(decode(data, order, f32::from_le_bytes)),
        "f8" => Elements::F64(decode(data, order, f64::from_le_bytes)),
        "i4" => Elements::I32(decode(data, order, i32::from_le_bytes)),
        "i8" => Elements::I64(decode(data, order, i64::from_le_bytes)),
        "b1" => Elements::Bool(data.iter().map(|&byte| byte != 0).collect()),
        _ => Elements::U8(data.to_vec()),
    };
    let elements = if fortran { elements.into_row_major(&shape) } else { elements };
    Ok(Array { shape, elements })
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
