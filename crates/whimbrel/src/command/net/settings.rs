//! The settings of a training as lines of text, in the words of network files.

use serde_json::{Map, Number, Value};
use whimbrel::nn::trainer::Trainer;

/// A line for each layer and each setting.
pub fn describe(trainer: &Trainer) -> String {
    // Settings are plain structs, numbers and names, which JSON can hold.
    let Ok(Value::Object(mut settings)) = serde_json::to_value(trainer) else {
        return String::new();
    };
    let mut text = String::new();
    if let Some(Value::Array(layers)) = settings.remove("network").map(|mut n| n["layers"].take()) {
        for (number, layer) in layers.iter().enumerate() {
            text += &format!("layer {number:<10}");
            inline(layer, &mut text);
            text.push('\n');
        }
    }
    if let Some(Value::Object(mut optimiser)) = settings.remove("optimiser") {
        settings.extend(optimiser.remove("rule").map(|rule| ("optimiser".into(), rule)));
        settings.extend(optimiser);
    }
    for (name, value) in settings.iter().filter(|(_, value)| is_set(value)) {
        text += &format!("{name:<16}");
        inline(value, &mut text);
        text.push('\n');
    }
    text
}

fn is_set(value: &Value) -> bool {
    !value.is_null() && !value.as_array().is_some_and(Vec::is_empty)
}

/// Adds a value to a line; of a table the type comes first.
fn inline(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => table(fields, text),
        Value::Array(values) => {
            text.push('[');
            for (number, value) in values.iter().enumerate() {
                *text += if number > 0 { ", " } else { "" };
                nested(value, text);
            }
            text.push(']');
        }
        Value::String(name) => *text += name,
        Value::Number(number) => *text += &plain(number),
        other => *text += &other.to_string(),
    }
}

fn table(fields: &Map<String, Value>, text: &mut String) {
    let mut first = true;
    let mut next = |text: &mut String| {
        *text += if first { "" } else { ", " };
        first = false;
    };
    if let Some(kind) = fields.get("type") {
        next(text);
        inline(kind, text);
    }
    for (name, value) in fields.iter().filter(|(name, value)| *name != "type" && is_set(value)) {
        next(text);
        *text += name;
        *text += " = ";
        nested(value, text);
    }
}

/// A number as it was written: many settings are f32, which JSON shows with the digits of an f64.
fn plain(number: &Number) -> String {
    let narrow = number.as_f64().map(|wide| (wide, wide as f32));
    match narrow.filter(|(wide, narrow)| f64::from(*narrow) == *wide) {
        Some((_, narrow)) if number.is_f64() => narrow.to_string(),
        _ => number.to_string(),
    }
}

/// Adds a value within another.
fn nested(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            *text += "{ ";
            table(fields, text);
            *text += " }";
        }
        other => inline(other, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_like_a_network_file() {
        let inline = |value: &Value| {
            let mut text = String::new();
            inline(value, &mut text);
            text
        };
        let value = json!({ "lr": 0.003, "type": "adamw", "betas": [0.9, 0.999], "clip": null });
        assert_eq!(inline(&value), "adamw, betas = [0.9, 0.999], lr = 0.003");
        let layers = json!({ "type": "residual", "layers": [{ "type": "relu" }] });
        assert_eq!(inline(&layers), "residual, layers = [{ relu }]");
        assert_eq!(inline(&json!({ "epochs": 5 })), "epochs = 5");
        assert_eq!(inline(&json!([0.3f32, 1e-8, 0.999])), "[0.3, 1e-8, 0.999]");
    }
}
