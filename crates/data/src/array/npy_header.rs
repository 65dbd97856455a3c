//! The header of a `.npy` file: a Python dictionary with three entries, as NumPy writes it.
//!
//! `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`

use super::ArrayProblem;
use super::elements::ByteOrder;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) order: ByteOrder,
    /// The type without its byte order: `f4`.
    pub(super) element: String,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Reads the header of a file; gives what follows it too.
    pub(super) fn read(bytes: &[u8]) -> Result<(Header, &[u8]), ArrayProblem> {
        let cut = ArrayProblem::Header { reason: "it is cut off" };
        let rest = bytes.strip_prefix(MAGIC).ok_or(ArrayProblem::NotThis {
            format: "a NumPy file",
            remedy: "save it with numpy.save",
        })?;
        let (length, rest) = match rest {
            &[1, _, low, high, ref rest @ ..] => {
                (usize::from(u16::from_le_bytes([low, high])), rest)
            }
            &[2 | 3, _, a, b, c, d, ref rest @ ..] => {
                (u32::from_le_bytes([a, b, c, d]) as usize, rest)
            }
            [1..=3, ..] => return Err(cut),
            _ => return Err(ArrayProblem::Header { reason: "its version is not 1, 2 or 3" }),
        };
        let (text, data) = rest.split_at_checked(length).ok_or(cut)?;
        let text = std::str::from_utf8(text)
            .map_err(|_| ArrayProblem::Header { reason: "it is not text" })?;
        Ok((Header::parse(text)?, data))
    }

    fn parse(text: &str) -> Result<Header, ArrayProblem> {
        let entry = |name: &str, reason| {
            let found = text.split_once(name).map(|(_, rest)| rest.trim_start());
            found.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start).ok_or(reason)
        };
        let reason = |reason| ArrayProblem::Header { reason };
        let descr = entry("'descr'", reason("'descr' is missing"))?;
        let descr = quoted(descr).ok_or_else(|| ArrayProblem::ElementType {
            found: descr.chars().take(40).filter(|c| !c.is_control()).collect(),
            known: super::npy::KNOWN,
        })?;
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
        Ok(Header { order, element: element.into(), fortran, shape })
    }
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
