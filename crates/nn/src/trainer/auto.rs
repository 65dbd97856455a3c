//! A batch size chosen by measuring: the one thing in a training that depends on the machine.

use super::batch::Batch;
use super::checkpoint;
use super::feed::Counts;
use super::folder::Folder;
use super::graphs::{outputs, predicting};
use super::machine::{Machine, Turn};
use super::{RowForm, Targets, TrainError, Trainer};
use std::time::{Duration, Instant};

/// The smallest and the largest batch that is tried.
const SIZES: [usize; 2] = [16, 8192];
/// Steps an epoch shall have at least: fewer updates learn less, however fast they are.
const STEPS: usize = 32;
/// How close to the best rate is close enough.
const ENOUGH: f64 = 0.9;
/// How long a size is measured, in each of so many rounds.
const ROUND: Duration = Duration::from_millis(30);
const ROUNDS: usize = 3;

/// What was measured of a batch size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchRate {
    /// Rows in a batch.
    pub batch_size: usize,
    /// Rows learned from in a second.
    pub rows_per_second: f64,
}

impl Trainer {
    /// The smallest batch that is measured.
    pub const SMALLEST_TRIED: usize = SIZES[0];

    /// The batch size of the run to be resumed, where it came to a checkpoint.
    pub fn earlier_batch_size(&self) -> Option<usize> {
        let folder = &self.checkpoints.as_ref()?.folder;
        // Opening makes it.
        let folder = folder.is_dir().then(|| Folder::open(folder))?.ok()?;
        folder.checkpoints().ok()?.iter().find_map(|path| checkpoint::batch_size(path))
    }

    /// Measures batches of powers of two, and chooses the smallest within 10 % of the best rate. None
    /// is tried that leaves an epoch of `rows` rows fewer than 32 steps, or whose plan needs more than
    /// `memory` bytes. Gives what was measured, and the choice.
    pub fn measure_batch_sizes(
        &self,
        form: RowForm,
        rows: usize,
        memory: u64,
    ) -> Result<(Vec<BatchRate>, usize), TrainError> {
        self.check()?;
        let mut rates: Vec<BatchRate> = Vec::new();
        let mut bytes = 0;
        for batch_size in candidates(rows / self.accumulate) {
            // Plans grow with the batch, at most in proportion.
            if !rates.is_empty() && 2 * bytes > memory {
                break;
            }
            let trainer = Trainer { batch_size, accumulate: 1, ..self.clone() };
            let mut trial = Trial::new(&trainer, form)?;
            bytes = trial.machine.session.arena_bytes() as u64;
            rates.push(BatchRate { batch_size, rows_per_second: trial.rows_per_second()? });
        }
        let choice = choose(&rates);
        Ok((rates, choice))
    }
}

/// The sizes to try for an epoch of so many rows.
fn candidates(rows: usize) -> impl Iterator<Item = usize> {
    let [smallest, largest] = SIZES;
    let fits = move |&size: &usize| size == smallest || size <= (rows / STEPS).min(largest);
    std::iter::successors(Some(smallest), |size| Some(size * 2)).take_while(fits)
}

/// The smallest size close enough to the best.
fn choose(rates: &[BatchRate]) -> usize {
    let best = rates.iter().map(|rate| rate.rows_per_second).fold(0.0, f64::max);
    let enough = rates.iter().find(|rate| rate.rows_per_second >= ENOUGH * best);
    enough.map_or(SIZES[0], |rate| rate.batch_size)
}

/// A training of one batch, again and again.
struct Trial {
    machine: Machine,
    batch: Batch,
    step: usize,
}

impl Trial {
    fn new(trainer: &Trainer, form: RowForm) -> Result<Trial, TrainError> {
        let size = trainer.batch_size;
        let prediction = predicting(trainer, form.features, 1)?;
        let counts = Counts { learn: size, validate: 0 };
        let machine = Machine::new(trainer, form, counts, &prediction)?;
        let mut batch = Batch::new(form);
        batch.resize(form, size);
        // Numbers between -1 and 1 without a pattern, and each class in turn.
        let number = |i: usize| ((i * 37 + i / 7) % 201) as f32 / 100.0 - 1.0;
        match trainer.network.indices() {
            Some(count) => {
                batch.inputs.iter_mut().enumerate().for_each(|(i, x)| *x = (i % count) as f32);
            }
            None => batch.inputs.iter_mut().enumerate().for_each(|(i, x)| *x = number(i)),
        }
        let classes = outputs(&prediction).max(1);
        match &mut batch.targets {
            Targets::Values { values, .. } => {
                values.iter_mut().enumerate().for_each(|(i, y)| *y = number(i).abs());
            }
            Targets::Classes(right) => {
                right.iter_mut().enumerate().for_each(|(i, y)| *y = (i % classes) as i32);
            }
        }
        Ok(Trial { machine, batch, step: 0 })
    }

    /// The best rate of some rounds, after one that is not counted.
    fn rows_per_second(&mut self) -> Result<f64, TrainError> {
        let mut best = 0.0;
        for round in 0..=ROUNDS {
            let (start, before) = (Instant::now(), self.step);
            while start.elapsed() < ROUND {
                self.step()?;
            }
            let rows = (self.step - before) * self.batch.rows;
            let rate = rows as f64 / start.elapsed().as_secs_f64();
            if round > 0 && rate > best {
                best = rate;
            }
        }
        Ok(best)
    }

    fn step(&mut self) -> Result<(), TrainError> {
        self.step += 1;
        self.machine.learn(&self.batch, Turn::alone(0.0, self.step))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_size_close_to_the_best_is_chosen() {
        let rate = |(batch_size, rows_per_second)| BatchRate { batch_size, rows_per_second };
        let choice =
            |rates: &[(usize, f64)]| choose(&rates.iter().copied().map(rate).collect::<Vec<_>>());
        assert_eq!(choice(&[(16, 10.0), (32, 50.0), (64, 91.0), (128, 100.0), (256, 80.0)]), 64);
        assert_eq!(choice(&[(16, 95.0), (32, 100.0)]), 16);
        assert_eq!(choice(&[]), 16);
    }

    #[test]
    fn an_epoch_keeps_its_steps() {
        let sizes = |rows| candidates(rows).collect::<Vec<_>>();
        assert_eq!(sizes(0), [16]);
        assert_eq!(sizes(32 * 64), [16, 32, 64]);
        assert_eq!(sizes(32 * 64 - 1), [16, 32]);
        assert_eq!(sizes(usize::MAX).last(), Some(&8192));
    }
}
