//! The page on network files lists every layer, loss, optimiser and schedule, with all settings and their defaults, as
//! the schema has them.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use whimbrel_nn::file::schema;

/// The rows of the table under a heading of the page, by their first cell.
fn rows(heading: &str) -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/networks.md");
    let page = fs::read_to_string(path).unwrap();
    let section = page.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix('|'));
    let cells = cells.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect());
    let rows = cells.map(|cells: Vec<String>| (cells[0].trim_matches('`').to_owned(), cells));
    rows.filter(|(name, _)| name != "type").collect()
}

/// The settings in a cell: their names, and the defaults where they are told.
fn settings(cell: &str) -> BTreeMap<String, Option<Value>> {
    // What stands in brackets explains.
    let parts = cell.split('(').map(|part| part.split_once(')').map_or(part, |(_, after)| after));
    let plain: String = parts.collect();
    let spans = plain.split('`').skip(1).step_by(2);
    let setting = |span: &str| match span.split_once(" = ") {
        Some((name, _)) => {
            let table: Value = toml::from_str(span).unwrap();
            (name.to_owned(), Some(table[name].clone()))
        }
        None => (span.to_owned(), None),
    };
    spans.map(setting).collect()
}

/// The types of an enum of the schema, each with the defaults of its settings.
fn types(name: &str) -> BTreeMap<String, BTreeMap<String, Option<Value>>> {
    let schema = schema();
    let resolve = |variant: &Value| {
        let mut properties = variant["properties"].as_object().cloned().unwrap_or_default();
        let references = variant["allOf"].as_array().cloned().unwrap_or_default();
        for reference in references.iter().chain([variant]).filter_map(|part| part["$ref"].as_str())
        {
            let part = schema.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        }
        let kind = properties.remove("type").unwrap()["const"].as_str().unwrap().to_owned();
        let default = |setting: &Value| setting.get("default").filter(|d| !d.is_null()).cloned();
        let fields = properties.iter().map(|(name, setting)| (name.clone(), default(setting)));
        (kind, fields.collect())
    };
    schema["definitions"][name]["oneOf"].as_array().unwrap().iter().map(resolve).collect()
}

/// Whether two values are the same as far as single precision tells, whole numbers and others alike.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs(),
            _ => a == b,
        },
    }
}

#[test]
fn every_type_is_listed_with_its_settings_and_defaults() {
    let tables = [
        ("Layers", "Layer"),
        ("Losses", "Loss"),
        ("Optimisers", "Rule"),
        ("Schedules", "Schedule"),
    ];
    for (heading, name) in tables {
        let (rows, types) = (rows(heading), types(name));
        let [listed, known] = [rows.keys().collect::<Vec<_>>(), types.keys().collect()];
        assert_eq!(listed, known, "{heading} of docs/networks.md and those of the schema");
        for (kind, fields) in &types {
            let row = &rows[kind];
            assert!(row.len() == 4 && !row[1].is_empty(), "{kind}: {row:?}");
            let told = settings(&row[2]);
            let [listed, known] = [told.keys().collect::<Vec<_>>(), fields.keys().collect()];
            assert_eq!(listed, known, "the settings of {kind} in docs/networks.md");
            for (field, default) in fields {
                let fits = match (&told[field], default) {
                    (Some(told), Some(default)) => same(told, default),
                    (None, None) => true,
                    _ => false,
                };
                assert!(
                    fits,
                    "{kind}: {field}: {:?} in docs/networks.md, {default:?}",
                    told[field]
                );
            }
        }
    }
}
