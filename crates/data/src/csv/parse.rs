//! Turns one block of whole records into columns. Knows nothing of the rest of the file: rows and
//! lines count from the beginning of the block.

use super::builder::Builder;
use super::cursor::{Cursor, End, Field};
use super::layout::Layout;
use super::regular::parse_regular;
use crate::error::Problem;
use crate::kind::Kind;
use crate::table::{Column, Lines, Table};

/// The first thing wrong in a block.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Lines of the block before it.
    pub(crate) line: u64,
    /// The field of the record to blame.
    pub(crate) field: Option<usize>,
    pub(crate) problem: Problem,
}

/// The columns of a block, one for each slot of the layout.
#[derive(Debug)]
pub(crate) struct Parsed {
    columns: Vec<Column>,
    lines: Lines,
    line_count: u64,
}

impl Parsed {
    /// Columns of equal length, the lines of their rows, and the lines of the whole block.
    pub(crate) fn new(columns: Vec<Column>, lines: Lines, line_count: u64) -> Parsed {
        Parsed { columns, lines, line_count }
    }

    /// The block as a table of a file in which `lines_before` lines come before it, and how many
    /// lines come before the next block.
    pub(crate) fn into_table(mut self, layout: &Layout, lines_before: u64) -> (Table, u64) {
        self.lines.start_at(lines_before + 1);
        let names = layout.slots.iter().map(|slot| slot.name.clone());
        let columns = names.zip(self.columns).collect();
        let table = Table::new(layout.file.clone(), columns, self.lines);
        (table, lines_before + self.line_count)
    }
}

/// Memory of an earlier block, used again: given back to the system it would have to be cleared
/// before it is handed out once more.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The places of separators.
    pub(crate) separators: Vec<u32>,
    /// The columns of a table that is no longer needed.
    pub(crate) columns: Vec<Column>,
}

/// Parses a block.
pub(crate) fn parse(layout: &Layout, block: &[u8], memory: &mut Memory) -> Result<Parsed, Fault> {
    let regular = parse_regular(layout, block, memory);
    regular.map_or_else(|| parse_any(layout, block, memory), Ok)
}

/// Empty columns for the slots of a layout, with room for so many rows, in the memory of old ones.
pub(crate) fn new_builders(layout: &Layout, rows: usize, old: Vec<Column>) -> Vec<Builder> {
    let (slots, mut old) = (layout.slots.iter(), old.into_iter());
    slots.map(|slot| Builder::new(slot.kind(), slot.required, rows, old.next())).collect()
}

/// Parses a block record by record: the definition of what is right.
fn parse_any(layout: &Layout, block: &[u8], memory: &mut Memory) -> Result<Parsed, Fault> {
    let old = std::mem::take(&mut memory.columns);
    let mut builders = new_builders(layout, expected_rows(block), old);
    let mut cursor = Cursor::new(block);
    let mut lines = Lines::default();
    let mut row = 0;
    while cursor.find_record() {
        lines.push(row, cursor.lines());
        parse_record(layout, &mut cursor, &mut builders, row)?;
        row += 1;
    }
    let mut columns = Vec::with_capacity(builders.len());
    for (slot, builder) in builders.into_iter().enumerate() {
        let column = builder.finish().map_err(|bad| Fault {
            line: lines.get(bad.row).unwrap_or_default(),
            field: layout.slot_of_field.iter().position(|&found| found == Some(slot)),
            problem: Problem::NotUtf8 { byte: bad.byte },
        })?;
        columns.push(column);
    }
    Ok(Parsed { columns, lines, line_count: cursor.lines() })
}

/// Hands the fields of the record at the cursor to the builders.
#[inline]
fn parse_record(
    layout: &Layout,
    cursor: &mut Cursor,
    builders: &mut [Builder],
    row: usize,
) -> Result<(), Fault> {
    let line = cursor.lines();
    let fields = layout.slot_of_field.len();
    for (field, &slot) in layout.slot_of_field.iter().enumerate() {
        let opened_on = cursor.lines();
        let (text, end) =
            cursor.field().map_err(|problem| Fault { line: opened_on, field: None, problem })?;
        if let Some(slot) = slot {
            check_text(layout.slots[slot].kind(), text).map_err(|problem| Fault {
                line,
                field: Some(field),
                problem,
            })?;
            let pushed = builders[slot].extend(std::iter::once((row, text)));
            pushed.map_err(|problem| Fault { line, field: Some(field), problem })?;
        }
        if (end == End::Record) != (field + 1 == fields) {
            return Err(ragged(cursor, line, field + 1, end, fields));
        }
    }
    Ok(())
}

/// Refuses a field of text that is not UTF-8. Numbers and times are refused when they are read.
fn check_text(kind: Kind, field: Field) -> Result<(), Problem> {
    let bytes = field.bytes();
    match std::str::from_utf8(bytes) {
        Err(error) if kind == Kind::Text => {
            Err(Problem::NotUtf8 { byte: bytes[error.valid_up_to()] })
        }
        _ => Ok(()),
    }
}

/// The error for a record of another length than the header. `seen` fields of it are passed.
#[cold]
fn ragged(cursor: &mut Cursor, line: u64, mut seen: usize, mut end: End, columns: usize) -> Fault {
    while end == End::Comma {
        match cursor.field() {
            Ok((_, next)) => end = next,
            Err(problem) => return Fault { line, field: None, problem },
        }
        seen += 1;
    }
    Fault { line, field: None, problem: Problem::Ragged { fields: seen, columns } }
}

/// About how many rows a block has, judged by its first line; only for the size of allocations.
fn expected_rows(block: &[u8]) -> usize {
    let first = block.iter().position(|&byte| byte == b'\n').unwrap_or(block.len());
    let rows = block.len() / (first + 1);
    (rows + rows / 8).min(block.len() / 2) + 1
}
