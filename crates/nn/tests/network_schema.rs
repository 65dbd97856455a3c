//! The schema of network files agrees with the files: it accepts the examples, and refuses what the
//! reader refuses.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use whimbrel_nn::file::schema;

/// Whether a value is as a schema says. Knows the words our schema is made of, and no others.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(words) = schema.as_object() else { return schema == &json!(true) };
    words.iter().all(|(word, rule)| match word.as_str() {
        "$ref" => {
            let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
            fits(root, root.pointer(path).unwrap(), value)
        }
        "type" => match rule {
            Value::Array(kinds) => kinds.iter().any(|kind| is(value, kind)),
            kind => is(value, kind),
        },
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "allOf" => rule.as_array().unwrap().iter().all(|part| fits(root, part, value)),
        "anyOf" => rule.as_array().unwrap().iter().any(|part| fits(root, part, value)),
        "oneOf" => {
            rule.as_array().unwrap().iter().filter(|part| fits(root, part, value)).count() == 1
        }
        "required" => match value {
            Value::Object(fields) => rule
                .as_array()
                .unwrap()
                .iter()
                .all(|name| fields.contains_key(name.as_str().unwrap())),
            _ => true,
        },
        "properties" => {
            match value {
                Value::Object(fields) => rule.as_object().unwrap().iter().all(|(name, rule)| {
                    fields.get(name).is_none_or(|value| fits(root, rule, value))
                }),
                _ => true,
            }
        }
        "additionalProperties" => match value {
            Value::Object(fields) => {
                assert_eq!(rule, false);
                fields.keys().all(|name| words["properties"].get(name).is_some())
            }
            _ => true,
        },
        "items" => match (value, rule) {
            (Value::Array(values), Value::Array(rules)) => {
                values.iter().zip(rules).all(|(value, rule)| fits(root, rule, value))
            }
            (Value::Array(values), rule) => values.iter().all(|value| fits(root, rule, value)),
            _ => true,
        },
        "minItems" => value.as_array().is_none_or(|v| v.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|v| v.len() as u64 <= rule.as_u64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "$schema" | "$defs" | "definitions" | "title" | "description" | "default" | "format" => {
            true
        }
        word => panic!("the schema says {word:?}, which this test does not know"),
    })
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "null" => value.is_null(),
        kind => panic!("the schema has a type {kind:?}, which this test does not know"),
    }
}

fn accepted(file: &Value) -> bool {
    let schema = schema();
    fits(&schema, &schema, file)
}

/// The examples by name.
fn examples() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let toml = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    toml.map(|path| {
        let value: Value = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        (path.display().to_string(), value)
    })
    .collect()
}

#[test]
fn the_examples_are_accepted() {
    let examples = examples();
    assert!(examples.len() >= 2);
    for (name, file) in examples {
        assert!(accepted(&file), "{name}");
    }
}

#[test]
fn unknown_fields_are_refused_wherever_they_stand() {
    let (_, good) = examples().into_iter().find(|(name, _)| name.ends_with("digits.toml")).unwrap();
    let places = [
        "",
        "/data",
        "/network",
        "/network/layers/0",
        "/network/layers/1",
        "/network/layers/2",
        "/training",
        "/training/loss",
        "/training/optimiser",
        "/training/schedule",
    ];
    for place in places {
        let mut file = good.clone();
        file.pointer_mut(place).unwrap()["surprise"] = json!(1);
        assert!(!accepted(&file), "{place:?}");
    }
}

#[test]
fn mistakes_in_values_are_refused() {
    let (_, good) = examples().into_iter().find(|(name, _)| name.ends_with("digits.toml")).unwrap();
    let mistakes = [
        ("/network/layers/1/type", json!("linnear")),
        ("/network/layers/1/out_features", json!("256")),
        ("/network/layers/1/out_features", json!(-1)),
        ("/training/optimiser/type", json!("adamx")),
        ("/training/optimiser", json!({ "lr": 0.1 })),
        ("/training/batch_size", json!(1.5)),
        ("/training/schedule", json!({ "type": "plateau", "mode": "max" })),
        ("/training/metrics", json!("f1")),
        ("/training/metrics", json!(["f2"])),
        ("/data/file", json!(1)),
    ];
    for (place, mistake) in mistakes {
        let mut file = good.clone();
        let (table, field) = place.rsplit_once('/').unwrap();
        match file.pointer_mut(place) {
            Some(value) => *value = mistake,
            None => file.pointer_mut(table).unwrap()[field] = mistake,
        }
        assert!(!accepted(&file), "{place}");
    }
}

#[test]
fn settings_beyond_the_examples_are_accepted() {
    let (_, mut file) =
        examples().into_iter().find(|(name, _)| name.ends_with("digits.toml")).unwrap();
    file["training"]["groups"] = json!([{ "parameters": "*.bias", "weight_decay": 0.0 }]);
    file["training"]["clip"] = json!({ "norm": 1.0 });
    file["training"]["ema"] = json!({ "decay": 0.99 });
    file["training"]["early_stopping"] = json!({ "patience": 3 });
    file["training"]["metrics"] = json!(["f1", "top_3_accuracy", "r2"]);
    file["training"]["checkpoints"] = json!({ "folder": "runs/1", "every": 10 });
    file["training"]["schedule"] = json!({ "type": "warm_up", "warmup_steps": 9, "decay": { "type": "plateau", "mode": "min" } });
    file["network"]["layers"] = json!([
        { "type": "reshape", "shape": [8, 8] },
        { "type": "conv1d", "out_channels": 4, "kernel_size": 3, "padding": "same" },
        { "type": "residual", "layers": [{ "type": "conv1d", "out_channels": 4, "kernel_size": 1, "padding": 0 }] },
        { "type": "parallel", "branches": [[{ "type": "last_step" }], []], "merge": "sum" },
    ]);
    assert!(accepted(&file));
}
