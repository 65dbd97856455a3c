//! Where a layer stands: the graph it is written into, the name of its parameters, the phase.

use crate::NnError;
use crate::init::InitRule;
use crate::optimisers::{AVERAGE_SUFFIX, average_of};
use whimbrel_graph::{Builder, GraphError, Init, Type, Var};

/// What a graph is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Learning: statistics of the batch, dropout.
    Train,
    /// Predicting: statistics kept from learning, no dropout.
    Predict,
}

/// The place of a layer in a network under construction.
///
/// Names are joined with dots as in PyTorch: the weight of the first layer of a sequence is
/// `0.weight`.
#[derive(Clone, Debug)]
pub struct Scope<'g> {
    builder: &'g Builder,
    name: String,
    phase: Phase,
    random: Option<Var<'g>>,
    init: &'g [InitRule],
    averaged: bool,
}

impl<'g> Scope<'g> {
    /// The root of a network that is to learn.
    pub fn training(builder: &'g Builder) -> Scope<'g> {
        Scope::root(builder, Phase::Train)
    }

    /// The root of a network that is to predict.
    pub fn predicting(builder: &'g Builder) -> Scope<'g> {
        Scope::root(builder, Phase::Predict)
    }

    fn root(builder: &'g Builder, phase: Phase) -> Scope<'g> {
        let name = String::new();
        Scope { builder, name, phase, random: None, init: &[], averaged: false }
    }

    /// The same scope with a source of random numbers, i32 `[2]` of seed and step: dropout needs it.
    pub fn with_random(mut self, seed_and_step: Var<'g>) -> Scope<'g> {
        self.random = Some(seed_and_step);
        self
    }

    /// The same scope with rules for parameters that begin otherwise than their layers would have it.
    pub fn with_init(mut self, rules: &'g [InitRule]) -> Scope<'g> {
        self.init = rules;
        self
    }

    /// The same scope with the averages of the parameters in their place, which the optimiser keeps under
    /// the name of [`average_of`](crate::optimisers::average_of) a parameter.
    pub fn averaged(mut self) -> Scope<'g> {
        self.averaged = true;
        self
    }

    /// The place of a part of this layer.
    pub fn child(&self, part: &str) -> Scope<'g> {
        Scope { name: self.name_of(part), ..self.clone() }
    }

    /// The graph.
    pub fn builder(&self) -> &'g Builder {
        self.builder
    }

    /// The name of this place; empty at the root.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The full name of something that belongs to this place.
    pub fn name_of(&self, part: &str) -> String {
        match self.name.as_str() {
            "" => part.into(),
            name => format!("{name}.{part}"),
        }
    }

    /// What the graph is built for.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Seed and step of the random numbers, where there are any.
    pub fn random(&self) -> Option<Var<'g>> {
        self.random
    }

    /// A trainable value of this layer; it begins with `init` unless a rule says otherwise.
    #[track_caller]
    pub fn parameter(
        &self,
        what: &str,
        ty: impl Into<Type>,
        init: Init,
    ) -> Result<Var<'g>, GraphError> {
        let (name, ty) = (self.name_of(what), ty.into());
        if self.averaged {
            return self.builder.parameter(&average_of(&name), ty, Init::Zeros);
        }
        let rule = self.init.iter().find(|rule| rule.names(&name));
        let init = rule.map_or(init, |rule| rule.with.of(&ty.shape));
        self.builder.parameter(&name, ty, init)
    }

    /// What the names of the statistics end in that this graph uses.
    pub(crate) fn statistics_suffix(&self) -> &'static str {
        if self.averaged { AVERAGE_SUFFIX } else { "" }
    }

    /// How messages call the layer of kind `kind` that stands here.
    pub fn place(&self, kind: &str) -> String {
        match self.name.as_str() {
            "" => kind.into(),
            name => format!("layer {name} ({kind})"),
        }
    }

    /// The error that a layer cannot work with `given`.
    pub fn refuse(
        &self,
        kind: &str,
        problem: impl Into<String>,
        given: Var<'g>,
        remedy: impl Into<String>,
    ) -> NnError {
        let (place, problem, remedy) = (self.place(kind), problem.into(), remedy.into());
        NnError::Shape { place, problem, given: Box::new(given.ty()), remedy }
    }
}
