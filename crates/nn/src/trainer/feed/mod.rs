//! Feed: hands out the rows of a training, batch by batch; `held.rs` from memory, `streamed.rs` from a
//! source that is read again in every epoch, a chunk ahead (`ahead.rs`).
//!
//! Which rows a batch has follows from settings, rows, epoch and the place in the epoch alone: a run
//! that was resumed gets the batches it would have had.

mod ahead;
mod bounds;
mod drawing;
mod held;
mod pass;
mod streamed;

use super::batch::Batch;
use super::{RowForm, Rows, TargetForm, TrainError, Trainer};
pub(super) use bounds::Bounds;
use held::Held;
use streamed::Streamed;

/// The rows of a training.
pub(super) enum Feed<'a> {
    Held(Held<'a>),
    Streamed(Box<Streamed<'a>>),
}

/// How many rows there are, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub learn: usize,
    pub validate: usize,
}

impl<'a> Feed<'a> {
    /// The rows of a training. A source is read once, from the first row to the last: what is wrong with a
    /// row is known before anything is learned or written.
    pub(super) fn open(
        trainer: &Trainer,
        rows: Rows<'a>,
        bounds: Bounds,
    ) -> Result<Feed<'a>, TrainError> {
        let feed = match rows {
            Rows::Held(examples) => {
                bounds.check(examples, 0)?;
                Feed::Held(Held::open(trainer, examples))
            }
            Rows::Streamed(source) => {
                Feed::Streamed(Box::new(Streamed::open(trainer, source, bounds)?))
            }
        };
        feed.counts().expect_enough(trainer.validation)?;
        Ok(feed)
    }

    /// All rows, to validate with.
    pub(super) fn whole(rows: Rows<'a>, bounds: Bounds) -> Result<Feed<'a>, TrainError> {
        match rows {
            Rows::Held(examples) => {
                bounds.check(examples, 0)?;
                Ok(Feed::Held(Held::whole(examples)))
            }
            Rows::Streamed(source) => {
                Ok(Feed::Streamed(Box::new(Streamed::whole(source, bounds)?)))
            }
        }
    }

    /// What a row is.
    pub(super) fn form(&self) -> RowForm {
        match self {
            Feed::Held(held) => held.form(),
            Feed::Streamed(streamed) => streamed.form(),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        match self {
            Feed::Held(held) => held.counts(),
            Feed::Streamed(streamed) => streamed.counts(),
        }
    }

    /// Bytes of the rows in memory, of their order, and of a batch.
    pub(super) fn bytes(&self, batch_size: usize) -> usize {
        let Counts { learn, validate } = self.counts();
        let batch = batch_size.min(learn);
        match self {
            // Which are learned from, in which order, and which validate.
            Feed::Held(_) => {
                row_bytes(self.form()) * (learn + validate + batch) + 4 * (2 * learn + validate)
            }
            Feed::Streamed(streamed) => row_bytes(self.form()) * (streamed.held() + batch),
        }
    }

    /// Bytes of the rows that are in memory whether there is a training or not.
    pub(super) fn given_bytes(&self) -> usize {
        let Counts { learn, validate } = self.counts();
        match self {
            Feed::Held(_) => row_bytes(self.form()) * (learn + validate),
            Feed::Streamed(_) => 0,
        }
    }

    /// What tells these rows from others.
    pub(super) fn fingerprint(&self) -> String {
        match self {
            Feed::Held(held) => held.fingerprint(),
            Feed::Streamed(streamed) => streamed.fingerprint(),
        }
    }

    /// The next `size` rows of an epoch, of whose order `row` rows are done.
    pub(super) fn learn(
        &mut self,
        epoch: usize,
        row: usize,
        size: usize,
        batch: &mut Batch,
    ) -> Result<(), TrainError> {
        match self {
            Feed::Held(held) => {
                held.learn(epoch, row, size, batch);
                Ok(())
            }
            Feed::Streamed(streamed) => streamed.learn(epoch, row, size, batch),
        }
    }

    /// The mean of each input over the rows that are learned from.
    pub(super) fn means(&self) -> Result<Vec<f32>, TrainError> {
        match self {
            Feed::Held(held) => held.means().finish(),
            Feed::Streamed(streamed) => streamed.means().finish(),
        }
    }

    /// Hands out all rows of the validation in their order, at most `size` at a time.
    pub(super) fn validate(
        &self,
        size: usize,
        take: impl FnMut(&Batch) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        match self {
            Feed::Held(held) => held.validate(size, take),
            Feed::Streamed(streamed) => streamed.validate(size, take),
        }
    }
}

/// Bytes of a row in memory.
fn row_bytes(form: RowForm) -> usize {
    let target = match form.target {
        TargetForm::Values { width } => width,
        TargetForm::Class => 1,
    };
    4 * form.features.saturating_add(target + usize::from(form.weighted))
}

impl Counts {
    fn expect_enough(self, share: f64) -> Result<(), TrainError> {
        let Counts { learn, validate } = self;
        match learn == 0 || (share > 0.0 && validate == 0) {
            true => Err(TrainError::Setting {
                field: "validation",
                value: share.to_string(),
                reason: format!(
                    "of {} rows it leaves {learn} to learn from and {validate} to validate; change the share, or give more rows",
                    learn + validate
                ),
            }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Examples, Targets};
    use super::*;
    use crate::layers::Sequential;
    use crate::losses::{Domain, Mse};
    use crate::optimisers::{Optimiser, Sgd};

    #[test]
    fn a_split_that_leaves_nothing_is_refused() {
        let values = Targets::Values { width: 1, values: vec![0.0; 2] };
        let examples = Examples::new(1, vec![0.0; 2], values).unwrap();
        let bounds =
            Bounds { classes: 1, indices: None, missing: false, loss: ("mse", Domain::Any) };
        for (validation, fits) in [(0.1, false), (0.9, false), (0.5, true), (0.0, true)] {
            let optimiser = Optimiser::new(Sgd::default());
            let trainer = Trainer { validation, ..Trainer::new(Sequential::new(), Mse, optimiser) };
            assert_eq!(Feed::open(&trainer, Rows::Held(&examples), bounds).is_ok(), fits);
        }
    }
}
