//! Rows of a source that is read again in every epoch, for data larger than memory.

use super::super::batch::Batch;
use super::super::missing::Means;
use super::super::{RowForm, Source, Targets, TrainError, Trainer};
use super::ahead::Ahead;
use super::drawing::Drawing;
use super::pass::{Draw, Pass, Wanted, changed};
use super::{Bounds, Counts, row_bytes};
use crate::hash::Fnv;

/// Bytes of the rows that are held to draw from, unless their number is given.
const BUFFER_BYTES: usize = 32 << 20;

/// Rows of a source.
pub(in crate::trainer) struct Streamed<'a> {
    source: &'a dyn Source,
    bounds: Bounds,
    seed: u64,
    draw: Draw,
    buffer_rows: usize,
    counts: Counts,
    hash: u64,
    /// Of the rows that are learned from, where inputs may be missing.
    means: Means,
    /// The epoch under way and its rows.
    drawing: Option<(usize, Drawing)>,
}

impl<'a> Streamed<'a> {
    pub(super) fn open(
        trainer: &Trainer,
        source: &'a dyn Source,
        bounds: Bounds,
    ) -> Result<Streamed<'a>, TrainError> {
        let draw = Draw::new(trainer.seed, trainer.validation);
        let usual = || (BUFFER_BYTES / row_bytes(source.form())).max(1);
        let buffer_rows = trainer.shuffle_rows.unwrap_or_else(usual);
        Streamed::survey(source, bounds, trainer.seed, draw, buffer_rows)
    }

    pub(super) fn whole(
        source: &'a dyn Source,
        bounds: Bounds,
    ) -> Result<Streamed<'a>, TrainError> {
        Streamed::survey(source, bounds, 0, Draw::new(0, 1.0), 1)
    }

    /// Reads all rows once: counts them, and makes the number that tells them from others.
    fn survey(
        source: &'a dyn Source,
        bounds: Bounds,
        seed: u64,
        draw: Draw,
        buffer_rows: usize,
    ) -> Result<Streamed<'a>, TrainError> {
        let (mut counts, mut hash) = (Counts::default(), Fnv::new());
        let mut add = |word: u32| hash.word(word);
        let (mut chunks, form, mut number) = (Ahead::open(source, bounds)?, source.form(), 0);
        let mut means = Means::new(form.features);
        while let Some(chunk) = chunks.next()? {
            for row in 0..chunk.rows() {
                let inputs = &chunk.inputs()[row * form.features..][..form.features];
                let wanted = draw.of(number);
                match wanted {
                    Wanted::Learn => counts.learn += 1,
                    Wanted::Validate => counts.validate += 1,
                }
                if bounds.missing && wanted == Wanted::Learn {
                    means.add(inputs);
                }
                number += 1;
                inputs.iter().for_each(|x| add(x.to_bits()));
                match chunk.targets() {
                    Targets::Classes(classes) => add(classes[row] as u32),
                    Targets::Values { width, values } => {
                        values[row * width..(row + 1) * width].iter().for_each(|x| add(x.to_bits()))
                    }
                }
                chunk.weights().get(row).iter().for_each(|x| add(x.to_bits()));
            }
        }
        let hash = hash.value();
        Ok(Streamed { source, bounds, seed, draw, buffer_rows, counts, hash, means, drawing: None })
    }

    pub(super) fn form(&self) -> RowForm {
        self.source.form()
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Rows that are held to draw from.
    pub(super) fn held(&self) -> usize {
        self.buffer_rows.min(self.counts.learn)
    }

    pub(super) fn means(&self) -> &Means {
        &self.means
    }

    pub(super) fn fingerprint(&self) -> String {
        format!("streamed {:016x}", self.hash)
    }

    pub(super) fn learn(
        &mut self,
        epoch: usize,
        row: usize,
        size: usize,
        batch: &mut Batch,
    ) -> Result<(), TrainError> {
        let under_way = self.drawing.take();
        let under_way = under_way.filter(|(of, drawing)| *of == epoch && drawing.drawn() <= row);
        let mut drawing = match under_way {
            Some((_, drawing)) => drawing,
            None => {
                let pass = Pass::open(self.source, self.bounds, self.draw, Wanted::Learn)?;
                Drawing::new(pass, self.form(), self.held(), self.seed, epoch)?
            }
        };
        // After a resumption: the rows that were learned from before.
        drawing.skip(row - drawing.drawn())?;
        drawing.fill(batch, size)?;
        self.drawing = Some((epoch, drawing));
        Ok(())
    }

    pub(super) fn validate(
        &self,
        size: usize,
        mut take: impl FnMut(&Batch) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let form = self.form();
        let mut pass = Pass::open(self.source, self.bounds, self.draw, Wanted::Validate)?;
        let mut batch = Batch::new(form);
        let mut left = self.counts.validate;
        while left > 0 {
            batch.resize(form, size.min(left));
            for item in 0..batch.rows {
                let (chunk, row) = pass.next()?.ok_or_else(changed)?;
                batch.set(item, chunk, row);
            }
            take(&batch)?;
            left -= batch.rows;
        }
        Ok(())
    }
}
