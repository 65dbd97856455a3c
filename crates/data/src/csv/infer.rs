//! What a column holds, told from its fields.
//!
//! Each field widens the guess as little as it must: whole numbers become numbers, everything else
//! that does not agree becomes text. The order of the fields does not matter.

use super::builder::is_missing;
use super::cursor::{Cursor, End, Field};
use super::layout::{Layout, Slot};
use super::number;
use super::request::Want;
use crate::kind::Kind;
use crate::time;

/// What the fields seen so far have in common; none before the first that has a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guess(Option<Kind>);

impl Guess {
    /// The kind to read the column as. Before any value that is the narrowest, so that the first
    /// value of another kind will be noticed.
    pub(crate) fn kind(self) -> Kind {
        self.0.unwrap_or(Kind::Integer)
    }

    fn widen(&mut self, other: Kind) {
        let joined = match (self.0, other) {
            (None, kind) => kind,
            (Some(kind), other) if kind == other => kind,
            (Some(Kind::Integer), Kind::Float) | (Some(Kind::Float), Kind::Integer) => Kind::Float,
            _ => Kind::Text,
        };
        self.0 = Some(joined);
    }
}

/// Widens the guesses of a layout to what the fields of a block are, up to the first record that is
/// none: whoever parses the block will report it.
pub(crate) fn infer(layout: &mut Layout, block: &[u8]) {
    if !layout.slots.iter().any(Slot::is_inferred) {
        return;
    }
    let mut cursor = Cursor::new(block);
    while cursor.find_record() {
        for &slot in &layout.slot_of_field {
            let Ok((field, end)) = cursor.field() else { return };
            if let Some(slot) = slot.map(|slot| &mut layout.slots[slot])
                && slot.is_inferred()
                && let Some(kind) = kind_of(field, slot)
            {
                slot.guess.widen(kind);
            }
            if end == End::Record {
                break;
            }
        }
    }
}

/// What a field looks like; none if it holds no value.
fn kind_of(field: Field, slot: &Slot) -> Option<Kind> {
    let Ok(text) = std::str::from_utf8(field.bytes()) else { return Some(Kind::Text) };
    let text = text.trim();
    if number::integer(field).is_some() {
        Some(Kind::Integer)
    } else if time::parse(text.as_bytes()).is_some() {
        Some(Kind::Time)
    } else if is_missing(text) && !slot.required {
        None
    } else if number::float(field).is_some() && slot.want != Want::Axis {
        Some(Kind::Float)
    } else {
        Some(Kind::Text)
    }
}
