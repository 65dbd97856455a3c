//! Fits a model to a panel.
//!
//! Everything is a function of the panel and the model's fields: neither the number of threads nor time
//! enters. With early stopping the weights of the best validation are kept.

use crate::batch::Batch;
use crate::distribution::Distribution;
use crate::draw::Draw;
use crate::graphs::{self, PREDICT, TRAIN, VALIDATE};
use crate::keeper::Keeper;
use crate::sample_weight::SampleWeights;
use crate::sizes::relative_sizes;
use crate::source::Source;
use crate::transforms::Prepared;
use crate::windows::{Place, Windows};
use crate::{Fitted, ForecastError, Model, Panel};
use std::ops::ControlFlow;
use whimbrel_engine::{Options, Session, Slot};
use whimbrel_nn::schedules::{Schedule, Scheduler, Step};

/// Windows validated in one run.
const VALIDATION_BLOCK: usize = 256;

/// How far training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps to do, unless it stops early.
    pub of: usize,
    /// The loss of the last step, on scaled values.
    pub loss: f32,
    /// The loss of the validation after it, of the weights that early stopping may keep, in the unit of the
    /// series, as far as those are only shifted and scaled; of several, each over its size relative to a
    /// typical one.
    pub validation: Option<f64>,
}

impl Model {
    /// Learns from all windows of a panel.
    pub fn fit(&self, panel: &Panel) -> Result<Fitted, ForecastError> {
        self.fit_with(panel, |_| ControlFlow::Continue(()))
    }

    /// Learns from all windows of a panel, telling now and then how far it is; the answer
    /// [`ControlFlow::Break`] ends it with [`ForecastError::Stopped`].
    pub fn fit_with(
        &self,
        panel: &Panel,
        tell: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Fitted, ForecastError> {
        self.learn(panel, None, tell)
    }

    /// Learns on from what a model of the same network has learned, telling now and then how far it is.
    /// Loss, rates, scalers and data may be others.
    ///
    /// # Errors
    /// Beside those of learning, if the networks differ.
    pub fn fit_from(
        &self,
        start: &Fitted,
        panel: &Panel,
        tell: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Fitted, ForecastError> {
        self.learn(panel, Some(start), tell)
    }

    fn learn(
        &self,
        panel: &Panel,
        start: Option<&Fitted>,
        tell: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Fitted, ForecastError> {
        self.check()?;
        self.check_counts(panel)?;
        let chosen = self.choose(panel)?;
        let counts = SampleWeights::of(self, panel)?;
        let prepared = Prepared::new(self, panel, self.val_size)?;
        let panel: &Panel = &prepared.panel;
        let windows = Windows::to_learn(panel, self)?;
        let validation =
            Windows::to_validate(panel, self.input_size, self.horizon, self.val_size.max(1));
        if self.val_size > 0 && validation.len() == 0 {
            return Err(ForecastError::NoValidation { rows: self.val_size });
        }
        let mut graphs = vec![
            graphs::training(self, self.windows_batch_size)?,
            graphs::predicting(self, panel.series().len().clamp(1, graphs::SERIES_BLOCK))?,
        ];
        if self.val_size > 0 {
            graphs.push(graphs::validating(self, VALIDATION_BLOCK)?);
        }
        let weights = graphs[PREDICT].state().map(|value| graphs[PREDICT].label(value)).collect();
        let options =
            Options { seed: self.random_seed, threads: self.threads, ..Options::default() };
        let mut run = Run {
            model: self,
            session: Session::with_options(&graphs, &options)?,
            weights,
            keeper: Keeper::new(self),
            loss: f32::NAN,
        };
        if let Some(start) = start {
            run.start_from(start)?;
        }
        let source = Source::new(panel, chosen, prepared.scaler, self.scaler_type, self.val_size);
        run.train(panel, source.weighted(counts), &windows, &validation, tell)?;
        Fitted::new(self.clone(), run.session, PREDICT, run.weights, windows.len(), run.loss)
    }
}

/// A training under way.
struct Run<'a> {
    model: &'a Model,
    session: Session,
    /// The names of the state that predictions need.
    weights: Vec<String>,
    keeper: Keeper,
    loss: f32,
}

impl Run<'_> {
    fn train(
        &mut self,
        panel: &Panel,
        source: Source,
        windows: &Windows,
        validation: &Windows,
        mut tell: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), ForecastError> {
        let model = self.model;
        let units = match Distribution::of(&model.loss) {
            // Counts have no other unit.
            Some(distribution) if distribution.of_counts() => vec![1.0; panel.series().len()],
            _ => relative_sizes(panel),
        };
        let held_out = source.whole().in_units(units);
        let batch = Batch::new(model, &self.session, TRAIN)?;
        let mut draw = Draw::new(windows, model.batch_size, model.random_seed);
        let mut numbers = vec![0; model.windows_batch_size];
        // Where the windows of a step lie, and after them those of the next one.
        let mut places: Vec<Place> = Vec::with_capacity(2 * numbers.len());
        let mut rate = Scheduler::new(model.schedule(), f64::from(model.learning_rate));
        let [lr, step_input] = ["lr", "step"].map(|name| self.session.input(TRAIN, name));
        let (lr, step_input, loss) = (lr?, step_input?, self.session.output(TRAIN, "loss")?);
        let random = self.session.input(TRAIN, "random").ok();
        for step in 1..=model.max_steps {
            places.drain(..places.len().min(numbers.len()));
            while places.len() < 2 * numbers.len() {
                draw.fill(&mut numbers);
                places.extend(numbers.iter().map(|&number| windows.place(number)));
            }
            batch.fill(&mut self.session, &source, &places)?;
            self.session.write_slot(lr, "lr", &[rate.lr(step - 1) as f32])?;
            self.session.write_slot(step_input, "step", &[step as f32])?;
            if let Some(random) = random {
                let seed = (model.random_seed ^ (model.random_seed >> 32)) as i32;
                self.session.write_slot_i32(random, "random", &[seed, step as i32])?;
            }
            self.session.run_graph(TRAIN)?;
            self.keeper.see(step, &self.session, &self.weights)?;
            if step % model.val_check_steps != 0 && step != model.max_steps {
                continue;
            }
            let mut last = [0.0];
            self.session.read_slot_into(loss, &mut last)?;
            self.loss = last[0];
            if !self.loss.is_finite() {
                return Err(ForecastError::Diverged { step, loss: self.loss });
            }
            let checked = match model.val_size {
                0 => None,
                _ => Some(self.validate(&held_out, validation)?),
            };
            let progress =
                Progress { step, of: model.max_steps, loss: self.loss, validation: checked };
            if tell(progress).is_break() {
                return Err(ForecastError::Stopped { step });
            }
            if let Some(loss) = checked {
                rate.observe(step, loss);
                if self.keeper.judge(loss, &mut self.session, &self.weights)? {
                    break;
                }
            }
        }
        self.keeper.restore_best(&mut self.session, &self.weights)?;
        self.expect_finite()
    }

    /// Refuses weights that are no numbers any more: of the last step the loss does not tell.
    fn expect_finite(&self) -> Result<(), ForecastError> {
        for weight in &self.weights {
            if self.session.read_state(weight)?.iter().any(|x| !x.is_finite()) {
                return Err(ForecastError::NotFinite { weight: weight.clone() });
            }
        }
        Ok(())
    }

    /// Takes over the weights of another model.
    fn start_from(&mut self, start: &Fitted) -> Result<(), ForecastError> {
        let other = |name: &str| ForecastError::OtherNetwork { weight: name.into() };
        for name in start.weights() {
            if !self.weights.iter().any(|known| known == name) {
                return Err(other(name));
            }
        }
        for name in &self.weights {
            let (from, to) = (start.session().state(name), self.session.state(name)?);
            let same = |slot: &Slot| start.session().ty(*slot) == self.session.ty(to);
            let from = from.ok().filter(same).ok_or_else(|| other(name))?;
            self.session.write_slot(to, name, &start.session().read_slot(from))?;
        }
        Ok(())
    }

    /// The mean loss of all windows of the validation, as the keeper shows the weights. Series come back in
    /// units of their size: otherwise those of the smallest unit would decide alone.
    fn validate(&mut self, source: &Source, windows: &Windows) -> Result<f64, ForecastError> {
        self.keeper.show_mean(&mut self.session, &self.weights)?;
        let batch = Batch::new(self.model, &self.session, VALIDATE)?;
        let output = self.session.output(VALIDATE, "loss")?;
        let mut sum = 0.0;
        for first in (0..windows.len()).step_by(batch.size()) {
            let places = windows.places(first..windows.len().min(first + batch.size()));
            batch.fill(&mut self.session, source, &places)?;
            self.session.run_graph(VALIDATE)?;
            let mut loss = [0.0];
            self.session.read_slot_into(output, &mut loss)?;
            sum += f64::from(loss[0]) * places.len() as f64;
        }
        Ok(sum / windows.len() as f64)
    }
}

impl Model {
    /// Refuses values that the loss has no likelihood for.
    fn check_counts(&self, panel: &Panel) -> Result<(), ForecastError> {
        if !Distribution::of(&self.loss).is_some_and(Distribution::of_counts) {
            return Ok(());
        }
        let values =
            panel.series().iter().flat_map(|one| one.values().iter().map(move |y| (one, y)));
        match values.into_iter().find(|(_, value)| **value < 0.0) {
            None => Ok(()),
            Some((series, &value)) => Err(ForecastError::Negative {
                series: series.id().into(),
                value,
                loss: self.loss.kind(),
            }),
        }
    }

    /// How the learning rate changes from step to step.
    fn schedule(&self) -> Schedule {
        let halved = || {
            let step_size = match self.num_lr_decays {
                0 => usize::MAX,
                decays => (self.max_steps / decays).max(1),
            };
            Step { step_size, gamma: 0.5 }.into()
        };
        self.lr_scheduler.clone().unwrap_or_else(halved)
    }
}
