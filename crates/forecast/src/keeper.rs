//! Keeper: which of the weights that a training goes through it ends with.
//!
//! Steps at a high rate leave the weights around where the loss is least, not at it, and the validation
//! of one such place is partly luck. The mean of what the weights were since the last validation is nearer
//! to it: that is what is validated and kept, while the steps go on from the last weights.

use crate::{ForecastError, Model};
use whimbrel_engine::Session;

/// How often the weights are taken into their mean between two validations.
const TAKEN: usize = 20;

/// What of the weights is remembered. Without early stopping nothing is: training ends with the last.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    patience: Option<usize>,
    /// Steps from one time the weights are taken to the next, if their mean is wanted.
    every: Option<usize>,
    /// The weights taken since the last validation.
    taken: usize,
    mean: Vec<Vec<f32>>,
    /// The weights to go on from while their mean is in their place.
    last: Option<Vec<Vec<f32>>>,
    best: Option<Best>,
}

/// The best validation so far.
#[derive(Debug)]
struct Best {
    loss: f64,
    /// Validations since then.
    stale: usize,
    weights: Vec<Vec<f32>>,
}

impl Keeper {
    pub(crate) fn new(model: &Model) -> Keeper {
        let patience = model.early_stop_patience_steps;
        let wanted = model.average_weights && patience.is_some();
        let every = wanted.then(|| (model.val_check_steps / TAKEN).max(1));
        Keeper { patience, every, ..Keeper::default() }
    }

    /// Takes the weights `names` into their mean after a step, if it is time.
    pub(crate) fn see(
        &mut self,
        step: usize,
        session: &Session,
        names: &[String],
    ) -> Result<(), ForecastError> {
        if self.every.is_some_and(|every| step.is_multiple_of(every)) {
            self.take(session, names)?;
        }
        Ok(())
    }

    fn take(&mut self, session: &Session, names: &[String]) -> Result<(), ForecastError> {
        self.taken += 1;
        if self.taken == 1 {
            self.mean = read(session, names)?;
            return Ok(());
        }
        let share = 1.0 / self.taken as f32;
        for (mean, name) in self.mean.iter_mut().zip(names) {
            let weights = session.read_state(name)?;
            mean.iter_mut().zip(weights).for_each(|(mean, x)| *mean += (x - *mean) * share);
        }
        Ok(())
    }

    /// Puts the mean of the weights in their place, to be validated; [`Keeper::judge`] puts them back.
    pub(crate) fn show_mean(
        &mut self,
        session: &mut Session,
        names: &[String],
    ) -> Result<(), ForecastError> {
        if self.every.is_none() {
            return Ok(());
        }
        if self.taken == 0 {
            self.take(session, names)?;
        }
        self.last = Some(read(session, names)?);
        self.taken = 0;
        write(session, names, &self.mean)
    }

    /// Remembers the weights if their validation is the best so far; says whether it is time to stop.
    pub(crate) fn judge(
        &mut self,
        loss: f64,
        session: &mut Session,
        names: &[String],
    ) -> Result<bool, ForecastError> {
        let Some(patience) = self.patience else { return Ok(false) };
        let tired = match &mut self.best {
            Some(best) if loss >= best.loss || loss.is_nan() => {
                best.stale += 1;
                best.stale >= patience
            }
            best => {
                *best = Some(Best { loss, stale: 0, weights: read(session, names)? });
                false
            }
        };
        if let Some(last) = self.last.take() {
            write(session, names, &last)?;
        }
        Ok(tired)
    }

    /// Ends with the weights of the best validation.
    pub(crate) fn restore_best(
        &mut self,
        session: &mut Session,
        names: &[String],
    ) -> Result<(), ForecastError> {
        match self.best.take() {
            Some(best) => write(session, names, &best.weights),
            None => Ok(()),
        }
    }
}

fn read(session: &Session, names: &[String]) -> Result<Vec<Vec<f32>>, ForecastError> {
    names.iter().map(|name| Ok(session.read_state(name)?)).collect()
}

fn write(
    session: &mut Session,
    names: &[String],
    weights: &[Vec<f32>],
) -> Result<(), ForecastError> {
    for (name, weights) in names.iter().zip(weights) {
        session.write_state(name, weights)?;
    }
    Ok(())
}
