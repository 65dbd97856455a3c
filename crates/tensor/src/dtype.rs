//! The closed set of element types a tensor can hold.
//!
//! F32, F64, I32, I64 and Bool are computed with; BF16, F16 and I8 are storage types, read from and
//! written to files. Names follow the safetensors format.

use std::fmt;
use std::str::FromStr;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// One byte, 0 or 1.
    Bool,
    /// The upper half of an F32: 8 bits of exponent, 7 of mantissa.
    BF16,
    /// IEEE 754 half precision.
    F16,
    /// Signed 8-bit integer.
    I8,
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: [DType; 8] = [
        DType::F32,
        DType::F64,
        DType::I32,
        DType::I64,
        DType::Bool,
        DType::BF16,
        DType::F16,
        DType::I8,
    ];

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            DType::F64 | DType::I64 => 8,
            DType::F32 | DType::I32 => 4,
            DType::BF16 | DType::F16 => 2,
            DType::Bool | DType::I8 => 1,
        }
    }

    /// The name safetensors files use: `"F32"`, `"BOOL"`, `"BF16"`, ...
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "F32",
            DType::F64 => "F64",
            DType::I32 => "I32",
            DType::I64 => "I64",
            DType::Bool => "BOOL",
            DType::BF16 => "BF16",
            DType::F16 => "F16",
            DType::I8 => "I8",
        }
    }

    /// Whether elements are floating point numbers.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64 | DType::BF16 | DType::F16)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no element type of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown element type \"{name}\"")]
pub struct UnknownDType {
    /// The name that was read.
    pub name: String,
}

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        DType::ALL
            .into_iter()
            .find(|dtype| dtype.name() == name)
            .ok_or_else(|| UnknownDType { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for dtype in DType::ALL {
            assert_eq!(dtype.to_string().parse(), Ok(dtype));
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        let error = "F8_E4M3".parse::<DType>().unwrap_err();
        assert_eq!(error.to_string(), "unknown element type \"F8_E4M3\"");
        assert!("f32".parse::<DType>().is_err(), "names are case sensitive, as in safetensors");
    }
}
