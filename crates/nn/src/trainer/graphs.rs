//! The graphs of a training: a step, an evaluation, a prediction. They share the weights by name.

use super::{RowForm, TargetForm, Trainer, missing};
use crate::init::InitRule;
use crate::layers::Forward;
use crate::losses::{Criterion, Target};
use crate::{NnError, Scope};
use whimbrel_graph::{Builder, Graph, Type, Var};

/// What becomes of the gradients of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gradients {
    /// A step along them.
    Follow,
    /// They are added to those of the batches before.
    Gather,
    /// A step along their mean with those of the batches before.
    FollowGathered,
}

/// Learning from a batch: inputs `x`, `y`, of weighted rows `weight`, `lr`, `step` and, with dropout, `random`, if gradients are
/// gathered `share` and `later`; output `loss`.
pub(super) fn training(
    trainer: &Trainer,
    form: RowForm,
    batch: usize,
    gradients: Gradients,
) -> Result<Graph, NnError> {
    let g = Builder::new();
    let (x, y) = batch_inputs(&g, trainer, form, batch)?;
    let random = g.input("random", Type::i32([2]))?;
    let scope = Scope::training(&g).with_random(random).with_init(&trainer.init);
    let loss = trainer.loss.loss(trainer.network.forward(x, &scope)?, y)?;
    InitRule::check(&trainer.init, &g)?;
    match gradients {
        Gradients::Follow => trainer.optimiser.minimise(loss)?,
        Gradients::Gather => trainer.optimiser.gather(loss)?,
        Gradients::FollowGathered => trainer.optimiser.minimise_gathered(loss)?,
    }
    g.output("loss", loss);
    Ok(g.finish()?)
}

/// Loss and predictions of a batch, with the weights or with their averages: inputs `x`, `y` and, of weighted
/// rows, `weight`, outputs `loss` and `prediction`.
pub(super) fn evaluating(
    trainer: &Trainer,
    form: RowForm,
    batch: usize,
    averaged: bool,
) -> Result<Graph, NnError> {
    let g = Builder::new();
    let (x, y) = batch_inputs(&g, trainer, form, batch)?;
    let scope = Scope::predicting(&g).with_init(&trainer.init);
    let scope = if averaged { scope.averaged() } else { scope };
    let prediction = trainer.network.forward(x, &scope)?;
    g.output("prediction", prediction);
    g.output("loss", trainer.loss.loss(prediction, y)?);
    Ok(g.finish()?)
}

/// Predictions of a batch: input `x`, output `prediction`.
pub(super) fn predicting(
    trainer: &Trainer,
    features: usize,
    batch: usize,
) -> Result<Graph, NnError> {
    let g = Builder::new();
    let x = inputs(&g, trainer, features, batch)?;
    g.output("prediction", trainer.network.forward(x, &Scope::predicting(&g))?);
    Ok(g.finish()?)
}

/// Numbers predicted for each row, by a graph of one row.
pub(super) fn outputs(prediction: &Graph) -> usize {
    prediction.outputs().iter().map(|output| prediction.ty(output.value).numel()).sum()
}

impl Trainer {
    /// Numbers its network predicts for each row of `features` inputs.
    pub fn outputs(&self, features: usize) -> Result<usize, NnError> {
        Ok(outputs(&predicting(self, features, 1)?))
    }
}

/// The names of all state of a graph.
pub(super) fn state_names(graph: &Graph) -> Vec<String> {
    graph.state().map(|value| graph.label(value)).collect()
}

/// What the first layer of the network gets.
fn inputs<'g>(
    g: &'g Builder,
    trainer: &Trainer,
    features: usize,
    batch: usize,
) -> Result<Var<'g>, NnError> {
    let x = trainer.network.input(g, features, batch)?;
    if trainer.fill_missing { missing::fill(x) } else { Ok(x) }
}

fn batch_inputs<'g>(
    g: &'g Builder,
    trainer: &Trainer,
    form: RowForm,
    batch: usize,
) -> Result<(Var<'g>, Target<'g>), NnError> {
    let x = inputs(g, trainer, form.features, batch)?;
    let y = match form.target {
        TargetForm::Values { width } => g.batch("y", [width, batch])?,
        TargetForm::Class => g.batch("y", Type::i32([batch]))?,
    };
    let y = Target::new(y);
    Ok((x, if form.weighted { y.weighted(g.batch("weight", [batch])?) } else { y }))
}
