//! DLinear (Zeng et al., 2023): a moving average parts the window into trend and season, a dense
//! layer for each.

use super::{Architecture, Window, constant};
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Forward, Linear};
use whimbrel_nn::{NnError, Scope};

/// DLinear and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DLinear {
    /// Values the moving average spans, an odd number.
    pub moving_avg_window: usize,
}

impl Default for DLinear {
    fn default() -> DLinear {
        DLinear { moving_avg_window: 25 }
    }
}

impl Architecture for DLinear {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        if self.moving_avg_window.is_multiple_of(2) {
            let (value, reason) = (self.moving_avg_window, "must be odd");
            return Err(NnError::setting("DLinear", "moving_avg_window", value, reason));
        }
        let input = window.input_size();
        let trend =
            constant(scope, input, input, |to, from| self.share(input, to, from)).dot(window.y)?;
        let season = window.y.sub(trend)?;
        let linear = Linear::new(window.horizon * window.outputs);
        let trend = linear.forward(trend, &scope.child("linear_trend"))?;
        let season = linear.forward(season, &scope.child("linear_season"))?;
        Ok(window.forecast(trend.add(season)?)?)
    }
}

impl DLinear {
    /// How much the value at `from` counts in the centred average at `to`; the first and the last value
    /// stand for those beyond the ends.
    fn share(&self, input: usize, to: usize, from: usize) -> f64 {
        let reach = self.moving_avg_window / 2;
        let times =
            (to..=to + 2 * reach).filter(|at| at.saturating_sub(reach).min(input - 1) == from);
        times.count() as f64 / self.moving_avg_window as f64
    }
}
