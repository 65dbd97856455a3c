//! Where the time of a training or of a prediction goes, by instruction.

use super::batch::Batch;
use super::feed::Feed;
use super::graphs::{outputs, predicting};
use super::machine::{Machine, Turn};
use super::{Rows, TrainError, Trainer};
use whimbrel_engine::{Options, Profile, Session};

/// Runs before the recording: caches and clocks settle.
const WARM_UP: usize = 3;

impl Trainer {
    /// Records `runs` steps on the first batch of `rows`, with first weights. The weights learned are
    /// thrown away.
    pub fn profile_training<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        runs: usize,
    ) -> Result<Profile, TrainError> {
        self.check()?;
        let rows = rows.into();
        let prediction = predicting(&self.network, rows.form().features, 1)?;
        let (feed, batch) = self.first_batch(rows, outputs(&prediction))?;
        let mut machine = Machine::new(self, feed.form(), feed.counts(), &prediction)?;
        for step in 1..=WARM_UP {
            machine.learn(&batch, Turn::alone(self.optimiser.lr(), step))?;
        }
        Ok(machine.session.profile(0, runs)?)
    }

    /// Records `runs` predictions of the first batch of `rows`, with first weights.
    pub fn profile_prediction<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        runs: usize,
    ) -> Result<Profile, TrainError> {
        self.check()?;
        let rows = rows.into();
        let one = predicting(&self.network, rows.form().features, 1)?;
        let (_, batch) = self.first_batch(rows, outputs(&one))?;
        let graph = predicting(&self.network, rows.form().features, batch.rows)?;
        let options = Options { seed: self.seed, threads: self.threads, ..Options::default() };
        let mut session = Session::with_options(&[graph], &options)?;
        session.write("x", &batch.inputs)?;
        for _ in 0..WARM_UP {
            session.run()?;
        }
        Ok(session.profile(0, runs)?)
    }

    /// The rows of a training for a network of so many outputs, and the first batch of them.
    fn first_batch<'a>(
        &self,
        rows: Rows<'a>,
        outputs: usize,
    ) -> Result<(Feed<'a>, Batch), TrainError> {
        let mut feed = Feed::open(self, rows, outputs)?;
        let mut batch = Batch::new(feed.form());
        feed.learn(0, 0, self.batch_size.min(feed.counts().learn), &mut batch)?;
        Ok((feed, batch))
    }
}
