//! The page of each model lists its settings, all of them, with the defaults they have.

use serde_json::{Map, Value};
use whimbrel_forecast::models::Network;

/// The table of settings of a page: names and defaults.
fn settings(page: &str) -> Map<String, Value> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let default = serde_json::from_str(cells[2]);
        (cells[1].into(), default.unwrap_or_else(|error| panic!("{row}: {error}")))
    })
    .collect()
}

#[test]
fn pages_list_every_setting_with_its_default() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/forecast/models");
    let table = std::fs::read_to_string(format!("{folder}/README.md")).unwrap();
    for name in Network::NAMES {
        let file = format!("{}.md", name.to_lowercase());
        assert!(table.contains(&format!("[`{name}`]({file})")), "{name} is not in the table");
        let page = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        assert!(page.starts_with(&format!("# {name}\n")), "{file}");
        let network = serde_json::to_value(Network::named(name).unwrap()).unwrap();
        let mut expected = network.as_object().unwrap().clone();
        expected.remove("type");
        assert_eq!(settings(&page), expected, "{file}");
    }
}
