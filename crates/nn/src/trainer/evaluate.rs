//! Evaluating a network that has learned.

use super::feed::{Bounds, Feed};
use super::graphs::predicting;
use super::machine::Machine;
use super::{Rows, Scores, TrainError, Trainer};
use std::path::Path;

impl Trainer {
    /// The scores of `rows` with the weights of a file; and how many rows there are.
    pub fn evaluate<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        weights: &Path,
    ) -> Result<(Scores, usize), TrainError> {
        self.check_metrics()?;
        let rows = rows.into();
        let prediction = predicting(self, rows.form().features, 1)?;
        let feed = Feed::whole(rows, Bounds::of(self, &prediction))?;
        let counts = feed.counts();
        let mut machine = Machine::new(self, feed.form(), counts, &prediction)?;
        machine.session.load(weights, |_| true)?;
        Ok((machine.evaluate(self, &feed)?, counts.validate))
    }
}
