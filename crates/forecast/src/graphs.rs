//! The graphs of a model: a training step, a validation, a prediction. They share the weights by name.

use crate::Model;
use crate::models::Window;
use crate::window_norm;
use whimbrel_graph::{Builder, Graph, GraphError, Type, Var};
use whimbrel_nn::losses::{Criterion, Target};
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::{NnError, Scope};

/// Which graph of a session is which.
pub(crate) const TRAIN: usize = 0;
pub(crate) const PREDICT: usize = 1;
pub(crate) const VALIDATE: usize = 2;

/// One step of Adam on a batch of windows: inputs `y`, `mask`, `target`, `target_mask`, `lr`, `step` and,
/// with dropout, `random`; output `loss`.
pub(crate) fn training(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let random = g.input("random", Type::i32([2]))?;
    let window = window(model, &g, batch)?;
    let scope = Scope::training(&g).with_random(random);
    let forecast = window_norm::forward(model, &window, &scope)?;
    let target = target(model, &g, batch)?;
    let target = Target { values: window_norm::compress(model, target.values)?, ..target };
    let history = window_norm::compress(model, window.y)?;
    let loss = model.loss.loss(forecast, target.with_history(history))?;
    let adam = Adam { lr: f64::from(model.learning_rate), ..Adam::default() };
    Optimiser::new(adam).minimise(loss)?;
    g.output("loss", loss);
    Ok(g.finish()?)
}

/// The loss of a batch in the unit of the series: `shift` and `scale` bring forecast and target back.
pub(crate) fn validating(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let window = window(model, &g, batch)?;
    let (shift, scale) = (g.batch("shift", [1, batch])?, g.batch("scale", [1, batch])?);
    let back = |x| bring_back(x, shift, scale);
    let forecast = window_norm::forward(model, &window, &Scope::predicting(&g))?;
    let forecast = back(window_norm::expand(model, forecast)?)?;
    let target = target(model, &g, batch)?;
    let target = Target { values: back(target.values)?, ..target };
    g.output("loss", model.loss.loss(forecast, target.with_history(back(window.y)?))?);
    Ok(g.finish()?)
}

fn bring_back<'g>(x: Var<'g>, shift: Var<'g>, scale: Var<'g>) -> Result<Var<'g>, GraphError> {
    x.mul(scale.broadcast(x.shape())?)?.add(shift.broadcast(x.shape())?)
}

/// Forecasts of a batch, still scaled: inputs `y` and `mask`, output `forecast`.
pub(crate) fn predicting(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let window = window(model, &g, batch)?;
    let forecast = window_norm::forward(model, &window, &Scope::predicting(&g))?;
    g.output("forecast", window_norm::expand(model, forecast)?);
    Ok(g.finish()?)
}

fn window<'g>(model: &Model, g: &'g Builder, batch: usize) -> Result<Window<'g>, NnError> {
    let y = g.batch("y", [model.input_size, batch])?;
    let mask = g.batch("mask", [model.input_size, batch])?;
    let outputs = model.outputs();
    Ok(Window { mask: Some(mask), outputs, ..Window::of(y, model.horizon) })
}

fn target<'g>(model: &Model, g: &'g Builder, batch: usize) -> Result<Target<'g>, NnError> {
    let values = g.batch("target", [model.horizon, 1, batch])?;
    let mask = g.batch("target_mask", [model.horizon, 1, batch])?;
    Ok(Target::new(values).masked(mask))
}
