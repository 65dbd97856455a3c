//! The closed set of things a column of a table can hold.

use std::fmt;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 64 bits.
    Integer,
    /// Finite numbers in double precision.
    Float,
    /// Dates with or without a time of day, without a zone; see [`time`](crate::time).
    Time,
    /// Anything, in UTF-8.
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Kind::Integer => "a whole number",
            Kind::Float => "a number",
            Kind::Time => "a time",
            Kind::Text => "text",
        })
    }
}
