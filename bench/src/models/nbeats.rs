//! N-BEATS: blocks that each explain a part of the window and forecast its continuation.
//!
//! A block is an MLP whose outputs are coefficients of a basis: its backcast is taken off what the
//! next block sees, its forecast is added to the result. The window is seen in reverse, latest
//! value first.

use super::layers::linear;
use std::f64::consts::TAU;
use whimbrel_graph::{Builder, GraphError, Var};

/// The functions a block builds its backcast and forecast of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The coefficients themselves.
    Identity,
    /// Powers of time up to `degree`.
    Trend {
        /// The highest power.
        degree: usize,
    },
    /// Sines and cosines over the horizon.
    Seasonality {
        /// Steps of frequency in one turn.
        harmonics: usize,
    },
}

/// Sizes of N-BEATS.
#[derive(Clone, Debug)]
pub struct NBeats {
    /// One block each.
    pub blocks: Vec<Basis>,
    /// Units of each hidden layer.
    pub hidden: usize,
    /// Hidden layers with activation.
    pub layers: usize,
}

impl Default for NBeats {
    fn default() -> NBeats {
        let blocks =
            vec![Basis::Identity, Basis::Trend { degree: 2 }, Basis::Seasonality { harmonics: 2 }];
        NBeats { blocks, hidden: 512, layers: 3 }
    }
}

impl NBeats {
    /// Forecasts `[horizon, batch]` from windows `[input, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, horizon: usize) -> Result<Var<'g>, GraphError> {
        let (g, input) = (x.builder(), x.shape()[0]);
        let reversed = |at: usize| if at / input + at % input + 1 == input { 1.0 } else { 0.0 };
        let reverse = g.constant([input, input], (0..input * input).map(reversed).collect());
        let mut residual = reverse.dot(x)?;
        let mut forecast = x.slice(0, input - 1, input)?;
        for (i, basis) in self.blocks.iter().enumerate() {
            let (backcast, ahead) =
                self.block(residual, &format!("blocks.{i}"), *basis, horizon)?;
            residual = residual.sub(backcast)?;
            forecast = forecast.add(ahead)?;
        }
        Ok(forecast)
    }

    /// Backcast `[input, batch]` and forecast `[horizon, batch]` of one block.
    fn block<'g>(
        &self,
        residual: Var<'g>,
        name: &str,
        basis: Basis,
        horizon: usize,
    ) -> Result<(Var<'g>, Var<'g>), GraphError> {
        let input = residual.shape()[0];
        // Activations count as layers in the names; the first layer has none.
        let mut y = linear(residual, &format!("{name}.layers.0"), self.hidden)?;
        for layer in 0..self.layers {
            y = linear(y, &format!("{name}.layers.{}", 2 * layer + 1), self.hidden)?.relu()?;
        }
        let [back, ahead] = basis.coefficients(input, horizon);
        let last = format!("{name}.layers.{}", 2 * self.layers + 1);
        let theta = linear(y, &last, back + ahead)?;
        basis.expand(theta, input, horizon)
    }
}

impl Basis {
    /// Coefficients of backcast and forecast.
    fn coefficients(self, input: usize, horizon: usize) -> [usize; 2] {
        match self {
            Basis::Identity => [input, horizon],
            Basis::Trend { degree } => [degree + 1; 2],
            Basis::Seasonality { harmonics } => [2 * frequencies(harmonics, horizon).len(); 2],
        }
    }

    /// Backcast and forecast with the coefficients `theta`.
    fn expand<'g>(
        self,
        theta: Var<'g>,
        input: usize,
        horizon: usize,
    ) -> Result<(Var<'g>, Var<'g>), GraphError> {
        let g = theta.builder();
        let [back, ahead] = self.coefficients(input, horizon);
        let backcast = theta.slice(0, 0, back)?;
        let forecast = theta.slice(0, back, back + ahead)?;
        match self {
            Basis::Identity => Ok((backcast, forecast)),
            Basis::Trend { degree } => {
                let powers = |time: usize| {
                    table(g, [time, degree + 1], |t, p| (t as f64 / time as f64).powi(p as i32))
                };
                Ok((powers(input).dot(backcast)?, powers(horizon).dot(forecast)?))
            }
            Basis::Seasonality { harmonics } => {
                let frequencies = frequencies(harmonics, horizon);
                // Backcast time runs from the forecast's start into the past.
                let waves = |time: usize, direction: f64| {
                    table(g, [time, 2 * frequencies.len()], |t, wave| {
                        let frequency = frequencies[wave % frequencies.len()];
                        let angle = direction * TAU * (t as f64 / horizon as f64) * frequency;
                        if wave < frequencies.len() { angle.cos() } else { angle.sin() }
                    })
                };
                Ok((waves(input, -1.0).dot(backcast)?, waves(horizon, 1.0).dot(forecast)?))
            }
        }
    }
}

/// Turns over the horizon: none, then one to half the horizon in steps of `1 / harmonics`.
fn frequencies(harmonics: usize, horizon: usize) -> Vec<f64> {
    let turns = (harmonics..).take_while(|&i| 2 * i < harmonics * horizon);
    [0.0].into_iter().chain(turns.map(|i| i as f64 / harmonics as f64)).collect()
}

/// A constant matrix by row and column.
fn table<'g>(
    g: &'g Builder,
    [rows, columns]: [usize; 2],
    element: impl Fn(usize, usize) -> f64,
) -> Var<'g> {
    let at = |i: usize| element(i / columns, i % columns) as f32;
    g.constant([rows, columns], (0..rows * columns).map(at).collect())
}
