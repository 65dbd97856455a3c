//! Objective: what a model makes small, in the graphs of its training and validation.

use crate::Model;
use crate::distribution::Distribution;
use whimbrel_graph::{GraphError, Var};
use whimbrel_nn::NnError;
use whimbrel_nn::losses::{Criterion, Target};

/// The loss of forecasts of scaled targets; with `back` (shift and scale, `[1, batch]` each) that in the
/// unit of the series. Distributions need it.
pub(crate) fn loss<'g>(
    model: &Model,
    forecast: Var<'g>,
    target: Target<'g>,
    back: Option<[Var<'g>; 2]>,
) -> Result<Var<'g>, NnError> {
    let target = weighted(model, target)?;
    match (Distribution::of(&model.loss), back) {
        (Some(distribution), Some(back)) => distribution.loss(forecast, target, back),
        (_, None) => model.loss.loss(forecast, target),
        (None, Some([shift, scale])) => {
            let back = |x: Var<'g>| -> Result<Var<'g>, GraphError> {
                x.mul(scale.broadcast(x.shape())?)?.add(shift.broadcast(x.shape())?)
            };
            let history = target.history.map(back).transpose()?;
            let target = Target { values: back(target.values)?, history, ..target };
            model.loss.loss(back(forecast)?, target)
        }
    }
}

/// The target with the weights of the steps ahead, beside those of its windows.
fn weighted<'g>(model: &Model, target: Target<'g>) -> Result<Target<'g>, GraphError> {
    let Some(steps) = &model.horizon_weight else { return Ok(target) };
    let steps = target.values.builder().constant([steps.len(), 1, 1], steps.clone());
    let weight = target.weight.map_or(Ok(steps), |windows| steps.mul(windows))?;
    Ok(target.weighted(weight))
}
