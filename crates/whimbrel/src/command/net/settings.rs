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
    let mut line = |name: &str, value: &Value| text += &format!("{name:<16}{}\n", inline(value));
    if let Some(Value::Array(layers)) = settings.remove("network").map(|mut n| n["layers"].take()) {
        let numbered = layers.iter().enumerate();
        numbered.for_each(|(number, layer)| line(&format!("layer {number}"), layer));
    }
    if let Some(Value::Object(mut optimiser)) = settings.remove("optimiser") {
        settings.extend(optimiser.remove("rule").map(|rule| ("optimiser".into(), rule)));
        settings.extend(optimiser);
    }
    settings.iter().filter(|(_, value)| is_set(value)).for_each(|(name, value)| line(name, value));
    text
}

fn is_set(value: &Value) -> bool {
    !value.is_null() && !value.as_array().is_some_and(Vec::is_empty)
}

/// A value on one line; of a table the type comes first.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => table(fields),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(nested).collect();
            format!("[{}]", values.join(", "))
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => plain(number),
        other => other.to_string(),
    }
}

fn table(fields: &Map<String, Value>) -> String {
    let kind = fields.get("type").map(inline);
    let others = fields.iter().filter(|(name, value)| *name != "type" && is_set(value));
    let others = others.map(|(name, value)| format!("{name} = {}", nested(value)));
    kind.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// A number as it was written: many settings are f32, which JSON shows with the digits of an f64.
fn plain(number: &Number) -> String {
    let narrow = number.as_f64().map(|wide| (wide, wide as f32));
    match narrow.filter(|(wide, narrow)| f64::from(*narrow) == *wide) {
        Some((_, narrow)) if number.is_f64() => narrow.to_string(),
        _ => number.to_string(),
    }
}

/// A value within another.
fn nested(value: &Value) -> String {
    match value {
        Value::Object(fields) => format!("{{ {} }}", table(fields)),
        other => inline(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_like_a_network_file() {
        let value = json!({ "lr": 0.003, "type": "adamw", "betas": [0.9, 0.999], "clip": null });
        assert_eq!(inline(&value), "adamw, betas = [0.9, 0.999], lr = 0.003");
        let layers = json!({ "type": "residual", "layers": [{ "type": "relu" }] });
        assert_eq!(inline(&layers), "residual, layers = [{ relu }]");
        assert_eq!(inline(&json!({ "epochs": 5 })), "epochs = 5");
        assert_eq!(inline(&json!([0.3f32, 1e-8, 0.999])), "[0.3, 1e-8, 0.999]");
    }
}
