//! Drawing: rows of a source in an order of chance, through a buffer.
//!
//! The buffer is filled from the source. Each draw takes one of its rows, whose place the next row of
//! the source takes; when there is none, the last row of the buffer. A row can come out as many draws
//! early as the buffer is long, and any time later. Which row a draw takes follows from the seed, the
//! epoch and the number of the draw alone.

use super::super::TrainError;
use super::super::batch::Batch;
use super::super::{Examples, RowForm};
use super::pass::{Pass, changed};
use crate::shuffle::{below, key_of};

/// The rows of an epoch, drawn one by one.
pub(super) struct Drawing {
    pass: Pass,
    buffer: Examples,
    form: RowForm,
    key: u64,
    /// Rows drawn.
    drawn: usize,
}

impl Drawing {
    /// Draws the rows of a pass through a buffer of `rows` rows.
    pub(super) fn new(
        mut pass: Pass,
        form: RowForm,
        rows: usize,
        seed: u64,
        epoch: usize,
    ) -> Result<Drawing, TrainError> {
        let mut buffer = Examples::with_capacity(form, rows);
        while buffer.rows() < rows
            && let Some((chunk, row)) = pass.next()?
        {
            buffer.push(chunk, row);
        }
        let key = key_of(seed ^ 0x726f_7773, 1 + epoch as u64);
        Ok(Drawing { pass, buffer, form, key, drawn: 0 })
    }

    /// Rows drawn.
    pub(super) fn drawn(&self) -> usize {
        self.drawn
    }

    /// Draws rows nobody wants.
    pub(super) fn skip(&mut self, rows: usize) -> Result<(), TrainError> {
        (0..rows).try_for_each(|_| self.draw(|_, _| {}))
    }

    /// Draws a batch.
    pub(super) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<(), TrainError> {
        batch.resize(self.form, rows);
        (0..rows).try_for_each(|item| self.draw(|buffer, row| batch.set(item, buffer, row)))
    }

    fn draw(&mut self, take: impl FnOnce(&Examples, usize)) -> Result<(), TrainError> {
        let rows = self.buffer.rows();
        if rows == 0 {
            return Err(changed());
        }
        let row = below(self.key, self.drawn as u64, rows);
        self.drawn += 1;
        take(&self.buffer, row);
        match self.pass.next()? {
            Some((chunk, next)) => self.buffer.replace(row, chunk, next),
            None => self.buffer.swap_remove(row),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Chunks, Source, TargetForm, Targets};
    use super::super::Bounds;
    use super::super::pass::{Draw, Wanted};
    use super::*;
    use crate::losses::Domain;

    const FORM: RowForm = RowForm { features: 1, target: TargetForm::Class, weighted: false };

    /// Rows 0 to 99, so many at a time.
    struct Hundred {
        chunk: usize,
    }

    impl Source for Hundred {
        fn form(&self) -> RowForm {
            FORM
        }

        fn open(&self) -> Result<Chunks, TrainError> {
            let chunk = self.chunk;
            Ok(Box::new((0..100).step_by(chunk).map(move |first| {
                let rows = first..100.min(first + chunk);
                let inputs = rows.clone().map(|row| row as f32).collect();
                Examples::new(1, inputs, Targets::Classes(rows.map(|_| 0).collect()))
            })))
        }
    }

    /// The rows of an epoch in the order they are drawn in, after `skip` rows.
    fn order(chunk: usize, buffer: usize, seed: u64, epoch: usize, skip: usize) -> Vec<f32> {
        let (draw, bounds) = (
            Draw::new(seed, 0.2),
            Bounds { classes: 1, indices: None, missing: false, loss: ("mse", Domain::Any) },
        );
        let pass = Pass::open(&Hundred { chunk }, bounds, draw, Wanted::Learn).unwrap();
        let rows = (0..100).filter(|&row| draw.of(row) == Wanted::Learn).count();
        let mut drawing = Drawing::new(pass, FORM, buffer, seed, epoch).unwrap();
        drawing.skip(skip).unwrap();
        let mut batch = Batch::new(FORM);
        drawing.fill(&mut batch, rows - skip).unwrap();
        assert!(drawing.skip(1).is_err(), "nothing is left");
        batch.inputs
    }

    #[test]
    fn each_row_that_does_not_validate_is_drawn_once() {
        let draw = Draw::new(3, 0.2);
        let expected: Vec<f32> =
            (0..100).filter(|&row| draw.of(row) == Wanted::Learn).map(|row| row as f32).collect();
        assert!((70..=90).contains(&expected.len()));
        for (buffer, epoch) in [(1, 0), (7, 0), (7, 1), (64, 0), (1000, 5)] {
            let mut rows = order(9, buffer, 3, epoch, 0);
            assert_eq!(rows == expected, buffer == 1, "a buffer of {buffer}");
            rows.sort_by(f32::total_cmp);
            assert_eq!(rows, expected);
        }
    }

    #[test]
    fn seed_and_epoch_decide_the_order_and_chunks_do_not() {
        let expected = order(10, 16, 1, 2, 0);
        assert_eq!(order(33, 16, 1, 2, 0), expected);
        assert_ne!(order(10, 16, 1, 3, 0), expected);
        assert_ne!(order(10, 16, 2, 2, 0), expected);
        assert_eq!(order(10, 16, 1, 2, 21), expected[21..]);
    }
}
