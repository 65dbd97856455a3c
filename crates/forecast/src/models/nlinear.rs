//! NLinear (Zeng et al., 2023): a linear map of the look-back, taken relative to its last value.
//!
//! Subtracting the last value and adding it back lets the level of a series drift away from where
//! it was learned without hurting the forecast.

use whimbrel_graph::{GraphError, Init, Var};

/// NLinear and how it is trained; fields have NeuralForecast's names and meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct NLinear {
    /// Steps to forecast.
    pub horizon: usize,
    /// Steps to look back over.
    pub input_size: usize,
    /// Training steps.
    pub max_steps: usize,
    /// Adam's learning rate at the start.
    pub learning_rate: f32,
    /// Windows in one training step.
    pub batch_size: usize,
    /// Decides the first weights and the order of the windows.
    pub seed: u64,
    /// Threads that share the work; 0 for the cores the process may use. Results do not depend on it.
    pub threads: usize,
}

impl NLinear {
    /// The model's column in a frame.
    pub const NAME: &'static str = "NLinear";

    /// Forecasts `horizon` steps from twice as many, trained with the defaults.
    pub const fn new(horizon: usize) -> NLinear {
        NLinear {
            horizon,
            input_size: horizon.saturating_mul(2),
            max_steps: 2000,
            learning_rate: 1e-3,
            batch_size: 32,
            seed: 1,
            threads: 0,
        }
    }

    /// From look-backs `[input_size, batch]` to forecasts `[horizon, batch]`.
    pub(crate) fn forward<'g>(&self, x: Var<'g>) -> Result<Var<'g>, GraphError> {
        let (g, (input, horizon)) = (x.builder(), (self.input_size, self.horizon));
        let init = Init::Uniform { bound: 1.0 / (input as f32).sqrt() };
        let weight = g.parameter("linear.weight", [horizon, input], init)?;
        let bias = g.parameter("linear.bias", [horizon, 1], init)?;
        let last = x.slice(0, input - 1, input)?;
        weight.dot(x.sub(last)?)?.add(bias)?.add(last)
    }
}
