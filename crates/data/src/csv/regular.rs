//! The short way through a block in which every record is one line with all its fields and without
//! quotes, as nearly all are.
//!
//! First the places of all separators are listed, then each column is made in a loop of its own.
//! Whatever does not fit gives none: then `parse_any` takes the block, which defines what is right.

use super::cursor::Field;
use super::layout::Layout;
use super::parse::{Memory, Parsed, new_builders};
use super::seek;
use crate::table::Lines;

/// Where the fields of a regular block are.
struct Grid<'a> {
    block: &'a [u8],
    fields: usize,
    /// The place of each separator, after one that stands before the block.
    separators: &'a [u32],
    /// Whether lines end in CRLF.
    crlf: bool,
}

/// Parses a block that is regular and has nothing to complain about; none otherwise.
pub(crate) fn parse_regular(layout: &Layout, block: &[u8], memory: &mut Memory) -> Option<Parsed> {
    let fields = layout.slot_of_field.len();
    let Memory { separators, columns } = memory;
    let grid = Grid::find(block, fields, separators)?;
    let mut builders = new_builders(layout, grid.rows(), std::mem::take(columns));
    for (field, slot) in layout.slot_of_field.iter().enumerate() {
        let Some(builder) = slot.map(|slot| &mut builders[slot]) else { continue };
        builder.extend(grid.column(field).enumerate()).ok()?;
    }
    let columns = builders.into_iter().map(|builder| builder.finish().ok());
    let mut lines = Lines::default();
    if grid.rows() > 0 {
        lines.push(0, 0);
    }
    Some(Parsed::new(columns.collect::<Option<_>>()?, lines, grid.rows() as u64))
}

impl<'a> Grid<'a> {
    /// The fields of a block; none if it is not regular.
    fn find(block: &'a [u8], fields: usize, separators: &'a mut Vec<u32>) -> Option<Grid<'a>> {
        if u32::try_from(block.len()).is_err() || seek::holds(block, b'"') {
            return None;
        }
        separators.clear();
        separators.push(u32::MAX);
        find_separators(block, separators);
        if block.last().is_some_and(|&byte| byte != b'\n') {
            separators.push(block.len() as u32);
        }
        let crlf = seek::holds(block, b'\r');
        let grid = Grid { block, fields, separators, crlf };
        let regular =
            grid.has_whole_lines() && grid.has_even_line_ends() && !grid.has_blank_lines();
        regular.then_some(grid)
    }

    /// Whether the last separator of each record, and no other, ends a line.
    fn has_whole_lines(&self) -> bool {
        let ends_line = |&place: &u32| self.block.get(place as usize).is_none_or(|&b| b == b'\n');
        let mut lines = self.separators[1..].chunks_exact(self.fields);
        lines.remainder().is_empty()
            && lines.all(|line| {
                let (commas, end) = line.split_at(self.fields - 1);
                end.iter().all(ends_line) && !commas.iter().any(ends_line)
            })
    }

    /// Whether a CR stands before every LF and nowhere else, or none at all.
    fn has_even_line_ends(&self) -> bool {
        let before_end = |row: usize| {
            let end = self.separators[(row + 1) * self.fields] as usize;
            self.block[..end].last()
        };
        let count = || self.block.iter().filter(|&&byte| byte == b'\r').count();
        !self.crlf
            || count() == self.rows() && (0..self.rows()).all(|row| before_end(row) == Some(&b'\r'))
    }

    /// Whether a line is blank: no record, but in a file of one column it looks like one.
    fn has_blank_lines(&self) -> bool {
        self.fields == 1 && self.column(0).any(|field| field.bytes().is_empty())
    }

    fn rows(&self) -> usize {
        (self.separators.len() - 1) / self.fields
    }

    /// The fields of a column, row by row.
    fn column(&self, field: usize) -> impl Iterator<Item = Field<'_>> {
        let cut = usize::from(self.crlf && field + 1 == self.fields);
        (0..self.rows()).map(move |row| {
            let before = row * self.fields + field;
            let start = self.separators[before].wrapping_add(1) as usize;
            let end = self.separators[before + 1] as usize - cut;
            Field::between(self.block, start, end)
        })
    }
}

/// Appends the places of commas and LFs.
fn find_separators(block: &[u8], places: &mut Vec<u32>) {
    let (words, rest) = block.as_chunks::<64>();
    for (number, chunk) in words.iter().enumerate() {
        let mut marks = marks_of(chunk);
        let start = number as u32 * 64;
        while marks != 0 {
            places.push(start + marks.trailing_zeros());
            marks &= marks - 1;
        }
    }
    let start = block.len() - rest.len();
    let places_in_rest = rest.iter().enumerate().filter(|(_, byte)| matches!(byte, b',' | b'\n'));
    places.extend(places_in_rest.map(|(i, _)| (start + i) as u32));
}

/// One bit for each of 64 bytes: whether it is a comma or an LF.
#[inline]
fn marks_of(chunk: &[u8; 64]) -> u64 {
    // A loop that compiles to vector code.
    let flags = chunk.map(|byte| u8::from(byte == b',') | u8::from(byte == b'\n'));
    let (words, _) = flags.as_chunks::<8>();
    words.iter().enumerate().fold(0, |marks, (i, word)| {
        // The product moves the lowest bits of the eight bytes next to each other, to the top.
        let byte = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks | byte << (8 * i)
    })
}
