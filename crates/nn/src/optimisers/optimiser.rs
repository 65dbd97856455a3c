//! Optimiser: a rule, written into the graph for every parameter.

use super::{Rule, Step, Update};
use crate::NnError;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// How the parameters of a network follow the gradient of a loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimiser {
    /// What is done to each parameter.
    pub rule: Rule,
}

impl Optimiser {
    /// A rule for all parameters alike.
    pub fn new(rule: impl Into<Rule>) -> Optimiser {
        Optimiser { rule: rule.into() }
    }

    /// The learning rate at the start.
    pub fn lr(&self) -> f64 {
        self.rule.lr()
    }

    /// Writes one step that makes `loss` smaller into its graph, for all parameters declared so far.
    ///
    /// It declares the inputs `lr` and `step`, single numbers: the learning rate, and the number of
    /// the step, 1 in the first.
    #[track_caller]
    pub fn minimise(&self, loss: Var<'_>) -> Result<(), NnError> {
        self.rule.check()?;
        let g = loss.builder();
        let step = Step { lr: g.input("lr", [])?, number: g.input("step", [])? };
        let parameters = g.parameters();
        let gradients = g.gradients(loss, &parameters)?;
        self.rule.update(&parameters, &gradients, step)
    }
}
