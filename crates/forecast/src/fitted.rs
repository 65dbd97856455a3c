//! Fitted: a model with learned parameters.

use crate::batch::{Batch, Source};
use crate::fit::Inputs;
use crate::graphs::PREDICT;
use crate::windows::Windows;
use crate::{ForecastError, Frame, Model, Panel};
use whimbrel_engine::{Session, Slot};
use whimbrel_nn::losses::Loss;

/// A model with learned parameters.
pub struct Fitted {
    model: Model,
    session: Session,
    /// The names of the state that predictions need.
    weights: Vec<String>,
    inputs: Inputs,
    forecast: Slot,
    block: usize,
    windows: usize,
    loss: f32,
}

impl Fitted {
    pub(crate) fn new(
        model: Model,
        session: Session,
        weights: Vec<String>,
        windows: usize,
        loss: f32,
    ) -> Result<Fitted, ForecastError> {
        let forecast = session.output(PREDICT, "forecast")?;
        let block = session.ty(forecast).shape[2];
        let inputs = Inputs::of(&session, PREDICT);
        Ok(Fitted { model, session, weights, inputs, forecast, block, windows, loss })
    }

    /// The model as it was configured.
    pub fn model(&self) -> &Model {
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

    /// Numbers it has learned.
    pub fn parameters(&self) -> usize {
        let sizes = self.weights.iter().filter_map(|name| self.session.state(name).ok());
        sizes.map(|slot| self.session.ty(slot).numel()).sum()
    }

    /// Forecasts the horizon after the end of each series, not only those learned from.
    pub fn predict(&mut self, panel: &Panel) -> Result<Frame, ForecastError> {
        let (model, block) = (&self.model, self.block);
        let (horizon, outputs) = (model.horizon, model.outputs());
        let windows = Windows::to_predict(panel, model.input_size, horizon);
        let source = Source::new(panel, model.local_scaler_type, model.scaler_type, 0);
        let mut batch = Batch::new(&windows, block);
        let mut columns = vec![Vec::with_capacity(windows.len() * horizon); outputs];
        for first in (0..windows.len()).step_by(block) {
            let numbers = first..windows.len().min(first + block);
            batch.gather(&source, numbers.clone().map(|number| windows.place(number)));
            self.inputs.write(&mut self.session, &batch)?;
            self.session.run_graph(PREDICT)?;
            let forecast = self.session.read_slot(self.forecast);
            for item in 0..numbers.len() {
                let map = batch.map(item);
                for step in forecast.chunks_exact(outputs * block) {
                    let mut numbers: Vec<f32> =
                        step[item..].iter().step_by(block).copied().collect();
                    // Quantiles that were learned apart may cross.
                    numbers.sort_unstable_by(f32::total_cmp);
                    for (column, number) in columns.iter_mut().zip(numbers) {
                        column.push(map.invert(number));
                    }
                }
            }
        }
        let mut frame = panel.future(horizon)?;
        for (name, column) in self.model.columns().iter().zip(columns) {
            frame = frame.with_column(name, column);
        }
        Ok(frame)
    }
}

impl Model {
    /// The names of its columns in a frame.
    pub fn columns(&self) -> Vec<String> {
        let name = self.name();
        match &self.loss {
            Loss::MultiQuantile(loss) => {
                let mut quantiles = loss.quantiles.clone();
                quantiles.sort_unstable_by(f32::total_cmp);
                quantiles.into_iter().map(|q| quantile_column(name, q)).collect()
            }
            _ => vec![name.into()],
        }
    }
}

/// The column of a quantile as NeuralForecast names it: the median, or the edge of the interval it ends.
fn quantile_column(name: &str, quantile: f32) -> String {
    let level = ((quantile - 0.5).abs() * 2000.0).round() / 10.0;
    match quantile {
        q if level == 0.0 && q == 0.5 => format!("{name}-median"),
        q if q < 0.5 => format!("{name}-lo-{level}"),
        _ => format!("{name}-hi-{level}"),
    }
}
