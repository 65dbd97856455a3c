//! N-HiTS (Challu et al., 2023): blocks that see the look-back pooled and forecast a few knots, each at a
//! rate of its own.

use super::blocks::{Explained, Units, expect_blocks, parts, spread, sum};
use super::interpolate::Interpolation;
use super::window::{flatten, join};
use super::{Activation, Architecture, Window, constant, expect_share};
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};
use whimbrel_nn::layers::{Forward, MaxPool1d};
use whimbrel_nn::{NnError, Scope};

/// How the steps of a pooling window become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pooling {
    /// The largest.
    #[default]
    MaxPool1d,
    /// The mean.
    AvgPool1d,
}

/// N-HiTS and its settings; the lists have one entry for each stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NHits {
    /// The blocks of each stack.
    pub n_blocks: Vec<usize>,
    /// Inputs and outputs of the hidden layers of every block.
    pub mlp_units: Vec<[usize; 2]>,
    /// Steps that are pooled into one.
    pub n_pool_kernel_size: Vec<usize>,
    /// Steps ahead for each knot.
    pub n_freq_downsample: Vec<usize>,
    /// How steps are pooled.
    pub pooling_mode: Pooling,
    /// How the steps between knots are filled.
    pub interpolation_mode: Interpolation,
    /// The share of units left out while learning.
    pub dropout_prob_theta: f32,
    /// The activation after each hidden layer.
    pub activation: Activation,
}

impl Default for NHits {
    fn default() -> NHits {
        NHits {
            n_blocks: vec![1; 3],
            mlp_units: vec![[512; 2]; 3],
            n_pool_kernel_size: vec![2, 2, 1],
            n_freq_downsample: vec![4, 2, 1],
            pooling_mode: Pooling::MaxPool1d,
            interpolation_mode: Interpolation::Linear,
            dropout_prob_theta: 0.0,
            activation: Activation::Relu,
        }
    }
}

impl Architecture for NHits {
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        sum(&self.parts(window, scope)?)
    }

    fn part_names(&self) -> Vec<String> {
        let blocks = 1..=self.n_blocks.iter().sum();
        std::iter::once("level".into()).chain(blocks.map(|i: usize| format!("block {i}"))).collect()
    }

    fn parts<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Vec<Var<'g>>, NnError> {
        self.check()?;
        let stacks = self.n_blocks.iter().enumerate();
        let stack_of: Vec<usize> =
            stacks.flat_map(|(stack, blocks)| std::iter::repeat_n(stack, *blocks)).collect();
        parts(window, stack_of.len(), |number, residual| {
            self.block(
                stack_of[number],
                residual,
                window,
                &scope.child(&format!("blocks.{number}")),
            )
        })
    }
}

impl NHits {
    fn check(&self) -> Result<(), NnError> {
        expect_share("NHITS", "dropout_prob_theta", self.dropout_prob_theta)?;
        expect_blocks("NHITS", &self.n_blocks)?;
        let stacks = self.n_blocks.len();
        let lists = [
            ("n_pool_kernel_size", &self.n_pool_kernel_size),
            ("n_freq_downsample", &self.n_freq_downsample),
        ];
        for (field, list) in lists {
            if list.len() != stacks || list.contains(&0) {
                let reason =
                    format!("must hold {stacks} numbers above 0, one for each of n_blocks");
                return Err(NnError::setting("NHITS", field, format!("{list:?}"), reason));
            }
        }
        Ok(())
    }

    fn block<'g>(
        &self,
        stack: usize,
        residual: Var<'g>,
        window: &Window<'g>,
        scope: &Scope<'g>,
    ) -> Result<Explained<'g>, NnError> {
        let input = window.input_size();
        let knots = (window.horizon / self.n_freq_downsample[stack]).max(1);
        let units = Units {
            mlp_units: &self.mlp_units,
            activation: self.activation,
            dropout: self.dropout_prob_theta,
        };
        let seen = self.seen(self.n_pool_kernel_size[stack], residual, window, scope)?;
        let count = input + window.outputs * knots;
        let coefficients = units.coefficients(seen, count, scope)?;
        let future = coefficients.slice(0, input, count)?;
        // The knots of one output follow each other.
        let future =
            future.reshape([window.outputs, knots, window.batch()])?.permute(&[1, 0, 2])?;
        let matrix = constant(scope, window.horizon, knots, |step, knot| {
            self.interpolation_mode.share(knots, window.horizon, step, knot)
        });
        let forecast = spread(window, matrix, flatten(future)?)?;
        Ok(Explained { backcast: coefficients.slice(0, 0, input)?, forecast })
    }

    /// What the MLP of a block sees: all that is known of a window, over time pooled.
    fn seen<'g>(
        &self,
        kernel: usize,
        residual: Var<'g>,
        window: &Window<'g>,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        let values = residual.reshape([window.input_size(), 1, window.batch()])?;
        let mut columns = Vec::new();
        for steps in [Some(values), window.historic, window.future].into_iter().flatten() {
            columns.push(flatten(self.pool(kernel, steps, scope)?)?);
        }
        columns.extend(window.fixed);
        Ok(join(&columns, 0)?)
    }

    /// `[time, channels, batch]` pooled over time; the last window may be shorter than the others.
    fn pool<'g>(&self, kernel: usize, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let [time, channels, batch] = [0, 1, 2].map(|axis| x.shape()[axis]);
        let pooled = time.div_ceil(kernel);
        match self.pooling_mode {
            _ if kernel == 1 => Ok(x),
            Pooling::MaxPool1d => {
                MaxPool1d::new(kernel).forward(lengthen(x, pooled * kernel)?, scope)
            }
            Pooling::AvgPool1d => {
                let share = |to: usize, from: usize| match from / kernel == to {
                    true => 1.0 / kernel.min(time - to * kernel) as f64,
                    false => 0.0,
                };
                let columns = x.reshape([time, channels * batch])?;
                let mean = constant(scope, pooled, time, share).dot(columns)?;
                Ok(mean.reshape([pooled, channels, batch])?)
            }
        }
    }
}

/// The last step repeated until there are `steps`: of a window it is in, that does not change the largest.
fn lengthen(x: Var<'_>, steps: usize) -> Result<Var<'_>, GraphError> {
    let time = x.shape()[0];
    match steps - time {
        0 => Ok(x),
        more => {
            let last = x.slice(0, time - 1, time)?;
            let last = last.broadcast([more, x.shape()[1], x.shape()[2]])?;
            Var::concat(&[x, last], 0)
        }
    }
}
