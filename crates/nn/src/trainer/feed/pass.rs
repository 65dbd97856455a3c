//! Pass: the rows of a source read once, those of one purpose picked out.

use super::super::{Examples, Source, TrainError};
use super::Bounds;
use super::ahead::Ahead;
use crate::random;
use crate::shuffle::key_of;

/// Which rows of a source are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wanted {
    Learn,
    Validate,
}

/// Which rows validate: those whose number draws a share below this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    key: u64,
    share: f64,
}

impl Draw {
    pub(super) fn new(seed: u64, share: f64) -> Draw {
        Draw { key: key_of(seed ^ 0x726f_7773, 0), share }
    }

    /// What the row of this number, counted from 0, is for.
    pub(super) fn of(self, row: u64) -> Wanted {
        // The upper 53 bits as a number from 0 to 1, 1 excluded.
        let drawn = (random(self.key, row) >> 11) as f64 / (1u64 << 53) as f64;
        if drawn < self.share { Wanted::Validate } else { Wanted::Learn }
    }
}

/// One reading of a source.
pub(super) struct Pass {
    chunks: Ahead,
    draw: Draw,
    wanted: Wanted,
    chunk: Option<Examples>,
    /// The next row of the chunk.
    at: usize,
    /// The number of the chunk's next row in the source.
    number: u64,
}

impl Pass {
    pub(super) fn open(
        source: &dyn Source,
        bounds: Bounds,
        draw: Draw,
        wanted: Wanted,
    ) -> Result<Pass, TrainError> {
        let chunks = Ahead::open(source, bounds)?;
        Ok(Pass { chunks, draw, wanted, chunk: None, at: 0, number: 0 })
    }

    /// The next wanted row, as its place in a chunk; none after the last.
    pub(super) fn next(&mut self) -> Result<Option<(&Examples, usize)>, TrainError> {
        loop {
            let rows = self.chunk.as_ref().map_or(0, Examples::rows);
            while self.at < rows {
                let found = self.draw.of(self.number) == self.wanted;
                (self.at, self.number) = (self.at + 1, self.number + 1);
                if found {
                    return Ok(self.chunk.as_ref().map(|chunk| (chunk, self.at - 1)));
                }
            }
            self.at = 0;
            self.chunk = self.chunks.next()?;
            if self.chunk.is_none() {
                return Ok(None);
            }
        }
    }
}

/// A source that is not the same every time.
pub(super) fn changed() -> TrainError {
    TrainError::Data {
        problem: "the rows are not those that were read before".into(),
        remedy: "do not change the data while they are learned from",
    }
}
