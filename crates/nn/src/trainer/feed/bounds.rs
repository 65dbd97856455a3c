//! Bounds: what a network can take of rows.

use super::super::graphs::outputs;
use super::super::{Examples, Targets, TrainError, Trainer};
use crate::losses::Domain;
use whimbrel_graph::Graph;

/// What rows may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trainer) struct Bounds {
    /// Classes: one for each number that is predicted for a row.
    pub classes: usize,
    /// Indices, where the inputs are such.
    pub indices: Option<usize>,
    /// Whether inputs may be missing.
    pub missing: bool,
    /// The kind of the loss, and the targets it makes sense of.
    pub loss: (&'static str, Domain),
}

impl Bounds {
    /// Those of a training whose network predicts by a graph.
    pub(in crate::trainer) fn of(trainer: &Trainer, prediction: &Graph) -> Bounds {
        let (classes, indices) = (outputs(prediction), trainer.network.indices());
        let loss = (trainer.loss.kind(), trainer.loss.domain());
        Bounds { classes, indices, missing: trainer.fill_missing, loss }
    }

    /// Refuses rows that do not fit, which come after `before` others.
    pub(super) fn check(self, examples: &Examples, before: usize) -> Result<(), TrainError> {
        self.check_classes(examples, before)?;
        self.check_values(examples, before)?;
        match self.indices {
            Some(count) => check_indices(count, examples, before),
            None if self.missing => Ok(()),
            None => check_missing(examples, before),
        }
    }

    fn check_classes(self, examples: &Examples, before: usize) -> Result<(), TrainError> {
        let Targets::Classes(classes) = examples.targets() else { return Ok(()) };
        let outputs = self.classes;
        let unknown = |&class: &i32| usize::try_from(class).is_ok_and(|class| class >= outputs);
        let Some(at) = classes.iter().position(unknown) else { return Ok(()) };
        let (row, class) = (before + at + 1, classes[at]);
        Err(TrainError::Data {
            problem: format!(
                "row {row} is of class {class}, but the network has {outputs} output{}",
                if outputs == 1 { "" } else { "s" }
            ),
            remedy: "give the last layer one output for each class, counted from 0",
        })
    }

    fn check_values(self, examples: &Examples, before: usize) -> Result<(), TrainError> {
        let Targets::Values { width, values } = examples.targets() else { return Ok(()) };
        let (loss, domain) = self.loss;
        // What does not count may be anything.
        let counts = |at: usize| examples.weights().get(at / width) != Some(&0.0);
        let outside = |(at, &x): (usize, &f32)| !domain.has(x) && counts(at);
        let Some(at) = values.iter().enumerate().position(outside) else { return Ok(()) };
        let (row, x) = (before + at / width + 1, values[at]);
        Err(TrainError::Data {
            problem: format!(
                "a target of row {row} is {x}, but those of the loss {loss} are {}",
                domain.words()
            ),
            remedy: "change it, or choose another loss",
        })
    }
}

fn check_indices(count: usize, examples: &Examples, before: usize) -> Result<(), TrainError> {
    let fits = |x: &f32| x.fract() == 0.0 && (0.0..count as f32).contains(x);
    let Some(at) = examples.inputs().iter().position(|x| !fits(x)) else { return Ok(()) };
    let (place, x) = (place(examples, before, at), examples.inputs()[at]);
    Err(TrainError::Data {
        problem: format!("{place} is {x}, which is no index of an embedding of {count}"),
        remedy: "number what is embedded from 0, or raise num_embeddings",
    })
}

fn check_missing(examples: &Examples, before: usize) -> Result<(), TrainError> {
    let Some(at) = examples.inputs().iter().position(|x| x.is_nan()) else { return Ok(()) };
    Err(TrainError::Data {
        problem: format!("{} is missing", place(examples, before, at)),
        remedy: "fill it in, remove the row, or set fill_missing",
    })
}

/// The place of a number among the inputs of rows that come after `before` others.
fn place(examples: &Examples, before: usize, at: usize) -> String {
    let (row, input) = (at / examples.features(), at % examples.features());
    format!("input {} of row {}", input + 1, before + row + 1)
}
