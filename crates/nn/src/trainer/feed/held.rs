//! Rows in memory.

use super::super::batch::Batch;
use super::super::missing::Means;
use super::super::order::{Purpose, reorder};
use super::super::split::Split;
use super::super::{Examples, RowForm, TrainError, Trainer};
use super::Counts;

/// Rows in memory; each epoch has an order of its own.
pub(in crate::trainer) struct Held<'a> {
    examples: &'a Examples,
    split: Split,
    seed: u64,
    /// The rows of the epoch under way, in order.
    order: Vec<u32>,
    /// The epoch of `order`.
    ordered: Option<usize>,
}

impl<'a> Held<'a> {
    pub(super) fn open(trainer: &Trainer, examples: &'a Examples) -> Held<'a> {
        let split = Split::of(examples, trainer.validation, trainer.seed);
        let order = split.learn.clone();
        Held { examples, split, seed: trainer.seed, order, ordered: None }
    }

    pub(super) fn whole(examples: &'a Examples) -> Held<'a> {
        let validate = (0..examples.rows() as u32).collect();
        let split = Split { learn: Vec::new(), validate };
        Held { examples, split, seed: 0, order: Vec::new(), ordered: None }
    }

    pub(super) fn form(&self) -> RowForm {
        self.examples.form()
    }

    pub(super) fn counts(&self) -> Counts {
        Counts { learn: self.split.learn.len(), validate: self.split.validate.len() }
    }

    pub(super) fn means(&self) -> Means {
        let (features, inputs) = (self.examples.features(), self.examples.inputs());
        let mut means = Means::new(features);
        for &row in &self.split.learn {
            means.add(&inputs[row as usize * features..][..features]);
        }
        means
    }

    pub(super) fn fingerprint(&self) -> String {
        format!("{:016x}", self.examples.fingerprint())
    }

    pub(super) fn learn(&mut self, epoch: usize, row: usize, size: usize, batch: &mut Batch) {
        if self.ordered != Some(epoch) {
            self.order.copy_from_slice(&self.split.learn);
            reorder(&mut self.order, self.seed, Purpose::Epoch(epoch));
            self.ordered = Some(epoch);
        }
        batch.gather(self.examples, &self.order[row..row + size]);
    }

    pub(super) fn validate(
        &self,
        size: usize,
        mut take: impl FnMut(&Batch) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let mut batch = Batch::new(self.form());
        for rows in self.split.validate.chunks(size) {
            batch.gather(self.examples, rows);
            take(&batch)?;
        }
        Ok(())
    }
}
