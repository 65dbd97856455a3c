//! The size of batches: a number, or what is fast on the machine.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The size of batches; in a file a number, or `"auto"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// So many rows.
    Rows(usize),
    /// What is fast on the machine, found by measuring.
    Auto,
}

impl BatchSize {
    /// The size unless given.
    pub const USUAL: usize = 32;

    /// The number of rows, where it is given.
    pub fn rows(self) -> Option<usize> {
        match self {
            BatchSize::Rows(rows) => Some(rows),
            BatchSize::Auto => None,
        }
    }
}

impl Default for BatchSize {
    fn default() -> BatchSize {
        BatchSize::Rows(BatchSize::USUAL)
    }
}

impl FromStr for BatchSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<BatchSize, &'static str> {
        match text.parse() {
            Ok(rows) if rows > 0 => Ok(BatchSize::Rows(rows)),
            _ if text == "auto" => Ok(BatchSize::Auto),
            _ => Err("must be a number of rows from 1 on, or auto"),
        }
    }
}

impl JsonSchema for BatchSize {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BatchSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "auto" }] })
    }
}

impl<'de> Deserialize<'de> for BatchSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BatchSize, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = BatchSize;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number of rows, or \"auto\"")
            }

            fn visit_i64<E: Error>(self, rows: i64) -> Result<BatchSize, E> {
                let rows = usize::try_from(rows);
                rows.map(BatchSize::Rows).map_err(|_| E::custom("batch_size must be at least 1"))
            }

            fn visit_u64<E: Error>(self, rows: u64) -> Result<BatchSize, E> {
                Ok(BatchSize::Rows(usize::try_from(rows).unwrap_or(usize::MAX)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<BatchSize, E> {
                match text {
                    "auto" => Ok(BatchSize::Auto),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Either)
    }
}
