//! DLinear: a moving average parts the window into trend and season, a dense layer for each.

use super::layers::linear;
use whimbrel_graph::{GraphError, Var};

/// Sizes of DLinear.
#[derive(Clone, Copy, Debug)]
pub struct DLinear {
    /// Values the moving average spans, an odd number.
    pub moving_average: usize,
}

impl Default for DLinear {
    fn default() -> DLinear {
        DLinear { moving_average: 25 }
    }
}

impl DLinear {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let input = x.shape()[0];
        let average = x.builder().constant([input, input], self.average(input));
        let trend = average.dot(x)?;
        let season = x.sub(trend)?;
        let trend = linear(trend, "linear_trend", horizon)?;
        trend.add(linear(season, "linear_season", horizon)?)
    }

    /// The centred moving average of `input` values as a matrix, the first and last value repeated
    /// beyond the ends.
    fn average(&self, input: usize) -> Vec<f32> {
        let reach = self.moving_average / 2;
        let mut matrix = vec![0.0; input * input];
        for to in 0..input {
            for at in to..=to + 2 * reach {
                let from = at.saturating_sub(reach).min(input - 1);
                matrix[to * input + from] += 1.0 / self.moving_average as f32;
            }
        }
        matrix
    }
}
