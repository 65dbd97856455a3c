//! Optimiser: a rule, written into the graph for every parameter, with groups, clipping and averages.

use super::{Clip, Ema, Group, Rule, Step, Update};
use crate::NnError;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// How the parameters of a network follow the gradient of a loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimiser {
    /// What is done to each parameter.
    pub rule: Rule,
    /// Parameters that are treated otherwise than the rest.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// The bound of the gradients, if there is one.
    #[serde(default)]
    pub clip: Option<Clip>,
    /// Whether averages of the parameters are kept.
    #[serde(default)]
    pub ema: Option<Ema>,
}

impl Optimiser {
    /// A rule for all parameters alike.
    pub fn new(rule: impl Into<Rule>) -> Optimiser {
        Optimiser { rule: rule.into(), groups: Vec::new(), clip: None, ema: None }
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
        self.check()?;
        let g = loss.builder();
        let step = Step { lr: g.input("lr", [])?, number: g.input("step", [])? };
        let parameters = g.parameters();
        let gradients = g.gradients(loss, &parameters)?;
        self.follow(&parameters, gradients, step)
    }

    /// Writes one step along gradients into the graph.
    pub(super) fn follow<'g>(
        &self,
        parameters: &[Var<'g>],
        mut gradients: Vec<Var<'g>>,
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let g = step.lr.builder();
        if let Some(clip) = self.clip {
            gradients = clip.apply(&gradients)?;
        }
        let names: Vec<_> = parameters.iter().map(|&parameter| g.label(parameter)).collect();
        self.groups.iter().try_for_each(|group| group.expect_any(&names))?;
        let groups: Vec<_> = names.iter().map(|name| self.group_of(name)).collect();
        for group in (0..self.groups.len()).map(Some).chain([None]) {
            let own = (0..parameters.len()).filter(|&i| groups[i] == group);
            let (own, gradients): (Vec<_>, Vec<_>) =
                own.map(|i| (parameters[i], gradients[i])).unzip();
            if !own.is_empty() {
                self.update_group(group.map(|i| &self.groups[i]), &own, &gradients, step)?;
            }
        }
        match self.ema {
            Some(ema) => Ok(ema.follow(parameters, step)?),
            None => Ok(()),
        }
    }

    /// The number of the group a parameter belongs to; none for the rest.
    fn group_of(&self, parameter: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.names(parameter))
    }

    fn update_group<'g>(
        &self,
        group: Option<&Group>,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError> {
        let Some(group) = group else {
            return self.rule.update(parameters, gradients, step);
        };
        if group.lr_scale == 0.0 {
            return Ok(());
        }
        let lr = step.lr.mul(step.lr.builder().scalar(group.lr_scale as f32))?;
        let step = Step { lr, ..step };
        match group.weight_decay {
            Some(decay) => self.rule.with_weight_decay(decay).update(parameters, gradients, step),
            None => self.rule.update(parameters, gradients, step),
        }
    }

    /// Says what is wrong with the settings, if anything is.
    pub(crate) fn check(&self) -> Result<(), NnError> {
        self.rule.check()?;
        self.groups.iter().try_for_each(Group::check)?;
        self.clip.iter().try_for_each(Clip::check)?;
        self.ema.iter().try_for_each(Ema::check)
    }
}
