//! Steps of training runs, timed from one of them to a later one, and the losses of the first ones.

use std::ops::ControlFlow;
use std::time::Instant;

use whimbrel_forecast::{ForecastError, Model, Panel};

use crate::forecasters::{Forecaster, hand_over, panel};
use crate::models::INPUT;

/// Steps whose losses are compared; `peers/forecast-train.py` has the same.
const ANSWER_STEPS: usize = 8;

/// Training runs of a model.
pub struct Steps<'a> {
    model: Model,
    panel: &'a Panel,
    /// Seconds a step takes, as far as known.
    usual: Option<f64>,
}

impl<'a> Steps<'a> {
    /// Runs over batches of `batch` windows of a panel.
    pub fn new(forecaster: &Forecaster, panel: &'a Panel, batch: usize) -> Steps<'a> {
        let model = Model { windows_batch_size: batch, ..forecaster.model.clone() };
        Steps { model, panel, usual: None }
    }

    /// Seconds a step takes, the mean over about `seconds` of a run of its own.
    pub fn block(&mut self, seconds: f64) -> Result<f64, ForecastError> {
        let mut usual = match self.usual {
            Some(usual) => usual,
            None => self.run(4)?,
        };
        // What a few steps told may be far off.
        for _ in 0..2 {
            let steps = ((seconds / usual).round() as usize).max(4);
            let took = self.run(steps)?;
            usual = took;
            if took * steps as f64 > seconds / 2.0 {
                break;
            }
        }
        self.usual = Some(usual);
        Ok(usual)
    }

    /// Seconds a step takes, the mean over the second half of twice as many steps.
    fn run(&self, steps: usize) -> Result<f64, ForecastError> {
        let model = Model { max_steps: 2 * steps, val_check_steps: steps, ..self.model.clone() };
        let mut times = Vec::with_capacity(2);
        model.fit_with(self.panel, |_| {
            times.push(Instant::now());
            ControlFlow::Continue(())
        })?;
        match times[..] {
            [middle, end] => Ok((end - middle).as_secs_f64() / steps as f64),
            _ => Ok(f64::NAN),
        }
    }
}

/// The losses of the first steps over the same `batch` windows, from weights the peer is given too.
pub fn losses(forecaster: &Forecaster, batch: usize) -> Result<Vec<f32>, ForecastError> {
    let panel = panel(1, INPUT + batch)?;
    let first = Model { max_steps: 1, windows_batch_size: batch, ..forecaster.model.clone() };
    let start = first.fit(&panel)?;
    hand_over(forecaster.name, &start, &panel)?;
    let mut losses = Vec::with_capacity(ANSWER_STEPS);
    let model = Model { max_steps: ANSWER_STEPS, val_check_steps: 1, ..first };
    model.fit_from(&start, &panel, |progress| {
        losses.push(progress.loss);
        ControlFlow::Continue(())
    })?;
    Ok(losses)
}
