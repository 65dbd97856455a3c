//! What N-BEATS and N-HiTS have in common: blocks that each explain a part of the look-back.
//!
//! A block is an MLP whose outputs are coefficients. Its backcast is taken off what the next block sees,
//! its forecast is added to the result. The look-back is seen in reverse, latest value first.

use super::{Activation, Window};
use whimbrel_graph::Var;
use whimbrel_nn::layers::{Dropout, Forward, Linear};
use whimbrel_nn::{NnError, Scope};

/// The hidden layers of a block.
pub(super) struct Units<'a> {
    pub mlp_units: &'a [[usize; 2]],
    pub activation: Activation,
    pub dropout: f32,
}

impl Units<'_> {
    /// The `count` coefficients of a block that sees `x`.
    pub(super) fn coefficients<'g>(
        &self,
        x: Var<'g>,
        count: usize,
        scope: &Scope<'g>,
    ) -> Result<Var<'g>, NnError> {
        // Activation and dropout count as layers in the names; the first layer has neither.
        let mut numbers = 0..;
        let mut place = || scope.child(&format!("layers.{}", numbers.next().unwrap_or(0)));
        let Some([width, _]) = self.mlp_units.first() else {
            let reason = "must hold at least one layer";
            return Err(NnError::setting(scope.place("block"), "mlp_units", "[]", reason));
        };
        let mut y = Linear::new(*width).forward(x, &place())?;
        for [inputs, outputs] in self.mlp_units {
            let linear = Linear { in_features: Some(*inputs), ..Linear::new(*outputs) };
            y = linear.forward(y, &place())?;
            y = self.activation.forward(y, &place())?;
            if self.dropout > 0.0 {
                y = Dropout { p: self.dropout }.forward(y, &place())?;
            }
        }
        Linear::new(count).forward(y, &place())
    }
}

/// Refuses a model without blocks, which would have nothing to learn.
pub(super) fn expect_blocks(model: &str, n_blocks: &[usize]) -> Result<(), NnError> {
    match n_blocks.iter().any(|&blocks| blocks > 0) {
        true => Ok(()),
        false => {
            let reason = "it must have a block in one stack at least";
            Err(NnError::setting(model, "n_blocks", format!("{n_blocks:?}"), reason))
        }
    }
}

/// What a block makes of what it sees.
pub(super) struct Explained<'g> {
    /// Its part of the look-back in reverse, `[input_size, batch]`.
    pub backcast: Var<'g>,
    /// Its part of the forecast, `[horizon, outputs, batch]`.
    pub forecast: Var<'g>,
}

/// The parts of a forecast: the last value, then one for each block.
pub(super) fn parts<'g>(
    window: &Window<'g>,
    blocks: usize,
    block: impl Fn(usize, Var<'g>) -> Result<Explained<'g>, NnError>,
) -> Result<Vec<Var<'g>>, NnError> {
    let level = window.last()?;
    let level = level.broadcast([window.horizon, window.outputs, window.batch()])?;
    let mut parts = vec![level];
    let mask = window.mask.map(|mask| mask.reverse(0)).transpose()?;
    let mut residual = window.y.reverse(0)?;
    for number in 0..blocks {
        let Explained { backcast, forecast } = block(number, residual)?;
        parts.push(forecast);
        residual = residual.sub(backcast)?;
        if let Some(mask) = mask {
            residual = residual.mul(mask)?;
        }
    }
    Ok(parts)
}

/// The parts added up.
pub(super) fn sum<'g>(parts: &[Var<'g>]) -> Result<Var<'g>, NnError> {
    let (first, others) = (parts[0], &parts[1..]);
    Ok(others.iter().try_fold(first, |sum, part| sum.add(*part))?)
}

/// Numbers of each of `steps` steps, `[steps * outputs, batch]`, mapped to the horizon by a matrix
/// `[horizon, steps]`: `[horizon, outputs, batch]`.
pub(super) fn spread<'g>(
    window: &Window<'g>,
    matrix: Var<'g>,
    numbers: Var<'g>,
) -> Result<Var<'g>, NnError> {
    let (steps, columns) = (matrix.shape()[1], window.outputs * window.batch());
    Ok(window.forecast(matrix.dot(numbers.reshape([steps, columns])?)?)?)
}
