//! Where the time of a training or of a prediction goes, by instruction.

use super::batch::Batch;
use super::feed::{Bounds, Feed};
use super::graphs::predicting;
use super::inputs::write_inputs;
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
        let prediction = predicting(self, rows.form().features, 1)?;
        let (feed, batch) = self.first_batch(rows, Bounds::of(self, &prediction))?;
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
        let one = predicting(self, rows.form().features, 1)?;
        let (_, batch) = self.first_batch(rows, Bounds::of(self, &one))?;
        let graph = predicting(self, rows.form().features, batch.rows)?;
        let options = Options { seed: self.seed, threads: self.threads, ..Options::default() };
        let mut session = Session::with_options(&[graph], &options)?;
        let x = session.input(0, "x")?;
        write_inputs(&mut session, x, &batch.inputs, &mut Vec::new())?;
        for _ in 0..WARM_UP {
            session.run()?;
        }
        Ok(session.profile(0, runs)?)
    }

    /// The rows of a training, and the first batch of them.
    fn first_batch<'a>(
        &self,
        rows: Rows<'a>,
        bounds: Bounds,
    ) -> Result<(Feed<'a>, Batch), TrainError> {
        let mut feed = Feed::open(self, rows, bounds)?;
        let mut batch = Batch::new(feed.form());
        feed.learn(0, 0, self.batch_size.min(feed.counts().learn), &mut batch)?;
        Ok((feed, batch))
    }
}
