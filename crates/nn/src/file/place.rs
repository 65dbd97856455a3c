//! Places in a network file: where a value stands that is known by the way to it.

use super::line::Lines;
use super::{FileError, NetworkFile};
use crate::NnError;
use crate::trainer::TrainError;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Fields whose elements are layers, which are called by their numbers alone.
const OF_LAYERS: [&str; 2] = ["layers", "branches"];

impl NetworkFile {
    /// Puts an error in its place in the file, where it is about something that stands there.
    pub fn place(&self, error: &TrainError) -> FileError {
        let way = match error {
            TrainError::Setting { field, .. } => Some(way_to(field)),
            TrainError::Network(error) => self.way_of(error),
            _ => None,
        };
        let line = way.and_then(|way| self.nearest_line(&way));
        FileError { file: self.path.clone(), line, problem: error.to_string() }
    }

    /// The line of the value that keys and numbers, joined by points, lead to, such as
    /// `training.clip.norm`; none where it is not written.
    pub fn line(&self, way: &str) -> Option<usize> {
        let (span, exact) = find(&self.text, way)?;
        exact.then(|| Lines(&self.text).at(span.start))
    }

    /// The same; where it is not written, of the nearest table around it.
    pub(super) fn nearest_line(&self, way: &str) -> Option<usize> {
        find(&self.text, way).map(|(span, _)| Lines(&self.text).at(span.start))
    }

    /// The way to what a network, a loss or an optimiser complains of.
    fn way_of(&self, error: &NnError) -> Option<String> {
        let (kind, name) = error.place()?.split_once(' ')?;
        let name = name.trim_matches('"');
        let numbered = |table: &str, number: Option<usize>| {
            number.map_or(table.into(), |number| format!("{table}.{number}"))
        };
        let table = match (kind, name) {
            ("layer", _) => {
                format!("network.layers.{}", name.split(' ').next().unwrap_or_default())
            }
            ("init", _) => {
                let rule = self.init.iter().position(|rule| rule.parameters == name);
                numbered("network.init", rule) + ".with"
            }
            ("group", _) => {
                let group = self.training.groups.iter().position(|g| g.parameters == name);
                numbered("training.groups", group)
            }
            ("optimiser", "clip" | "ema") => format!("training.{name}"),
            _ => format!("training.{kind}"),
        };
        Some(match error.field() {
            // It stands beside `with`.
            Some("parameters") if kind == "init" => table.replace(".with", ".parameters"),
            Some(field) => format!("{table}.{field}"),
            None => table,
        })
    }
}

/// The way to a setting of a training.
fn way_to(field: &str) -> String {
    let table = match field {
        "validation" | "missing" | "shuffle_rows" => "data",
        "min_delta" => "training.early_stopping",
        "every" | "keep" => "training.checkpoints",
        _ => "training",
    };
    format!("{table}.{field}")
}

/// The bytes of the value that `way` leads to, and true; or of the nearest one around it that is written,
/// and false. A step is a key, or the number of an element; a layer within a layer needs no key:
/// `network.layers.2.0`.
fn find(text: &str, way: &str) -> Option<(Range<usize>, bool)> {
    let document = DeTable::parse(text).ok()?;
    let mut table = Some(document.get_ref());
    let (mut value, mut span): (Option<&DeValue>, _) = (None, None);
    for step in way.split('.') {
        let named = |key: &str| table?.iter().find(|(known, _)| known.get_ref() == key);
        let layers = || OF_LAYERS.into_iter().find_map(|key| named(key)?.1.get_ref().as_array());
        let element = || {
            let elements = value.and_then(DeValue::as_array).or_else(layers)?;
            elements.get(step.parse::<usize>().ok()?)
        };
        let found = match named(step) {
            Some((key, value)) => Some((key.span(), value)),
            None => element().map(|value| (value.span(), value)),
        };
        let Some((place, next)) = found else { return span.map(|span| (span, false)) };
        (span, value, table) = (Some(place), Some(next.get_ref()), next.get_ref().as_table());
    }
    span.map(|span| (span, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_however_they_are_written() {
        let text = "[data]\nfile = \"a\"\n[[network.layers]]\ntype = \"relu\"\n[[network.layers]]\n\
                    branches = [\n  [],\n  [{ layers = [\n    { p = 1 }] }]]\n[training]\n\
                    \"loss\".type = 'x' # epochs = 3\nclip.norm = 1\n[training.checkpoints]\nkeep = 0\n";
        let line = |way: &str| find(text, way).map(|(span, _)| Lines(text).at(span.start));
        for (way, expected) in [
            ("data.file", Some(2)),
            ("data.validation", Some(1)),
            ("network.layers.0.type", Some(4)),
            ("network.layers.1.1.0.0.p", Some(9)),
            ("network.layers.1.1.0.1", Some(8)),
            ("network.layers.7", Some(3)),
            ("training.loss.type", Some(11)),
            ("training.epochs", Some(10)),
            ("training.clip.norm", Some(12)),
            ("training.checkpoints.keep", Some(14)),
            ("nothing", None),
        ] {
            assert_eq!(line(way), expected, "{way}");
        }
        assert_eq!(find(text, "training.clip").map(|(_, exact)| exact), Some(true));
        assert_eq!(find(text, "training.epochs").map(|(_, exact)| exact), Some(false));
    }
}
