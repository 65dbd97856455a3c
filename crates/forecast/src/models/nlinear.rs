//! NLinear (Zeng et al., 2023): a linear map of the look-back, taken relative to its last value.
//!
//! Subtracting the last value and adding it back lets the level of a series drift away from where
//! it was learned without hurting the forecast.
//!
//! The model to imitate: a struct of settings with the defaults of NeuralForecast, and a method that
//! writes it into a graph under the names NeuralForecast gives the parameters.

use super::{Architecture, Window};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Forward, Linear};
use whimbrel_nn::{NnError, Scope};

/// NLinear; it has no settings of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NLinear {}

impl Architecture for NLinear {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let last = window.last()?;
        let linear = Linear::new(window.horizon * window.outputs);
        let ahead = linear.forward(window.y.sub(last)?, &scope.child("linear"))?;
        Ok(window.forecast(ahead.add(last)?)?)
    }
}
