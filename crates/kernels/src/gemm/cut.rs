//! How a product is cut for threads: by its shape alone, never by their number at run time, and
//! along tiles, so that no piece ends in rows that fill none.

use std::ops::Range;

/// A rectangle of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Rows of the result.
    pub rows: Range<usize>,
    /// Columns of the result.
    pub cols: Range<usize>,
}

/// Multiplications below which a piece is not worth handing to another thread.
const LEAST_WORK: usize = 64 * 64 * 64;
/// Rows that fewer take as long as: what they read is used too seldom.
const LEAST_ROWS: usize = 4;
/// Pieces begin at multiples of this many rows and columns.
const ROWS: usize = 16;
const COLS: usize = 64;

/// Cuts a result `[m, n]` of a product over `k` into at most `most` pieces of about equal work:
/// whole bands of rows when there are enough of them, else of columns. Small products are one
/// piece. Pieces come in order and cover the result exactly.
pub fn cut(m: usize, n: usize, k: usize, most: usize) -> impl Iterator<Item = Piece> {
    let work = m.max(LEAST_ROWS).saturating_mul(n).saturating_mul(k);
    let wanted = (work / LEAST_WORK).clamp(1, most.max(1));
    let (row_tiles, col_tiles) = (m.div_ceil(ROWS), n.div_ceil(COLS));
    // Bands differ by at most one tile: rows are taken when that leaves pieces evener.
    let by_rows = row_tiles >= 4 * wanted || row_tiles >= col_tiles;
    let pieces = wanted.min(if by_rows { row_tiles } else { col_tiles }).max(1);
    (0..pieces).map(move |i| {
        if by_rows {
            Piece { rows: band(i, pieces, row_tiles, ROWS, m), cols: 0..n }
        } else {
            Piece { rows: 0..m, cols: band(i, pieces, col_tiles, COLS, n) }
        }
    })
}

/// Band `i` of `bands` over `tiles` tiles of `size`, ending at `end`.
fn band(i: usize, bands: usize, tiles: usize, size: usize, end: usize) -> Range<usize> {
    let at = |i: usize| (i * tiles / bands * size).min(end);
    at(i)..at(i + 1)
}
