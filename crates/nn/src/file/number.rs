//! Numbers that no layer has: refused before anything is made of them.

use crate::layers::Layer;
use serde_json::Value;

/// The largest size a layer may be given: products of three still count bytes in 64 bits.
pub(super) const LARGEST: u64 = 1 << 20;

/// The first whole number of a layer's settings that is too large.
pub(super) fn too_large(layer: &Layer) -> Option<u64> {
    // Settings are plain structs, numbers and names, which JSON can hold.
    find(&serde_json::to_value(layer).unwrap_or_default())
}

/// The first setting of a layer that is infinite or no number, and what it is called.
pub(super) fn not_finite(value: &toml::Value) -> Option<(&str, f64)> {
    match value {
        toml::Value::Array(values) => values.iter().find_map(not_finite),
        toml::Value::Table(fields) => fields.iter().find_map(|(field, value)| match value {
            toml::Value::Float(x) => (!x.is_finite()).then_some((field.as_str(), *x)),
            value => not_finite(value),
        }),
        _ => None,
    }
}

fn find(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().filter(|&number| number > LARGEST),
        Value::Array(values) => values.iter().find_map(find),
        Value::Object(fields) => fields.values().find_map(find),
        _ => None,
    }
}
