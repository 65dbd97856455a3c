//! Where the time of a training or of a prediction goes, by instruction.

use super::graphs::predicting;
use super::machine::Machine;
use super::split::Split;
use super::{Examples, TrainError, Trainer};
use whimbrel_engine::{Options, Profile, Session};

/// Runs before the recording: caches and clocks settle.
const WARM_UP: usize = 3;

impl Trainer {
    /// Records `runs` steps on the first whole batch of `examples`, with first weights. The weights
    /// learned are thrown away.
    pub fn profile_training(
        &self,
        examples: &Examples,
        runs: usize,
    ) -> Result<Profile, TrainError> {
        self.check()?;
        let split = Split::of(examples, self.validation, self.seed)?;
        let mut machine = Machine::new(self, examples, &split)?;
        let rows = &split.learn[..self.batch_size.min(split.learn.len())];
        for step in 1..=WARM_UP {
            machine.learn(examples, rows, self.optimiser.lr(), step)?;
        }
        Ok(machine.session.profile(0, runs)?)
    }

    /// Records `runs` predictions of the first whole batch of `examples`, with first weights.
    pub fn profile_prediction(
        &self,
        examples: &Examples,
        runs: usize,
    ) -> Result<Profile, TrainError> {
        self.check()?;
        let rows: Vec<u32> = (0..self.batch_size.min(examples.rows()) as u32).collect();
        let graph = predicting(&self.network, examples.features(), rows.len())?;
        let options = Options { seed: self.seed, threads: self.threads, ..Options::default() };
        let mut session = Session::with_options(&[graph], &options)?;
        let mut inputs = Vec::new();
        examples.gather_inputs(&rows, &mut inputs);
        session.write("x", &inputs)?;
        for _ in 0..WARM_UP {
            session.run()?;
        }
        Ok(session.profile(0, runs)?)
    }
}
