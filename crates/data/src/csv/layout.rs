//! Which field of a record goes to which column of the table, and what it must be.

use super::infer::Guess;
use super::request::{Options, Request, Want};
use crate::error::{DataError, Problem, shorten};
use crate::kind::Kind;
use crate::place::Place;
use std::sync::Arc;

/// A column of the table to be made.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) want: Want,
    pub(crate) required: bool,
    /// What the fields seen so far look like; only where it is not given.
    pub(crate) guess: Guess,
}

impl Slot {
    fn new(request: Request) -> Slot {
        let Request { name, want, required } = request;
        Slot { name, want, required, guess: Guess::default() }
    }

    /// What the column holds.
    pub(crate) fn kind(&self) -> Kind {
        match self.want {
            Want::Exactly(kind) => kind,
            Want::Inferred | Want::Axis => self.guess.kind(),
        }
    }

    /// Whether another kind may be tried.
    pub(crate) fn is_inferred(&self) -> bool {
        !matches!(self.want, Want::Exactly(_))
    }
}

/// What becomes of the fields of a record.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) file: Arc<str>,
    header: Vec<String>,
    pub(crate) slots: Vec<Slot>,
    /// For each field of a record its slot; none where the field is passed over.
    pub(crate) slot_of_field: Vec<Option<usize>>,
}

impl Layout {
    /// What `options` ask for, of a file with this header on this line.
    pub(crate) fn new(
        file: Arc<str>,
        header: Vec<String>,
        line: u64,
        options: &Options,
    ) -> Result<Layout, DataError> {
        let field_of = |name: &str| {
            let found = header.iter().position(|known| known == name && !name.is_empty());
            found.ok_or_else(|| {
                let problem = Problem::MissingColumn { name: name.into(), found: header.clone() };
                DataError { place: Place::line(&file, line), problem }
            })
        };
        let mut slot_of_field = vec![None; header.len()];
        let mut slots = Vec::new();
        match &options.only {
            Some(only) => {
                for request in only {
                    let slot = &mut slot_of_field[field_of(&request.name)?];
                    if slot.is_some() {
                        let problem = Problem::AskedTwice { name: shorten(&request.name) };
                        return Err(DataError { place: Place::line(&file, line), problem });
                    }
                    *slot = Some(slots.len());
                    slots.push(Slot::new(request.clone()));
                }
            }
            None => {
                for (field, name) in header.iter().enumerate() {
                    slot_of_field[field] = Some(field);
                    slots.push(Slot::new(Request::inferred(name)));
                }
                for request in &options.known {
                    slots[field_of(&request.name)?] = Slot::new(request.clone());
                }
            }
        }
        Ok(Layout { file, header, slots, slot_of_field })
    }

    /// Names of all columns of the file.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// An error about a place of the file.
    pub(crate) fn error(&self, line: u64, field: Option<usize>, problem: Problem) -> DataError {
        let column = field.map(|field| column_name(&self.header, field));
        DataError { place: Place { column, ..Place::line(&self.file, line) }, problem }
    }
}

/// How errors call the column of a field.
pub(crate) fn column_name(header: &[String], field: usize) -> String {
    match header.get(field).filter(|name| !name.is_empty()) {
        Some(name) => format!("\"{}\"", shorten(name)),
        None => (field + 1).to_string(),
    }
}
