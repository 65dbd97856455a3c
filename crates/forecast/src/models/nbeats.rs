//! N-BEATS (Oreshkin et al., 2020): blocks over fixed bases, so that trend and season can be told apart.

use super::blocks::{Explained, Units, expect_blocks, parts, spread, sum};
use super::{Activation, Architecture, Window, constant};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use whimbrel_graph::Var;
use whimbrel_nn::{NnError, Scope};

/// The functions a block builds its backcast and forecast of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The coefficients themselves.
    Identity,
    /// Powers of time.
    Trend,
    /// Sines and cosines over the horizon.
    Seasonality,
}

/// N-BEATS and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NBeats {
    /// Steps of frequency in one turn; 0 leaves a level of the season alone.
    pub n_harmonics: usize,
    /// The highest power of time.
    pub n_basis: usize,
    /// The basis of each stack.
    pub stack_types: Vec<Basis>,
    /// The blocks of each stack.
    pub n_blocks: Vec<usize>,
    /// Inputs and outputs of the hidden layers of every block.
    pub mlp_units: Vec<[usize; 2]>,
    /// The activation after each.
    pub activation: Activation,
}

impl Default for NBeats {
    fn default() -> NBeats {
        NBeats {
            n_harmonics: 2,
            n_basis: 2,
            stack_types: vec![Basis::Identity, Basis::Trend, Basis::Seasonality],
            n_blocks: vec![1; 3],
            mlp_units: vec![[512; 2]; 3],
            activation: Activation::Relu,
        }
    }
}

impl Architecture for NBeats {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        sum(&self.parts(window, scope)?)
    }

    fn part_names(&self) -> Vec<String> {
        let name = |basis: &Basis| format!("{basis:?}").to_lowercase();
        std::iter::once("level".into()).chain(self.bases().iter().map(name)).collect()
    }

    fn parts<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Vec<Var<'g>>, NnError> {
        if self.stack_types.len() != self.n_blocks.len() {
            let reason = "must have one number for each of stack_types";
            let value = format!("{:?}", self.n_blocks);
            return Err(NnError::setting("NBEATS", "n_blocks", value, reason));
        }
        expect_blocks("NBEATS", &self.n_blocks)?;
        let bases = self.bases();
        parts(window, bases.len(), |number, residual| {
            self.block(bases[number], residual, window, &scope.child(&format!("blocks.{number}")))
        })
    }
}

impl NBeats {
    /// The basis of each block.
    fn bases(&self) -> Vec<Basis> {
        let stacks = self.stack_types.iter().zip(&self.n_blocks);
        stacks.flat_map(|(basis, blocks)| std::iter::repeat_n(*basis, *blocks)).collect()
    }

    fn block<'g>(
        &self,
        basis: Basis,
        residual: Var<'g>,
        window: &Window<'g>,
        scope: &Scope<'g>,
    ) -> Result<Explained<'g>, NnError> {
        let Window { horizon, outputs, .. } = *window;
        let input = window.input_size();
        let turns = self.turns(horizon);
        let (back, ahead) = match basis {
            Basis::Identity => (input, horizon),
            Basis::Trend => (self.n_basis + 1, self.n_basis + 1),
            Basis::Seasonality => (2 * turns.len(), 2 * turns.len()),
        };
        let units = Units { mlp_units: &self.mlp_units, activation: self.activation, dropout: 0.0 };
        let count = back + ahead * outputs;
        let coefficients = units.coefficients(residual, count, scope)?;
        let (past, future) = (coefficients.slice(0, 0, back)?, coefficients.slice(0, back, count)?);
        // A matrix from coefficients to `time` steps; of waves, the past runs away from the forecast.
        let matrix = |time: usize, direction: f64| {
            constant(scope, time, back, |t, column| match basis {
                Basis::Seasonality => {
                    let angle = TAU * (t as f64 / horizon as f64) * turns[column % turns.len()];
                    match column < turns.len() {
                        true => angle.cos(),
                        false => direction * angle.sin(),
                    }
                }
                _ => (t as f64 / time as f64).powi(column as i32),
            })
        };
        match basis {
            Basis::Identity => Ok(Explained { backcast: past, forecast: window.forecast(future)? }),
            _ => Ok(Explained {
                backcast: matrix(input, -1.0).dot(past)?,
                forecast: spread(window, matrix(horizon, 1.0), future)?,
            }),
        }
    }

    /// Turns over the horizon: none, then one to half the horizon in steps of `1 / n_harmonics`.
    fn turns(&self, horizon: usize) -> Vec<f64> {
        let harmonics = self.n_harmonics;
        let turns = (harmonics..).take_while(|&i| 2 * i < harmonics * horizon);
        [0.0].into_iter().chain(turns.map(|i| i as f64 / harmonics as f64)).collect()
    }
}
