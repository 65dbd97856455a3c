//! Fits a model to a panel and predicts with it.
//!
//! Two graphs share the parameters in one session: a training step, which gathers its windows from
//! tables by index, and a prediction for a block of series. Everything is a function of the panel and
//! the model's fields: neither the number of threads nor time enters.

use crate::models::NLinear;
use crate::scale::Standard;
use crate::shuffle::Shuffle;
use crate::windows::Windows;
use crate::{ForecastError, Frame, Panel};
use whimbrel_engine::{Options, Session, Slot};
use whimbrel_graph::ops::{Adam, Role};
use whimbrel_graph::{Builder, Graph, GraphError, Init, Type};

/// Series predicted in one run.
const SERIES_BLOCK: usize = 64;
/// Parameters a model may have: with Adam's memory they take three times four bytes each.
const MOST_PARAMETERS: usize = 1 << 27;
/// Steps between looks at the loss.
const LOOK_EVERY: usize = 100;

const TRAIN: usize = 0;
const PREDICT: usize = 1;

/// How far training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps to do.
    pub of: usize,
    /// The loss of the last step, on scaled values.
    pub loss: f32,
}

/// A model with learned parameters.
pub struct Fitted {
    model: NLinear,
    session: Session,
    x: Slot,
    forecast: Slot,
    block: usize,
    windows: usize,
    loss: f32,
}

impl NLinear {
    /// Learns from all windows of a panel.
    pub fn fit(&self, panel: &Panel) -> Result<Fitted, ForecastError> {
        self.fit_with(panel, |_| ())
    }

    /// Learns from all windows of a panel, telling now and then how far it is.
    pub fn fit_with(
        &self,
        panel: &Panel,
        mut tell: impl FnMut(Progress),
    ) -> Result<Fitted, ForecastError> {
        self.check()?;
        let windows = Windows::of(panel, self.input_size, self.horizon)?;
        let block = panel.series().len().clamp(1, SERIES_BLOCK);
        let graphs = [self.step_graph(windows.starts.len())?, self.predict_graph(block)?];
        let options = Options { seed: self.seed, threads: self.threads, ..Options::default() };
        let mut session = Session::with_options(&graphs, &options)?;
        let (inputs, targets) = windows.tables(panel);
        session.write_state("inputs", &inputs)?;
        session.write_state("targets", &targets)?;
        drop((inputs, targets));
        let loss = self.train(&mut session, windows.starts.len(), &mut tell)?;
        Ok(Fitted {
            x: session.input(PREDICT, "x")?,
            forecast: session.output(PREDICT, "forecast")?,
            model: self.clone(),
            session,
            block,
            windows: windows.starts.len(),
            loss,
        })
    }

    /// All training steps; returns the last loss.
    fn train(
        &self,
        session: &mut Session,
        windows: usize,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<f32, ForecastError> {
        let [index, rate, number] =
            ["index", "learning_rate", "step"].map(|name| session.input(TRAIN, name));
        let (index, rate, number) = (index?, rate?, number?);
        let output = session.output(TRAIN, "loss")?;
        let mut shuffle = Shuffle::new(self.seed, windows as i32);
        let mut batch = vec![0; self.batch_size];
        let mut last = [f32::NAN];
        for step in 1..=self.max_steps {
            shuffle.fill(&mut batch);
            session.write_slot_i32(index, "index", &batch)?;
            session.write_slot(rate, "learning_rate", &[self.rate(step)])?;
            session.write_slot(number, "step", &[step as f32])?;
            session.run_graph(TRAIN)?;
            if step % LOOK_EVERY == 0 || step == self.max_steps {
                session.read_slot_into(output, &mut last)?;
                if !last[0].is_finite() {
                    return Err(ForecastError::Diverged { step, loss: last[0] });
                }
                tell(Progress { step, of: self.max_steps, loss: last[0] });
            }
        }
        Ok(last[0])
    }

    /// The learning rate falls linearly to nothing, so that the weights come to rest.
    fn rate(&self, step: usize) -> f32 {
        let left = (self.max_steps + 1 - step) as f64 / self.max_steps as f64;
        (f64::from(self.learning_rate) * left) as f32
    }

    /// One step of Adam on the mean absolute error of a batch of windows.
    fn step_graph(&self, windows: usize) -> Result<Graph, GraphError> {
        let g = Builder::new();
        let index = g.batch("index", Type::i32([self.batch_size]))?;
        let (rate, step) = (g.input("learning_rate", [1])?, g.input("step", [1])?);
        let table = |name: &str, width: usize| {
            g.state(name, [windows, width], Init::Zeros, Role::Table)?.gather(index)
        };
        let (x, y) = (table("inputs", self.input_size)?, table("targets", self.horizon)?);
        let loss = self.forward(x)?.sub(y)?.abs()?.mean()?;
        let parameters = g.parameters();
        let gradients = g.gradients(loss, &parameters)?;
        g.adam(Adam::default(), &parameters, &gradients, rate, step)?;
        g.output("loss", loss);
        g.finish()
    }

    fn predict_graph(&self, block: usize) -> Result<Graph, GraphError> {
        let g = Builder::new();
        let x = g.batch("x", [self.input_size, block])?;
        g.output("forecast", self.forward(x)?);
        g.finish()
    }

    fn check(&self) -> Result<(), ForecastError> {
        let setting = |name, value: String, reason| ForecastError::Setting { name, value, reason };
        for (name, value) in [
            ("horizon", self.horizon),
            ("input size", self.input_size),
            ("max steps", self.max_steps),
            ("batch size", self.batch_size),
        ] {
            if value == 0 {
                return Err(setting(name, "0".into(), "must be at least 1"));
            }
            if value > 1 << 30 {
                return Err(setting(name, value.to_string(), "is too large"));
            }
        }
        let rate = self.learning_rate;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(setting("learning rate", rate.to_string(), "must be a positive number"));
        }
        if self.horizon.saturating_mul(self.input_size) > MOST_PARAMETERS {
            let reason = "times the input size gives too many weights; lower one of them";
            return Err(setting("horizon", self.horizon.to_string(), reason));
        }
        if self.batch_size.saturating_mul(self.input_size + self.horizon) > MOST_PARAMETERS {
            let reason = "windows of this length take too much memory; lower it";
            return Err(setting("batch size", self.batch_size.to_string(), reason));
        }
        Ok(())
    }
}

impl Fitted {
    /// The model as it was configured.
    pub fn model(&self) -> &NLinear {
        &self.model
    }

    /// Windows it learned from.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// The loss of the last training step, on scaled values.
    pub fn loss(&self) -> f32 {
        self.loss
    }

    /// Forecasts the horizon after the end of each series, not only those learned from.
    pub fn predict(&mut self, panel: &Panel) -> Result<Frame, ForecastError> {
        let (input_size, horizon) = (self.model.input_size, self.model.horizon);
        let mut values = Vec::with_capacity(panel.series().len() * horizon);
        let mut x = vec![0.0; input_size * self.block];
        for block in panel.series().chunks(self.block) {
            let scales: Vec<_> = block.iter().map(|s| Standard::of(s.values())).collect();
            for (item, (series, scale)) in block.iter().zip(&scales).enumerate() {
                let rows = series.values().len();
                let Some(from) = rows.checked_sub(input_size) else {
                    let series = series.id().into();
                    return Err(ForecastError::TooShort { series, rows, input_size });
                };
                for (t, &value) in series.values()[from..].iter().enumerate() {
                    x[t * self.block + item] = scale.scale(value);
                }
            }
            self.session.write_slot(self.x, "x", &x)?;
            self.session.run_graph(PREDICT)?;
            let forecast = self.session.read_slot(self.forecast);
            for (item, scale) in scales.iter().enumerate() {
                let steps = forecast.iter().skip(item).step_by(self.block);
                values.extend(steps.map(|&value| scale.invert(value)));
            }
        }
        Ok(panel.future(horizon)?.with_column(NLinear::NAME, values))
    }
}
