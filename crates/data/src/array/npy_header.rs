//! The header of a `.npy` file: a Python dictionary with three entries, as NumPy writes it.
//!
//! `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`

use super::ArrayProblem;
use super::elements::ByteOrder;
use super::layout::{Layout, Number, header_bytes};
use crate::error::Problem;
use std::io::Read;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

const KNOWN: &str = "f4, f8, i4, i8, u1, b1 with NumPy's astype";

/// Reads the header of a file; the elements follow it.
pub(super) fn read_header(input: &mut dyn Read) -> Result<Layout, Problem> {
    let mut magic = Vec::new();
    input.take(MAGIC.len() as u64).read_to_end(&mut magic)?;
    if magic != MAGIC {
        let (format, remedy) = ("a NumPy file", "save it with numpy.save");
        return Err(ArrayProblem::NotThis { format, remedy }.into());
    }
    let digits = match header_bytes(input, 2)?[0] {
        1 => 2,
        2 | 3 => 4,
        _ => {
            return Err(ArrayProblem::Header { reason: "its version is not 1, 2 or 3" }.into());
        }
    };
    let length = header_bytes(input, digits)?;
    let length = length.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
    let text = String::from_utf8(header_bytes(input, length)?)
        .map_err(|_| ArrayProblem::Header { reason: "it is not text" })?;
    Ok(parse(&text)?)
}

fn parse(text: &str) -> Result<Layout, ArrayProblem> {
    let entry = |name: &str, reason| {
        let found = text.split_once(name).map(|(_, rest)| rest.trim_start());
        found.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start).ok_or(reason)
    };
    let reason = |reason| ArrayProblem::Header { reason };
    let descr = entry("'descr'", reason("'descr' is missing"))?;
    let descr = quoted(descr)
        .ok_or_else(|| ArrayProblem::ElementType { found: shown(descr), known: KNOWN })?;
    let fortran = entry("'fortran_order'", reason("'fortran_order' is missing"))?;
    let fortran = match fortran {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => return Err(reason("'fortran_order' is neither True nor False")),
    };
    let shape = entry("'shape'", reason("'shape' is missing"))?;
    let shape = shape_of(shape).ok_or(reason("'shape' is not a tuple of sizes"))?;
    let (order, element) = match descr.split_at_checked(1) {
        Some((">", element)) => (ByteOrder::Big, element),
        Some(("<" | "=" | "|", element)) => (ByteOrder::Little, element),
        _ => (ByteOrder::Little, descr),
    };
    let number = match element {
        "f4" => Number::F32,
        "f8" => Number::F64,
        "i4" => Number::I32,
        "i8" => Number::I64,
        "u1" => Number::U8,
        "b1" => Number::Bool,
        _ => return Err(ArrayProblem::ElementType { found: shown(element), known: KNOWN }),
    };
    Ok(Layout { shape, number, order, fortran })
}

/// The beginning of a text from a file, to be shown.
fn shown(text: &str) -> String {
    text.chars().take(40).filter(|c| !c.is_control()).collect()
}

/// The text between quotes at the beginning.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.split_once('\'').map(|(inside, _)| inside)
}

/// The sizes of `(3, 4)`, `(3,)` or `()`.
fn shape_of(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let inside = inside.trim();
    let inside = inside.strip_suffix(',').unwrap_or(inside);
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|size| size.trim().parse().ok()).collect()
}
