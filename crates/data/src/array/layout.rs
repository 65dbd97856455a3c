//! Layout: what the header of a file of one array says, and how its bytes become elements.

use super::elements::{ByteOrder, decode};
use super::{ArrayProblem, Elements, count};
use crate::error::Problem;
use std::io::Read;

/// The longest header there is; more is damage.
const LONGEST: usize = 1 << 20;

/// How a file holds its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) shape: Vec<usize>,
    pub(super) number: Number,
    pub(super) order: ByteOrder,
    /// Whether the first axis is contiguous, not the last.
    pub(super) fortran: bool,
}

/// The types of elements in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    Bool,
}

impl Number {
    /// Bytes of one.
    pub(super) fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 | Number::Bool => 1,
            Number::I16 => 2,
            Number::F32 | Number::I32 => 4,
            Number::F64 | Number::I64 => 8,
        }
    }
}

impl Layout {
    /// Bytes of all elements of a shape; none if they are too many to count.
    pub(super) fn bytes(&self, shape: &[usize]) -> Option<usize> {
        count(shape)?.checked_mul(self.number.bytes())
    }

    /// The elements of some bytes, in the order of the file.
    pub(super) fn elements(&self, data: &[u8]) -> Elements {
        let order = self.order;
        match self.number {
            Number::F32 => Elements::F32(decode(data, order, f32::from_le_bytes)),
            Number::F64 => Elements::F64(decode(data, order, f64::from_le_bytes)),
            Number::I8 => Elements::I32(data.iter().map(|&b| i32::from(b as i8)).collect()),
            Number::I16 => Elements::I32(decode(data, order, |b| i32::from(i16::from_le_bytes(b)))),
            Number::I32 => Elements::I32(decode(data, order, i32::from_le_bytes)),
            Number::I64 => Elements::I64(decode(data, order, i64::from_le_bytes)),
            Number::U8 => Elements::U8(data.to_vec()),
            Number::Bool => Elements::Bool(data.iter().map(|&byte| byte != 0).collect()),
        }
    }

    /// The elements of all bytes of the file, in row-major order.
    pub(super) fn whole(&self, data: &[u8]) -> Result<Elements, ArrayProblem> {
        if self.bytes(&self.shape) != Some(data.len()) {
            return Err(self.wrong_size(data.len()));
        }
        let elements = self.elements(data);
        Ok(if self.fortran { elements.into_row_major(&self.shape) } else { elements })
    }

    /// The error that the file holds so many bytes of elements.
    pub(super) fn wrong_size(&self, bytes: usize) -> ArrayProblem {
        ArrayProblem::Size { shape: self.shape.clone(), bytes }
    }
}

/// The next `count` bytes of a header.
pub(super) fn header_bytes(input: &mut dyn Read, count: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    if count <= LONGEST {
        input.take(count as u64).read_to_end(&mut bytes)?;
    }
    match bytes.len() == count {
        true => Ok(bytes),
        false => Err(ArrayProblem::Header { reason: "it is cut off" }.into()),
    }
}
