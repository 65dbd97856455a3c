//! The closed set of element types, and their bytes.

use super::to_row_major;

/// Elements of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Signed 32-bit integers.
    I32(Vec<i32>),
    /// Signed 64-bit integers.
    I64(Vec<i64>),
    /// Bytes.
    U8(Vec<u8>),
    /// True or false.
    Bool(Vec<bool>),
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Numbers of `N` bytes each; what is left over is dropped.
pub(super) fn decode<T, const N: usize>(
    bytes: &[u8],
    order: ByteOrder,
    read: fn([u8; N]) -> T,
) -> Vec<T> {
    let (numbers, _) = bytes.as_chunks::<N>();
    let turned = |&number: &[u8; N]| {
        let mut number = number;
        number.reverse();
        read(number)
    };
    match order {
        ByteOrder::Little => numbers.iter().map(|&number| read(number)).collect(),
        ByteOrder::Big => numbers.iter().map(turned).collect(),
    }
}

impl Elements {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Elements::F32(values) => values.len(),
            Elements::F64(values) => values.len(),
            Elements::I32(values) => values.len(),
            Elements::I64(values) => values.len(),
            Elements::U8(values) => values.len(),
            Elements::Bool(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in single precision, true as 1 and false as 0.
    pub fn to_f32(&self) -> Vec<f32> {
        match self {
            Elements::F32(values) => values.clone(),
            Elements::F64(values) => values.iter().map(|&value| value as f32).collect(),
            Elements::I32(values) => values.iter().map(|&value| value as f32).collect(),
            Elements::I64(values) => values.iter().map(|&value| value as f32).collect(),
            Elements::U8(values) => values.iter().map(|&value| f32::from(value)).collect(),
            Elements::Bool(values) => values.iter().map(|&value| f32::from(value)).collect(),
        }
    }

    /// The bytes, lowest first in each number.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Elements::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Elements::F64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Elements::I32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Elements::I64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Elements::U8(values) => values.clone(),
            Elements::Bool(values) => values.iter().map(|&value| u8::from(value)).collect(),
        }
    }

    /// The elements of an array of this shape whose first axis is contiguous, in row-major order.
    pub(super) fn into_row_major(self, shape: &[usize]) -> Elements {
        match self {
            Elements::F32(values) => Elements::F32(to_row_major(&values, shape)),
            Elements::F64(values) => Elements::F64(to_row_major(&values, shape)),
            Elements::I32(values) => Elements::I32(to_row_major(&values, shape)),
            Elements::I64(values) => Elements::I64(to_row_major(&values, shape)),
            Elements::U8(values) => Elements::U8(to_row_major(&values, shape)),
            Elements::Bool(values) => Elements::Bool(to_row_major(&values, shape)),
        }
    }
}
