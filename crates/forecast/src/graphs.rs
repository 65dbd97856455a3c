//! The graphs of a model: a training step, a validation, a prediction. They share the weights by name.

use crate::distribution::Distribution;
use crate::models::{Architecture, Window};
use crate::{Model, objective, window_norm};
use whimbrel_graph::{Builder, Graph, Type, Var};
use whimbrel_nn::losses::{Loss, Target};
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::{NnError, Scope};

/// Series predicted in one run, at most.
pub(crate) const SERIES_BLOCK: usize = 64;

/// Which graph of a session is which.
pub(crate) const TRAIN: usize = 0;
pub(crate) const PREDICT: usize = 1;
pub(crate) const VALIDATE: usize = 2;

/// One step of Adam on a batch of windows: inputs `y`, `mask`, `target`, `target_mask`, `lr`, `step`, with
/// exogenous columns `historic`, `future`, `fixed`, with dropout `random`; of distributions and relative
/// losses `shift` and `scale`; with sample weights `weight`; output `loss`.
pub(crate) fn training(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let random = g.input("random", Type::i32([2]))?;
    let window = window(model, &g, batch)?;
    let scope = Scope::training(&g).with_random(random);
    let mut forecast = window_norm::forward(model, &window, &scope)?;
    let mut target = target(model, &g, batch)?.with_history(window.y);
    if is_relative(&model.loss) {
        forecast = window_norm::expand(model, forecast)?;
    } else {
        target.values = window_norm::compress(model, target.values)?;
        target = target.with_history(window_norm::compress(model, window.y)?);
    }
    if model.sample_weight.is_some() {
        target = target.weighted(g.batch("weight", [1, 1, batch])?);
    }
    let in_own_unit = is_relative(&model.loss) || Distribution::of(&model.loss).is_some();
    let back = in_own_unit.then(|| back(&g, batch)).transpose()?;
    let loss = objective::loss(model, forecast, target, back)?;
    let adam = Adam { lr: f64::from(model.learning_rate), ..Adam::default() };
    Optimiser::new(adam).minimise(loss)?;
    g.output("loss", loss);
    Ok(g.finish()?)
}

/// Whether a loss compares errors with values, which scaling would move towards 0.
pub(crate) fn is_relative(loss: &Loss) -> bool {
    matches!(loss, Loss::Mape(_) | Loss::Smape(_))
}

/// The loss of a batch in the unit of the series: `shift` and `scale` bring forecast and target back.
pub(crate) fn validating(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let window = window(model, &g, batch)?;
    let forecast = window_norm::forward(model, &window, &Scope::predicting(&g))?;
    let forecast = window_norm::expand(model, forecast)?;
    let target = target(model, &g, batch)?.with_history(window.y);
    g.output("loss", objective::loss(model, forecast, target, Some(back(&g, batch)?))?);
    Ok(g.finish()?)
}

/// What brings the values of each window back: inputs `shift` and `scale`.
fn back(g: &Builder, batch: usize) -> Result<[Var<'_>; 2], NnError> {
    Ok([g.batch("shift", [1, batch])?, g.batch("scale", [1, batch])?])
}

/// Forecasts of a batch, still scaled: inputs `y` and `mask`, output `forecast`.
pub(crate) fn predicting(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let window = window(model, &g, batch)?;
    let forecast = window_norm::forward(model, &window, &Scope::predicting(&g))?;
    g.output("forecast", window_norm::expand(model, forecast)?);
    Ok(g.finish()?)
}

/// The parts that forecasts of a batch are the sum of, still scaled: outputs `part0`, `part1` and so on.
pub(crate) fn taking_apart(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let window = window(model, &g, batch)?;
    let parts = model.network.parts(&window, &Scope::predicting(&g))?;
    for (number, part) in parts.into_iter().enumerate() {
        g.output(&format!("part{number}"), part);
    }
    Ok(g.finish()?)
}

fn window<'g>(model: &Model, g: &'g Builder, batch: usize) -> Result<Window<'g>, NnError> {
    let y = g.batch("y", [model.input_size, batch])?;
    let mask = g.batch("mask", [model.input_size, batch])?;
    let length = model.input_size + model.horizon;
    let columns = |name: &str, steps: usize, list: &[String]| match list.len() {
        0 => Ok(None),
        columns => g.batch(name, [steps, columns, batch]).map(Some),
    };
    let historic = columns("historic", model.input_size, &model.hist_exog_list)?;
    let future = columns("future", length, &model.futr_exog_list)?;
    let fixed = match model.stat_exog_list.len() {
        0 => None,
        columns => Some(g.batch("fixed", [columns, batch])?),
    };
    let (mask, outputs) = (Some(mask), model.outputs());
    Ok(Window { mask, historic, future, fixed, outputs, ..Window::of(y, model.horizon) })
}

fn target<'g>(model: &Model, g: &'g Builder, batch: usize) -> Result<Target<'g>, NnError> {
    let values = g.batch("target", [model.horizon, 1, batch])?;
    let mask = g.batch("target_mask", [model.horizon, 1, batch])?;
    Ok(Target::new(values).masked(mask))
}
