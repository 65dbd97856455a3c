//! The schema of network files, generated from the types they are read into: what an editor needs to
//! complete and check a file while it is written.

use super::Content;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The JSON schema (draft 7, which editors of TOML know) of a network file.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<Content>().to_value();
    schema["title"] = "Whimbrel network file".into();
    close(&mut schema);
    schema
}

/// Types without settings are generated as tables of any fields; files refuse all but `type`.
fn close(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(close),
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            let only_type = properties.is_some_and(|p| p.len() == 1 && p.contains_key("type"));
            if only_type {
                fields.insert("additionalProperties".into(), json!(false));
            }
            fields.values_mut().for_each(close);
        }
        _ => {}
    }
}
